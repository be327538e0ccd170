/* Years of rounds with simulated clocks, which suspend and jump. */
#include <criterion/criterion.h>

#include "rounds/schedule.h"

#define S 1000000000ull
#define HOUR (3600 * S)

static const int64_t NOON = 1800000000ll * 1000000000; /* a multiple of an hour */

struct clocks {
	uint64_t boot;
	int64_t real;
};

static void pass(struct clocks *c, uint64_t ns)
{
	c->boot += ns;
	c->real += (int64_t)ns;
}

/* Waits as a supervisor does, at most a second at a time. Returns the time waited, ns. */
static uint64_t wait_for_round(struct schedule *s, struct clocks *c)
{
	uint64_t start = c->boot, wait;

	while ((wait = schedule_wait(s, c->boot, c->real))) {
		cr_assert(wait <= s->every_ns, "waits %lu ns of %lu", wait, s->every_ns);
		pass(c, wait < S ? wait : S);
	}
	schedule_begin(s, c->boot, c->real);
	return c->boot - start;
}

Test(schedule, no_drift)
{
	struct clocks c = { 77 * HOUR, NOON };
	struct schedule s;

	schedule_init(&s, 60 * S, false, 0, c.boot, c.real);
	for (uint64_t k = 0; k < 600000; k++) { /* more than a year */
		uint64_t wait = schedule_wait(&s, c.boot, c.real);

		pass(&c, wait);
		cr_assert(c.boot == 77 * HOUR + k * 60 * S, "round %lu", k);
		schedule_begin(&s, c.boot, c.real);
		pass(&c, 59 * S + k % 999);
	}
	cr_expect(s.missed == 0);
}

Test(schedule, rounds_that_take_their_whole_time_follow_one_another)
{
	struct clocks c = { HOUR, NOON };
	struct schedule s;

	schedule_init(&s, 60 * S, false, 0, c.boot, c.real);
	for (int k = 0; k < 100000; k++) {
		cr_assert(wait_for_round(&s, &c) < S / 100 + 1);
		pass(&c, 3000000); /* to start */
		pass(&c, schedule_left(&s, c.boot, c.real));
		pass(&c, 1000000); /* to end */
	}
	cr_expect(s.missed == 0 && s.begun == 100000);
}

Test(schedule, so_many_rounds)
{
	struct schedule s;

	schedule_init(&s, S, false, 2, 0, NOON);
	cr_expect(schedule_wait(&s, 0, NOON) == 0);
	schedule_begin(&s, 0, NOON);
	cr_expect(schedule_wait(&s, 0, NOON) == S);
	schedule_begin(&s, S, NOON);
	cr_expect(schedule_wait(&s, 5 * S, NOON) == UINT64_MAX);
}

Test(schedule, a_long_round_misses_slots_and_catches_none_up)
{
	struct clocks c = { HOUR, NOON };
	struct schedule s;

	schedule_init(&s, 10 * S, false, 0, c.boot, c.real);
	wait_for_round(&s, &c);
	pass(&c, 35 * S);
	cr_expect(wait_for_round(&s, &c) == 0 && s.missed == 2);
	pass(&c, 1 * S);
	cr_expect(wait_for_round(&s, &c) == 4 * S && s.missed == 2);
}

Test(schedule, suspended_for_a_night)
{
	struct clocks c = { HOUR, NOON };
	struct schedule s;

	schedule_init(&s, 60 * S, false, 0, c.boot, c.real);
	wait_for_round(&s, &c);
	pass(&c, 8 * HOUR + 30 * S);
	cr_expect(wait_for_round(&s, &c) == 0 && s.missed == 8 * 60 - 1);
	pass(&c, 10 * S);
	cr_expect(wait_for_round(&s, &c) == 20 * S);
}

Test(schedule, aligned)
{
	struct clocks c = { HOUR, NOON + 17 * (int64_t)S };
	struct schedule s;

	schedule_init(&s, 60 * S, true, 0, c.boot, c.real);
	for (int k = 0; k < 1000; k++) {
		wait_for_round(&s, &c);
		cr_assert(c.real % (int64_t)(60 * S) == 0);
		pass(&c, 30 * S + (uint64_t)k);
	}
	cr_expect(s.missed == 0);
}

Test(schedule, aligned_and_on_time_begins_at_once)
{
	struct schedule s;
	int64_t on_time = 1800000000ll / 60 * 60 * (int64_t)S;

	schedule_init(&s, 60 * S, true, 0, HOUR, on_time);
	cr_expect(schedule_wait(&s, HOUR, on_time) == 0);
}

/* Rounds around a jump of the real-time clock: never two in a slot, no wait longer than a slot. */
static void jump(int64_t by)
{
	struct clocks c = { HOUR, NOON + 17 * (int64_t)S };
	struct schedule s;
	uint64_t before = 0;

	schedule_init(&s, 60 * S, true, 0, c.boot, c.real);
	for (int k = 0; k < 50; k++) {
		wait_for_round(&s, &c);
		cr_assert(!before || c.boot - before >= 29 * S, "%ld", by);
		before = c.boot;
		pass(&c, 20 * S);
		if (k == 25)
			c.real += by;
		pass(&c, 10 * S);
	}
	cr_expect(s.missed <= 1, "%ld: %lu missed", by, s.missed);
}

Test(schedule, clocks_that_jump)
{
	static const int64_t seconds[] = {
		1, 29, 30, 31, 60, 3600, 86400 * 365, 86400ll * 365 * 30
	};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		jump(seconds[i] * (int64_t)S);
		jump(-seconds[i] * (int64_t)S);
	}
}

Test(schedule, before_1970)
{
	struct clocks c = { HOUR, -5 * (int64_t)S };
	struct schedule s;

	schedule_init(&s, 60 * S, true, 0, c.boot, c.real);
	wait_for_round(&s, &c);
	pass(&c, 30 * S);
	wait_for_round(&s, &c);
	cr_expect(s.begun == 2);
}

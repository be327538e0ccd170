/* The budget against ticks of known cost. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "sampler/account/budget.h"

enum { RATE = 99 };

/* Simulates `seconds` of ticks, each of which costs `tick_ns` if it looks at all threads. Returns
 * the share of a CPU that they took. */
static double live(struct budget *b, double seconds, double tick_ns, unsigned *ticks)
{
	uint64_t now = b->settled_ns ? b->settled_ns : 1, end = now + (uint64_t)(seconds * 1e9);
	double spent = 0;

	for (*ticks = 0; now < end; (*ticks)++) {
		double cost = tick_ns * b->part;

		spent += cost;
		budget_spend(b, now, (uint64_t)cost, 1);
		now += (uint64_t)(b->stride * (double)b->period_ns);
	}
	return spent / (seconds * 1e9);
}

Test(budget, leaves_cheap_ticks_alone)
{
	struct budget b;
	unsigned ticks;

	budget_init(&b, 0.05, RATE);
	live(&b, 10, 100000, &ticks);
	cr_assert(ticks >= 10 * RATE);
	cr_assert_eq(b.stride, 1);
}

Test(budget, holds_and_uses_what_it_has)
{
	for (double cost = 1e4; cost < 3e8; cost *= 1.7) {
		struct budget b;
		unsigned ticks;
		double spent;

		budget_init(&b, 0.05, RATE);
		live(&b, 10, cost, &ticks);
		spent = live(&b, 60, cost, &ticks);
		cr_assert_leq(spent, 0.052, "%f of a CPU for ticks of %.0f ns", spent, cost);
		if (cost * RATE > 0.05e9)
			cr_assert_geq(spent, 0.04, "%f of a CPU, %.0f ns", spent, cost);
		cr_assert_gt(b.part, 0);
	}
}

/* Several ticks are accounted at once. */
Test(budget, is_the_same_for_ticks_in_bundles)
{
	struct budget one, ten;
	uint64_t now = 1;

	budget_init(&one, 0.05, RATE);
	budget_init(&ten, 0.05, RATE);
	for (int i = 0; i < 100; i++, now += 10 * one.period_ns) {
		for (unsigned k = 0; k < 10; k++)
			budget_spend(&one, now + k * one.period_ns, 2000000, 1);
		budget_spend(&ten, now, 20000000, 10);
	}
	cr_assert_float_eq(one.stride, ten.stride, 0.01);
	cr_assert_float_eq(one.part, ten.part, 0.01);
}

Test(budget, looks_at_a_part_where_ten_ticks_a_second_are_too_dear)
{
	struct budget b;
	unsigned ticks;

	budget_init(&b, 0.05, RATE);
	live(&b, 60, 50e6, &ticks); /* 10,000 threads */
	cr_assert(ticks > 60 * 8 && ticks < 60 * 25, "%u ticks", ticks);
	cr_assert(b.part > 0.03 && b.part < 0.2, "%f", b.part);
}

Test(budget, comes_back_when_the_multitude_has_gone)
{
	struct budget b;
	unsigned ticks;

	budget_init(&b, 0.05, RATE);
	live(&b, 30, 500e6, &ticks);
	live(&b, 5, 50000, &ticks);
	live(&b, 5, 50000, &ticks);
	cr_assert(ticks >= 5 * RATE, "%u", ticks);
	cr_assert_eq(b.part, 1);
}

Test(budget, pays_for_one_dear_tick_without_a_silence)
{
	struct budget b;
	unsigned ticks;
	double spent;

	budget_init(&b, 0.05, RATE);
	live(&b, 1, 150000, &ticks);
	budget_spend(&b, b.settled_ns + b.period_ns, 400000000, 1); /* large tables are built */
	spent = live(&b, 2, 150000, &ticks);
	cr_assert(ticks > 2 * RATE / 2, "%u", ticks);
	cr_assert(spent < 0.05, "%f", spent);
	live(&b, 30, 150000, &ticks);
	cr_assert_leq(b.debt_ns, 0);
}

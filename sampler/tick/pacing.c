/* Chooses the period of the kernel's timers, and when they begin anew at another one. */
#include "base/clock.h"
#include "base/error.h"
#include "sampler/capture/events.h"
#include "sampler/tick/round.h"

enum {
	PACE_STEP = 16, /* a new period that differs by less than a 16th is not set */
	/* Timers begin anew after so many periods, but not before RENEW_NS: each CPU is
	 * interrupted for it. */
	RENEW_PERIODS = 8,
	RENEW_NS = 80000000,
	COUNT_NS = 500000000, /* as RENEW_NS, for what is counted */
	/* Those of threads are opened anew instead: after so long, where the period is to differ
	 * by more than a TASKS_STEP-th. */
	TASKS_NS = 2000000000,
	TASKS_STEP = 4,
	HURRY_NS = 100000000, /* rings that hold less are read with priority */
};

static bool is_running(const struct round *r)
{
	return r->events && !events_are_resting(r->events);
}

/* How many of what is counted make a sample is found soon, at any rate. */
uint64_t sources_apart_ns(const struct round *r)
{
	if (r->recorded.counted)
		return RENEW_NS;
	return is_running(r) ? events_hold_ns(r->events) / 2 : UINT64_MAX;
}

bool sources_hurry(const struct round *r)
{
	return is_running(r) && events_hold_ns(r->events) < HURRY_NS;
}

/* The timer of the kernel would stay in step with a program whose period is a multiple of its own:
 * of threads that take turns at a real-time priority it showed 16 % for 24. So after some periods
 * it begins anew, faster or slower by up to a half, at random; a sample's weight is its period.
 * What a new beginning loses, half a period, is made up for; what is counted makes up for itself
 * (eventpace.c). */
static uint64_t at_random(struct round *r, uint64_t apart_ns, uint64_t lasts_ns)
{
	double rate = 0.5 + (double)(plan_random(&r->plan) >> 11) / (double)(1ull << 53);
	double lost = r->recorded.counted ? 1 :
					    (double)lasts_ns / (double)(lasts_ns + apart_ns / 2);

	return (uint64_t)((double)apart_ns / rate * lost);
}

/* How many make a sample has to be found first. Then seldom: a new beginning loses what has come
 * since the last sample, which is much where strangers make most, in bursts. */
static uint64_t count_lasts_ns(const struct round *r, uint64_t now, uint64_t periods_ns)
{
	if (now - r->recorded.start_ns < COUNT_NS)
		return RENEW_NS;
	return periods_ns > COUNT_NS ? periods_ns : COUNT_NS;
}

static void renew_tasks(struct round *r, uint64_t apart_ns, uint64_t now)
{
	uint64_t before = r->events_apart_ns ? r->events_apart_ns : r->ticking.pace.period_ns,
		 differ = apart_ns > before ? apart_ns - before : before - apart_ns;
	struct error err;

	if (differ < before / TASKS_STEP || now - r->events_set_ns < TASKS_NS)
		return;
	r->events_apart_ns = apart_ns;
	r->events_set_ns = now;
	if (events_pace(r->events, apart_ns, &err))
		sources_drop_events(r);
}

void sources_pace(struct round *r, uint64_t apart_ns)
{
	uint64_t now = monotonic_ns(), before = r->events_apart_ns,
		 periods_ns = apart_ns * RENEW_PERIODS,
		 lasts_ns = r->recorded.counted	  ? count_lasts_ns(r, now, periods_ns) :
			    periods_ns > RENEW_NS ? periods_ns :
						    RENEW_NS,
		 differ = apart_ns > before ? apart_ns - before : before - apart_ns;

	if (!r->events || (differ < before / PACE_STEP && now - r->events_set_ns < lasts_ns))
		return;
	if (events_are_of_tasks(r->events)) {
		renew_tasks(r, apart_ns, now);
		return;
	}
	if (now - r->events_set_ns > lasts_ns && now - r->events_set_ns < NS_PER_S)
		lasts_ns = now - r->events_set_ns;
	r->events_apart_ns = apart_ns;
	r->events_set_ns = now;
	events_pace(r->events, at_random(r, apart_ns, lasts_ns), NULL);
}

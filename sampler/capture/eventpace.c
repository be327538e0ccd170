/*
 * How many make a sample is found by how many came since the pace was set. Rejected: letting the
 * kernel find it (perf_event_attr.freq): it begins with each single one, and its pace is in step
 * with a program that repeats what it does (perf had 75 % of the page faults where 25 % were).
 */
#include "sampler/capture/eventpace.h"

#include "base/clock.h"

enum { COUNTED_FIRST = 1000 }; /* until it is known how many come */

void eventpace_init(struct eventpace *p, uint64_t period_ns)
{
	*p = (struct eventpace){ .period_ns = period_ns,
				 .every = COUNTED_FIRST,
				 .every_before = COUNTED_FIRST };
}

void eventpace_set(struct eventpace *p, uint64_t period_ns)
{
	p->period_before_ns = p->period_ns;
	p->period_ns = period_ns;
	p->since_ns = monotonic_ns();
}

bool eventpace_set_counted(struct eventpace *p, uint64_t period_ns, uint64_t all, unsigned cpus)
{
	uint64_t since = p->since_ns;
	/* Less than before: the events were opened anew. */
	double came = (double)(all >= p->all ? all - p->all : all), every;

	eventpace_set(p, period_ns);
	p->every_before = p->every;
	p->all = all;
	if (!since || p->since_ns == since)
		return false;
	every = came * (double)period_ns / (double)(p->since_ns - since) / cpus;
	p->every = every < 1 ? 1 : (uint64_t)every;
	return p->every != p->every_before;
}

/* PERF_SAMPLE_PERIOD does not tell: it stays as at the start (perf_swevent_hrtimer() in
 * kernel/events/core.c takes hw.last_period). */
uint64_t eventpace_period_at(const struct eventpace *p, uint64_t ns)
{
	return ns < p->since_ns ? p->period_before_ns : p->period_ns;
}

/* A new pace makes the next one that is counted by software a sample (_perf_event_period() in
 * kernel/events/core.c sets what is left of the period to 0). It is chosen by time, not by number,
 * and would favour a program that makes them steadily over one that makes them in bursts: it is
 * none. A processor's counter begins anew without one (x86_perf_event_set_period() in
 * arch/x86/events/core.c). The first sample of a new pace stands for half a period of the old one,
 * too, on the average. */
uint64_t eventpace_count_of(const struct eventpace *p, enum eventpace_state *state, uint64_t ns)
{
	enum eventpace_state was = *state;

	if (ns < p->since_ns)
		return p->every_before;
	*state = was == EVENTPACE_NEW ? EVENTPACE_FIRST : EVENTPACE_KEPT;
	return was == EVENTPACE_NEW   ? 0 :
	       was == EVENTPACE_FIRST ? p->every + p->every_before / 2 :
					p->every;
}

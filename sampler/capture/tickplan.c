/*
 * Plans ticks.
 *
 * Each period of 1/rate has one tick on each CPU, at a random moment of it, independent of all
 * others: the rate is exact, and no part of what a program does can be in step with the ticks. Not
 * even if a tick sets the step: it displaces a thread, and then those of other CPUs wait for it,
 * and are woken elsewhere. (With ticks of two CPUs 62 µs apart, redis had a third of its samples
 * too few, hardly any in epoll_wait; 500 µs apart, a ring with turns of 200 µs had 26 % at its
 * beginning, not 30.)
 */
#include "sampler/capture/tickplan.h"

#include <stddef.h>

#include "base/clock.h"
#include "sampler/account/budget.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/ticking.h"

enum {
	NOTE_NS = 50000, /* where many threads run, CPU times are noted so long before a tick */
	IDLE_TICKS = 16, /* on a CPU without a sample, before they become fewer */
};

/* On a machine of many CPUs, one on which no thread of the round was met for long ticks less often.
 * Its sample then stands for more. */
static unsigned idle_factor(const struct tickplan *p, const struct pace *pace)
{
	unsigned factor = 1 + p->idle / IDLE_TICKS;

	return factor < pace->idle_most ? factor : pace->idle_most;
}

/* Whole periods from tick to tick, on the average as many as the budget allows. */
static unsigned tickplan_stride(const struct pace *pace, uint64_t *random)
{
	uint32_t stride = pace->stride;

	return stride / BUDGET_ONE + (roster_random(random) % BUDGET_ONE < stride % BUDGET_ONE);
}

struct planned *tickplan_next(struct tickplan *p)
{
	return &p->next[p->turn];
}

/* The number of the period that goes on now. */
static uint64_t tickplan_period(const struct pace *pace)
{
	uint64_t now = monotonic_ns();

	return now > pace->start_ns ? (now - pace->start_ns) / pace->period_ns : 0;
}

void tickplan_advance(struct tickplan *p, const struct pace *pace, uint64_t *random)
{
	struct planned *after = tickplan_next(p), *next = &p->next[p->turn ^= 1];
	uint64_t past = tickplan_period(pace), first;
	unsigned budget = tickplan_stride(pace, random);

	after->ticks = idle_factor(p, pace);
	after->withheld = (uint64_t)(budget - 1) * after->ticks;
	first = (next->last > past ? next->last : past) + 1;
	after->last = next->last + (uint64_t)budget * after->ticks;
	after->last = after->last > first ? after->last : first;
	after->stands_for = after->last - first + 1;
	after->due = after->last - next->last;
	after->due_ns = pace->start_ns + first * pace->period_ns +
			roster_random(random) % (after->stands_for * pace->period_ns);
	after->noted = false;
	after->note_ns = p->crowded ? after->due_ns - NOTE_NS - p->note_took_ns : 0;
}

void tickplan_start(struct tickplan *p, const struct pace *pace, uint64_t *random)
{
	p->next[1].last = tickplan_period(pace);
	tickplan_advance(p, pace, random);
	tickplan_advance(p, pace, random);
}

struct planned *tickplan_to_note(struct tickplan *p, uint64_t *ns)
{
	struct planned *found = NULL;

	*ns = UINT64_MAX;
	for (unsigned i = 0; p && i < 2; i++) {
		uint64_t note_ns = p->next[i].note_ns;

		if (!note_ns || note_ns >= *ns)
			continue;
		*ns = note_ns;
		found = &p->next[i];
	}
	return found;
}

/*
 * Takes the records of perf events into slots.
 *
 * Events are read in bulk, at each tick of the round's thread, or at once where a runtime compiles.
 * Other stacks need no haste: the bytes are copied already, and the maps are those that explain
 * them unless the process has executed a program meanwhile; what came before the present address
 * space was met is dropped.
 */
#include "base/clock.h"
#include "base/error.h"
#include "runtimes/interps.h"
#include "sampler/account/budget.h"
#include "sampler/capture/event.h"
#include "sampler/capture/events.h"
#include "sampler/capture/slots.h"
#include "sampler/member/member.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/brief.h"
#include "sampler/tick/lineage.h"
#include "sampler/tick/news.h"
#include "sampler/tick/round.h"

enum { STALE_NS = 100000000 }; /* what a runtime has compiled may not be what it was for so long */

/* What is being collected. */
struct intake {
	struct round *round;
	struct member *member; /* of the record that is read */
	struct member *listed; /* whose threads were listed for it last; or NULL */
};

static bool is_of_interest(void *intake, pid_t pid, bool news)
{
	struct intake *in = intake;

	in->member = recorded_member(&in->round->recorded, pid);
	if (!in->member)
		return news && lineage_has(in->round, pid);
	return news || in->member->by_events;
}

/* A thread that was not listed may be new. (Nothing else is refreshed: a process that ends
 * meanwhile may have samples that are not read yet.) */
static void list_for(struct intake *in)
{
	struct member *m = in->member;

	in->listed = m;
	in->round->plan.changed_ns = in->round->plan.tick_ns;
	roster_lock(&in->round->roster);
	in->round->no_memory |= threads_refresh(m->threads, m->news.begun_ns, NULL) == ERR_NOMEM;
	roster_unlock(&in->round->roster);
}

/* NULL: no memory. */
static struct thread *served_thread(struct intake *in, const struct event *e)
{
	struct thread *thread = threads_find_at(in->member->threads, e->tid, e->time_ns);

	if (!thread && in->listed != in->member) {
		list_for(in);
		thread = threads_find_at(in->member->threads, e->tid, e->time_ns);
	}
	if (thread)
		return thread;
	roster_lock(&in->round->roster);
	thread = brief_thread(&in->round->brief, in->member, e->tid);
	roster_unlock(&in->round->roster);
	return thread;
}

/* A read that was stuck has kept us, or we got no CPU. */
static bool is_stale(const struct member *m, const struct event *e)
{
	return interps_compile(m->interps) && monotonic_ns() > e->time_ns + STALE_NS;
}

static struct slot *free_slot(struct round *r)
{
	struct slot *slot = slots_take(&r->slots);

	if (slot)
		return slot;
	round_unwind_at_leisure(r);
	return slots_take(&r->slots);
}

static uint64_t intake_weight(const struct round *r, const struct event *e)
{
	return r->recorded.counted ? e->count * BUDGET_ONE :
				     e->period_ns * BUDGET_ONE / r->ticking.pace.period_ns;
}

static int intake_fill(struct round *r, struct slot *slot, struct member *m, struct thread *thread,
		       const struct event *e)
{
	if (slot_prepare(slot, &r->ticking.wants, m, thread, THREAD_RUNNING) ||
	    snapshot_of_event(&slot->snapshot, &e->regs, e->stack, e->stack_len, !e->whole_stack) ||
	    buffer_add(&slot->kernel, e->kernel, e->kernel_count * sizeof(*e->kernel)))
		return ERR_NOMEM;
	slot->ticked = slot->taken = slot->by_event = true;
	slot->looked_ns = thread->stops.asked_ns = e->time_ns;
	slot->weight = intake_weight(r, e);
	return 0;
}

/* Of a thread that ends before its next look, these are the last counters. They are read once for
 * all samples that have come. */
static void intake_note_counters(const struct member *m, struct thread *thread,
				 const struct event *e)
{
	struct schedstat now;

	if (e->time_ns <= thread->samples.counted_ns)
		return;
	if (thread->ended || !thread_counters(m->threads, thread, &now)) {
		thread->cpu_ns += !e->count && e->time_ns > thread->alive_ns ? e->period_ns : 0;
		return;
	}
	thread->samples.counted_ns = monotonic_ns();
	if (now.cpu_ns > thread->cpu_ns)
		thread->cpu_ns = now.cpu_ns;
}

static void take_sample(struct intake *in, const struct event *e)
{
	struct round *r = in->round;
	struct member *m = in->member;
	struct thread *thread;
	struct slot *slot;
	bool filled;

	m->is_narrow |= e->kind == EVENT_NARROW && e->time_ns >= m->space_ns;
	if (e->kind == EVENT_NARROW || e->time_ns < r->recorded.start_ns)
		return;
	if (e->time_ns < m->space_ns) { /* it has ended with an exec */
		r->recorded.stats.dropped++;
		return;
	}
	thread = served_thread(in, e);
	if (!thread) {
		r->no_memory = true;
		return;
	}
	intake_note_counters(m, thread, e);
	r->events_weight += intake_weight(r, e);
	slot = is_stale(m, e) ? NULL : free_slot(r);
	if (!slot) {
		r->ticking.figures.unserved++;
		return;
	}
	roster_lock(&r->roster);
	filled = !intake_fill(r, slot, m, thread, e);
	roster_unlock(&r->roster);
	r->no_memory |= !filled;
	slot_set(slot, filled ? SLOT_FULL : SLOT_FREE);
}

static void intake_take_event(struct intake *in, const struct event *e)
{
	if (e->kind == EVENT_SAMPLE || e->kind == EVENT_NARROW) {
		take_sample(in, e);
		return;
	}
	if (e->kind == EVENT_BEGUN && in->member == in->listed)
		in->listed = NULL;
	if (in->member) {
		news_take(in->round, in->member, e);
		brief_take(&in->round->brief, in->member, e);
	}
	if (in->round->recorded.children)
		lineage_take(in->round, e);
}

/* Periods of all CPUs that have passed, in which samples may have come. */
static void count_periods(struct round *r)
{
	struct ticker_figures *f = &r->ticking.figures;
	uint64_t period = r->ticking.pace.period_ns, now = monotonic_ns(),
		 passed = (now - r->events_ns) / period, due = passed * events_cpus(r->events),
		 made = (uint64_t)((double)due / r->plan.budget.stride + 0.5),
		 lost = events_lost(r->events) - r->events_lost;

	r->events_ns += passed * period;
	r->events_lost += lost;
	if (events_are_resting(r->events))
		return;
	if (r->recorded.counted) { /* which comes when it does */
		f->unserved += lost;
		return;
	}
	lost = lost < made ? lost : made; /* news and strangers' samples among them */
	f->unserved += lost;
	f->due += due;
	f->withheld += due - made;
	made -= lost;
	f->ticks += made;
	f->parts += made * BUDGET_ONE;
}

void sources_collect(struct round *r)
{
	struct intake in = { .round = r };
	struct event e;

	lineage_collect(r);
	if (!r->events)
		return;
	r->collecting = true;
	while (events_next(r->events, is_of_interest, &in, &e))
		intake_take_event(&in, &e);
	r->collecting = false;
	count_periods(r);
}

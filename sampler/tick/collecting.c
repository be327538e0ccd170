/* A slot that comes back is read once: its counters go to the thread and the statistics, its stack
 * to the walk, and its lesson (spare this thread for a while) to the next ticks. */
#include "sampler/tick/collecting.h"

#include "base/clock.h"
#include "base/error.h"
#include "sampler/capture/preparing.h"
#include "sampler/capture/roster.h"
#include "sampler/capture/slots.h"
#include "sampler/member/member.h"
#include "sampler/stop/stop.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/threads.h"
#include "sampler/tick/round.h"

static const uint64_t SPARE_FIRST_NS = 100000000, SPARE_MAX_NS = 10 * NS_PER_S;

struct slot *waiting_slot(struct round *r, struct member *m, struct thread *thread,
			  enum thread_state state)
{
	struct slot *slot = slots_take(&r->slots);

	if (slot && !member_place(m, thread) &&
	    !slot_prepare(slot, &r->ticking.wants, m, thread, state)) {
		slot->weight = 0;
		slot->looked_ns = thread->alive_ns;
		slot->waited_from_ns = thread->wait_ns;
		slot->ran_ns = thread->cpu_ns;
		return slot;
	}
	if (slot)
		slot_set(slot, SLOT_FREE);
	r->recorded.stats.late++;
	return NULL;
}

void ask_for_registers(struct round *r, struct member *m, struct thread *thread)
{
	struct slot *slot;

	if (slots_asked(&r->slots, thread->tid))
		return;
	if (held_for_long(r->ticking.pace.pause_share, thread, r->plan.tick_ns)) {
		r->recorded.stats.spared++;
		return;
	}
	slot = waiting_slot(r, m, thread, THREAD_RUNNABLE);
	if (!slot)
		return;
	/* A stop would change its place in the kernel. */
	kernelstack_read(&r->recorded.kernel, &m->process, thread->tid, &slot->kernel);
	thread->stops.asked_ns = r->plan.tick_ns;
	if (tickers_ask(&r->tickers, (unsigned)thread->cpu, slot))
		return;
	slot_set(slot, SLOT_FREE);
	r->recorded.stats.late++;
}

/* Accounts how long the thread was held. That is an estimate. Upper bounds: the time from request
 * to release, less the thread's wait for a CPU, which we did not cause (inexact: part of it may
 * precede the request, and the kernel does not count all of it); and the time for which the ticker
 * was awake. Lower bound: the time since the ticker learnt of the stop. */
static void note_held(struct recorded *r, const struct slot *slot, struct thread *thread)
{
	uint64_t held = slot->stop.held_ns, served = slot->stop.served_ns;

	if (!held)
		return;
	held -= slot->waited_ns < held ? slot->waited_ns : held;
	held = held < slot->stop.stood_ns ? held : slot->stop.stood_ns;
	held = held > served ? held : served;
	thread->stops.held_ns += held;
	if (held > r->stats.held.max)
		r->stats.longest_bytes = slot->taken ? slot->snapshot.stack.memory.len : 0;
	heldtime_add(&r->stats.held, held);
}

static void note_stop(struct recorded *r, const struct slot *slot, struct thread *thread)
{
	struct recording_stats *s = &r->stats;

	note_held(r, slot, thread);
	if (slot->ticked)
		heldtime_add(&s->displaced, slot->search_ns);
	s->cut += slot->stop.cut;
	s->waiting += slot->stop.outcome == STOP_REFUSED;
	s->signalled += slot->stop.outcome == STOP_SIGNALLED;
	s->overdue += slot->stop.outcome == STOP_OVERDUE;
	s->stuck += slot->stop.outcome == STOP_STUCK;
	s->unread += slot->stop.outcome == STOP_UNREAD;
}

/* A stop was refused because the thread has a tracer. It may be ours, of a repaired thread. */
static void note_denied(struct recording_stats *s, struct thread *thread)
{
	struct thread_stops *t = &thread->stops;
	pid_t tracer = t->denied ? s->tracer : process_tracer(thread->tid, s->tracer_name);

	t->denied = tracer != 0;
	s->denied += t->denied;
	if (tracer)
		s->tracer = tracer;
}

/* Has the stop made a call lose its work, held the thread for a read that did not come back, or
 * found a transfer that it may have cut short? (Where the kernel tells the call before, no such one
 * is stopped.) */
static bool was_harmful(const struct member *m, const struct slot *slot)
{
	return slot->stop.work_lost || slot->stop.outcome == STOP_STUCK ||
	       (slot->taken && slot->call_then == CALL_UNKNOWN && call_transfers(&slot->call) &&
		!call_is_never_cut(&slot->call, &m->process));
}

/* Such a stop is not repeated for a while, longer each time. */
static void learn_to_spare(const struct slot *slot, struct thread_stops *t, bool harmful)
{
	if (!harmful) {
		t->spare_ns = slot->taken ? 0 : t->spare_ns;
		return;
	}
	t->spare_ns = t->spare_ns ? t->spare_ns * 2 : SPARE_FIRST_NS;
	if (t->spare_ns > SPARE_MAX_NS)
		t->spare_ns = SPARE_MAX_NS;
	t->was_stuck = slot->stop.outcome == STOP_STUCK;
	t->spare_until_ns = slot->looked_ns + t->spare_ns;
}

/* The call is known, so the sample is that of the call, without a stack. */
static int tick_collecting_count_call(struct recorded *r, const struct slot *slot,
				      struct thread *thread)
{
	static const struct stack none = { .count = 0 };
	struct stack_context context = slot->context;
	uint32_t entry;

	context.syscall = (int32_t)slot->call_then;
	if (stackset_add(&r->stacks, &context, &none, &entry))
		return ERR_NOMEM;
	r->stacks.entries[entry].cpu_weight += slot->weight;
	r->stacks.entries[entry].samples += !r->wall;
	thread->samples.weight += slot->weight;
	thread->samples.count++;
	r->stats.cpu_weight += slot->weight;
	r->stats.samples++;
	return 0;
}

/* It was in a call that a stop may cut short; or it is spared, and no call was looked for. */
static void note_left_alone(struct round *round, const struct slot *slot, struct thread *thread)
{
	struct recorded *r = &round->recorded;
	bool unread = thread->stops.was_stuck && slot->call_then == CALL_UNKNOWN;

	r->stats.transfers += !unread;
	r->stats.unread += unread;
	if (slot->call_then >= 0)
		round->no_memory |= tick_collecting_count_call(r, slot, thread) != 0;
	else
		thread->samples.spared += slot->weight;
}

/* Of a thread that ends before its next look, these are the last counters. */
static void tick_collecting_note_counters(const struct slot *slot, struct thread *thread)
{
	if (slot->cpu_ns > thread->cpu_ns)
		thread->cpu_ns = slot->cpu_ns;
	if (slot->waited_ns != UINT64_MAX &&
	    slot->waited_from_ns + slot->waited_ns > thread->wait_ns)
		thread->wait_ns = slot->waited_from_ns + slot->waited_ns;
}

/* As with a stop, its pause is counted without the search. */
static void note_rest(struct recorded *r, const struct slot *slot, struct thread *thread)
{
	thread->stops.held_ns += slot->rest_ns;
	heldtime_add(&r->stats.displaced, slot->search_ns);
	r->stats.stuck += slot->stop.outcome == STOP_STUCK;
	r->stats.unread += slot->stop.outcome == STOP_UNREAD;
	learn_to_spare(slot, &thread->stops, slot->stop.outcome == STOP_STUCK);
	if (slot->taken)
		tick_collecting_note_counters(slot, thread);
	r->stats.moved += !slot->taken && slot->stop.outcome == STOP_GONE;
}

static void tick_collecting_take_back(struct round *r, struct slot *slot)
{
	struct member *m = r->recorded.members[slot->context.member];
	struct thread *thread = member_thread(m, slot->context.thread);
	bool harmful = !slot->rc && !slot->left_alone && !slot->at_rest && was_harmful(m, slot);

	roster_lock(&r->roster);
	if (slot->left_alone)
		note_left_alone(r, slot, thread);
	else if (slot->at_rest)
		note_rest(&r->recorded, slot, thread);
	else if (slot->rc == ERR_NOTFOUND)
		r->recorded.stats.ran_on++;
	else if (slot->rc == ERR_PERM)
		note_denied(&r->recorded.stats, thread);
	else if (!slot->rc && !slot->glanced) {
		note_stop(&r->recorded, slot, thread);
		learn_to_spare(slot, &thread->stops, harmful);
		tick_collecting_note_counters(slot, thread);
	}
	if (slot->ticked)
		thread->stops.asked_ns = slot->looked_ns;
	if (slot->taken) {
		thread->runtimes.go = slot->snapshot.go.place;
		m->is_narrow |= slot->snapshot.narrow;
	}
	roster_unlock(&r->roster);
	r->slots.unlabelled |= slot->taken;
	slot_set(slot, slot->taken ? SLOT_FULL : SLOT_FREE);
}

int slot_label(struct recorded *r, struct slot *slot)
{
	const struct gothread_goroutine *goroutine = &slot->snapshot.go.goroutine;
	struct member *m = r->members[slot->context.member];
	int rc = 0;

	if (slot->labelled)
		return 0;
	slot->labelled = true;
	slot->context.labels = 0;
	if (r->goid)
		slot->context.goid = goroutine->goid;
	if (!goroutine->labels)
		return 0;
	if (m->labels) {
		m->live.pid = member_thread(m, slot->context.thread)->tid;
		m->labels_seen = true;
		rc = labelling_read(&r->labelling, m, goroutine, slot->moment,
				    &slot->context.labels);
	}
	if (!m->labels)
		r->stats.labels_unknown++;
	else
		r->stats.labels_lost += rc == ERR_FORMAT;
	slot->labelled = rc != ERR_NOMEM;
	return rc == ERR_NOMEM ? rc : 0;
}

static void label_all(struct recorded *r, struct slots *s)
{
	for (unsigned i = 0; s->unlabelled && i < s->count; i++)
		if (slot_state(&s->all[i]) == SLOT_FULL)
			slot_label(r, &s->all[i]);
	s->unlabelled = false;
}

void round_collect(struct round *r)
{
	struct slot *slot;

	while ((slot = slots_first(&r->slots, SLOT_BACK))) {
		r->ticking.back--;
		tick_collecting_take_back(r, slot);
	}
	label_all(&r->recorded, &r->slots);
}

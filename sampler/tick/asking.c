/*
 * Requests threads to stop, and takes over the stacks that were copied of them.
 *
 * The tracing thread (tracing.c) stops and releases the threads. This file decides which threads
 * are requested to stop and which slot each one gets, and accounts how long each was held.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/stop/stop.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/registers.h"
#include "sampler/tick/exposure.h"
#include "sampler/tick/looking.h"
#include "sampler/member/member.h"
#include "sampler/tick/tracing.h"
#include "sampler/tick/transfers.h"

enum {
	STACK_FIRST = 16 << 10, /* bytes copied of a thread that has no sample yet */
	SERVE_NS = 1000000,	/* longest wait for threads that were requested to stop */
	SERVE_PARTS = 4,	/* that wait is at most the tick period divided by this */
	FRESH_NS = 100000,	/* longest time from a look to the request */
};

static const double PAUSE_BURST_NS = 1e6; /* held time that is allowed in addition to pause_share */

struct slot *slot_take(struct round *r, struct member *m, struct thread *thread,
		       enum thread_state state)
{
	struct slot *slot = slots_free(&r->slots);

	if (!slot || snapshot_reserve(&slot->snapshot, bytes_wanted(m, thread) + 256) ||
	    member_prepare_look(m, thread, &slot->snapshot)) {
		r->recorded.stats.late++;
		return NULL;
	}
	slot->snapshot.go.rt = m->has_go ? &m->go : NULL;
	slot->snapshot.go.wants_goid = r->recorded.goid;
	slot->snapshot.place = thread->go;
	slot->busy = true;
	slot->taken = slot->glanced = slot->labelled = slot->asked = false;
	slot->call.number = -1;
	slot->kernel.len = 0;
	slot->other_cpu = thread->cpu != r->looks.tick_cpu;
	slot->weight = thread->weight;
	slot->context = (struct stack_context){ m->index, thread->index, state, .syscall = -1 };
	slot->moment = labelling_moment(m);
	slot->waited_ns = UINT64_MAX; /* until slot_fill sets it */
	slot->looked_ns = thread->alive_ns;
	return slot;
}

size_t bytes_wanted(const struct member *m, const struct thread *thread)
{
	size_t want = thread->stack_want ? thread->stack_want : STACK_FIRST;

	return thread->go.m && m->go_stack_want > want ? m->go_stack_want : want;
}

/* Accounts how long the thread was held. That is an estimate. Upper bounds: the time from request
 * to release, less the thread's wait for a CPU, which we did not cause (inexact: part of it may
 * precede the request, and the kernel does not count all of it); and the time for which the tracing
 * thread was awake. Lower bound: the time since the tracing thread learnt of the stop. */
static void note_held(struct recorded *r, const struct slot *slot)
{
	uint64_t held = slot->stop.held_ns, served = slot->stop.served_ns;

	if (!held)
		return;
	held -= slot->waited_ns < held ? slot->waited_ns : held;
	held = held < slot->stop.stood_ns ? held : slot->stop.stood_ns;
	held = held > served ? held : served;
	member_thread(r->members[slot->context.member], slot->context.thread)->held_ns += held;
	if (held > r->stats.held.max)
		r->stats.longest_bytes = slot->taken ? slot->snapshot.stack.memory.len : 0;
	heldtime_add(&r->stats.held, held);
}

static void note_stop(struct recorded *r, const struct slot *slot)
{
	struct recording_stats *s = &r->stats;

	note_held(r, slot);
	s->cut += slot->stop.cut;
	s->waiting += slot->stop.outcome == STOP_REFUSED;
	s->signalled += slot->stop.outcome == STOP_SIGNALLED;
	s->overdue += slot->stop.outcome == STOP_OVERDUE;
}

/* A stop was refused because the thread has a tracer. It may be ours, of a repaired thread. */
static void note_denied(struct recording_stats *s, struct thread *thread)
{
	pid_t tracer = thread->denied ? s->tracer : process_tracer(thread->tid, s->tracer_name);

	thread->denied = tracer != 0;
	s->denied += thread->denied;
	if (tracer)
		s->tracer = tracer;
}

static void take_back(struct round *r, struct slot *slot)
{
	struct member *m = r->recorded.members[slot->context.member];
	struct thread *thread = member_thread(m, slot->context.thread);

	slot->asked = false;
	if (slot->rc == ERR_BUSY)
		m->executes_at = r->plan.tick_ns;
	if (slot->rc == ERR_PERM)
		note_denied(&r->recorded.stats, thread);
	if (slot->rc) {
		r->recorded.stats.late += slot->rc == ERR_LIMIT && !slot->patient;
	} else {
		note_stop(&r->recorded, slot);
		transfers_learn(m, slot, thread, r->plan.tick_ns);
	}
	if (slot->taken)
		thread->go = slot->snapshot.go.place;
	r->slots.unlabelled |= slot->taken;
	slot->busy = slot->taken;
}

void round_collect(struct round *r)
{
	struct slot *slot;

	while ((slot = tracing_returned(r->slots.tracing)))
		take_back(r, slot);
	slots_label(&r->recorded, &r->slots);
}

void round_collect_until(struct round *r, uint64_t until)
{
	round_collect(r);
	while (tracing_expected(r->slots.tracing) && monotonic_ns() < until) {
		tracing_wait(r->slots.tracing, until, NULL, 0);
		round_collect(r);
	}
}

static bool over_budget(const struct plan *p, const struct thread *thread)
{
	double allowed = p->pause_share * (double)(int64_t)(p->tick_ns - thread->seen_ns);

	return (double)thread->held_ns > allowed + PAUSE_BURST_NS;
}

/* Hands the thread to the tracing thread, unless it is to be spared. ERR_NOMEM. */
static int ask(struct round *r, struct member *m, struct thread *thread, enum thread_state state)
{
	struct slot *slot;
	bool spared = false;

	if (m->executes_at == r->plan.tick_ns || slots_asked(&r->slots, thread->tid))
		return 0;
	if (over_budget(&r->plan, thread)) {
		r->recorded.stats.spared++;
		return 0;
	}
	if (state == THREAD_RUNNING && transfers_spare(r, m, thread, &spared))
		return ERR_NOMEM;
	if (!spared && is_exposed(m, thread, r->plan.tick_ns)) {
		spared = true;
		r->recorded.stats.exposed++;
	}
	if (spared || !(slot = slot_take(r, m, thread, state)))
		return 0;
	if (thread->newest.must_stop) /* a stop would change its place in the kernel */
		kernelstack_read(&r->recorded.kernel, &m->process, thread->tid, &slot->kernel);
	thread->asked_ns = r->plan.tick_ns;
	slot->about = *thread;
	slot->process = &m->process;
	slot->threads = m->threads;
	slot->want = bytes_wanted(m, thread);
	slot->wall = r->recorded.wall;
	slot->patient = state != THREAD_RUNNING || r->looks.asked >= r->looks.cpus;
	slot->rc = 0;
	slot->asked = !tracing_ask(r->slots.tracing, slot);
	slot->busy = slot->asked;
	r->looks.asked += slot->asked;
	return 0;
}

void ask_candidates(struct round *r)
{
	uint64_t serve = NS_PER_S / r->recorded.rate / SERVE_PARTS;
	struct looks *l = &r->looks;

	if (!l->candidate_count)
		return;
	for (unsigned i = 0; i < l->candidate_count; i++) {
		const struct candidate *c = &l->candidates[i];

		if (ask(r, c->member, member_thread(c->member, c->thread), c->state))
			r->no_memory = true;
	}
	l->candidate_count = 0;
	round_collect_until(r, monotonic_ns() + (serve < SERVE_NS ? serve : SERVE_NS));
}

void want_to_ask(struct round *r, struct member *m, const struct thread *thread,
		 enum thread_state state)
{
	struct looks *l = &r->looks;

	if (!l->candidate_count)
		l->candidates_ns = monotonic_ns();
	l->candidates[l->candidate_count++] = (struct candidate){ m, thread->index, state };
	if (l->candidate_count == CANDIDATES)
		ask_candidates(r);
}

void ask_old_candidates(struct round *r)
{
	if (r->looks.candidate_count && monotonic_ns() - r->looks.candidates_ns > FRESH_NS)
		ask_candidates(r);
}

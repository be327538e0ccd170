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
#include "sampler/tick/member.h"
#include "sampler/tick/tracing.h"
#include "sampler/tick/transfers.h"

enum {
	STACK_FIRST = 16 << 10, /* bytes copied of a thread that has no sample yet */
	SERVE_NS = 1000000,	/* longest wait for threads that were requested to stop */
	SERVE_PARTS = 4,	/* that wait is at most the tick period divided by this */
	FRESH_NS = 100000,	/* longest time from a look to the request */
};

static const double PAUSE_BURST_NS = 1e6; /* held time that is allowed in addition to pause_share */

struct slot *slot_free(struct round *r)
{
	for (int i = 0; i < SLOTS; i++)
		if (!r->slots[i].busy)
			return &r->slots[i];
	return NULL;
}

struct slot *slot_take(struct round *r, const struct member *m, const struct thread *thread,
		       enum thread_state state)
{
	struct slot *slot = slot_free(r);

	if (!slot || snapshot_reserve(&slot->snapshot, bytes_wanted(m, thread) + 256)) {
		r->stats.late++;
		return NULL;
	}
	slot->snapshot.go.rt = m->has_go ? &m->go : NULL;
	slot->snapshot.go.wants_goid = r->goid;
	slot->snapshot.place = thread->go;
	slot->busy = true;
	slot->taken = slot->glanced = slot->labelled = slot->asked = slot->in_transfer = false;
	slot->kernel.len = 0;
	slot->other_cpu = thread->cpu != r->tick_cpu;
	slot->weight = r->weight;
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

/* Called while the thread is held, so it only copies. A thread that was on another CPU than ours
 * and has waited for a CPU since its look was not running at the look. */
bool slot_fill(void *owner, void *cookie, pid_t tid, const struct registers *regs)
{
	struct slot *slot = cookie;
	const struct thread *about = &slot->about;
	struct schedstat now;

	(void)owner;
	if (!thread_counters(slot->threads, about, &now))
		return false;
	slot->waited_ns = now.wait_ns - about->wait_ns;
	slot->slices = now.slices;
	registers_call(regs, &slot->call);
	slot->in_transfer = call_transfers(&slot->call);
	if (registers_cut_a_wait(regs)) {
		slot->context.state = THREAD_BLOCKED;
		slot->context.syscall = (int32_t)slot->call.number;
	} else if (slot->other_cpu && slot->waited_ns) {
		slot->context.state = THREAD_RUNNABLE;
	}
	if (slot->context.state == THREAD_RUNNABLE ||
	    (slot->context.state == THREAD_BLOCKED && !slot->wall))
		return false;
	snapshot_take(&slot->snapshot, tid, regs, slot->want, about->stack_top);
	slot->taken = true;
	return true;
}

/* Accounts how long the thread was held. That is an estimate. Upper bounds: the time from request
 * to release, less the thread's wait for a CPU, which we did not cause (inexact: part of it may
 * precede the request, and the kernel does not count all of it); and the time for which the tracing
 * thread was awake. Lower bound: the time since the tracing thread learnt of the stop. */
static void note_held(struct round *r, const struct slot *slot)
{
	uint64_t held = slot->stop.held_ns, served = slot->stop.served_ns;

	if (!held)
		return;
	held -= slot->waited_ns < held ? slot->waited_ns : held;
	held = held < slot->stop.stood_ns ? held : slot->stop.stood_ns;
	held = held > served ? held : served;
	member_thread(r->members[slot->context.member], slot->context.thread)->held_ns += held;
	heldtime_add(&r->stats.held, held);
}

static void note_stop(struct round *r, const struct slot *slot)
{
	struct recording_stats *s = &r->stats;

	pthread_mutex_lock(&r->lock);
	note_held(r, slot);
	s->cut += slot->stop.cut;
	s->waiting += slot->stop.outcome == STOP_REFUSED;
	s->signalled += slot->stop.outcome == STOP_SIGNALLED;
	s->overdue += slot->stop.outcome == STOP_OVERDUE;
	pthread_mutex_unlock(&r->lock);
}

static void take_back(struct round *r, struct slot *slot)
{
	struct member *m = r->members[slot->context.member];
	struct thread *thread = member_thread(m, slot->context.thread);

	slot->asked = false;
	if (slot->rc == ERR_BUSY)
		m->executes_at = r->tick_ns;
	if (slot->rc) {
		r->stats.late += slot->rc == ERR_LIMIT && !slot->patient;
	} else {
		note_stop(r, slot);
		transfers_learn(r, slot, thread);
	}
	if (slot->taken)
		thread->go = slot->snapshot.go.place;
	r->unlabelled |= slot->taken;
	slot->busy = slot->taken;
}

void round_collect(struct round *r)
{
	struct slot *slot;

	while ((slot = tracing_returned(r->tracing)))
		take_back(r, slot);
	labelling_of_slots(r);
}

void round_collect_until(struct round *r, uint64_t until)
{
	round_collect(r);
	while (tracing_expected(r->tracing) && monotonic_ns() < until) {
		tracing_wait(r->tracing, until, NULL, 0);
		round_collect(r);
	}
}

bool round_has_asked(const struct round *r, pid_t tid)
{
	for (int i = 0; i < SLOTS; i++)
		if (r->slots[i].asked && r->slots[i].about.tid == tid)
			return true;
	return false;
}

static bool over_budget(struct round *r, const struct thread *thread)
{
	double allowed = r->pause_share * (double)(int64_t)(r->tick_ns - thread->seen_ns);

	if ((double)thread->held_ns <= allowed + PAUSE_BURST_NS)
		return false;
	r->stats.spared++;
	return true;
}

/* Hands the thread to the tracing thread, unless it is to be spared. ERR_NOMEM. */
static int ask(struct round *r, struct member *m, struct thread *thread, enum thread_state state)
{
	struct slot *slot;
	bool spared = false;

	if (m->executes_at == r->tick_ns || round_has_asked(r, thread->tid) ||
	    over_budget(r, thread))
		return 0;
	if (state == THREAD_RUNNING && transfers_spare(r, m, thread, &spared))
		return ERR_NOMEM;
	if (!spared && is_exposed(r, m, thread)) {
		spared = true;
		r->stats.exposed++;
	}
	if (spared || !(slot = slot_take(r, m, thread, state)))
		return 0;
	if (thread->must_stop) /* a stop would change its place in the kernel */
		kernelstack_read(&r->kernel, &m->process, thread->tid, &slot->kernel);
	thread->asked_ns = r->tick_ns;
	slot->about = *thread;
	slot->process = &m->process;
	slot->threads = m->threads;
	slot->want = bytes_wanted(m, thread);
	slot->wall = r->wall;
	slot->patient = state != THREAD_RUNNING || r->asked >= r->cpus;
	slot->rc = 0;
	slot->asked = !tracing_ask(r->tracing, slot);
	slot->busy = slot->asked;
	r->asked += slot->asked;
	return 0;
}

void ask_candidates(struct round *r)
{
	uint64_t serve = NS_PER_S / r->rate / SERVE_PARTS;

	if (!r->candidate_count)
		return;
	for (unsigned i = 0; i < r->candidate_count; i++) {
		const struct candidate *c = &r->candidates[i];

		if (ask(r, c->member, member_thread(c->member, c->thread), c->state))
			r->no_memory = true;
	}
	r->candidate_count = 0;
	round_collect_until(r, monotonic_ns() + (serve < SERVE_NS ? serve : SERVE_NS));
}

void want_to_ask(struct round *r, struct member *m, const struct thread *thread,
		 enum thread_state state)
{
	if (!r->candidate_count)
		r->candidates_ns = monotonic_ns();
	r->candidates[r->candidate_count++] = (struct candidate){ m, thread->index, state };
	if (r->candidate_count == CANDIDATES)
		ask_candidates(r);
}

void ask_old_candidates(struct round *r)
{
	if (r->candidate_count && monotonic_ns() - r->candidates_ns > FRESH_NS)
		ask_candidates(r);
}

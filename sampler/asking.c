/*
 * Asking threads to stop, and taking their stacks when they do.
 *
 * The tracer (stop.c) knows how a thread is stopped and let go; here is for whom, into
 * which slot, and what it has cost the thread.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sampler/clock.h"
#include "sampler/looking.h"
#include "sampler/member.h"
#include "sampler/registers.h"
#include "sampler/stop.h"

enum {
	STACK_FIRST = 16 << 10, /* bytes copied of a thread never seen */
	SERVE_NS = 1000000,	/* how long somebody is waited for to make room */
};

static const double PAUSE_BURST_NS = 1e6; /* so much may always be held */

static struct thread *thread_of(const struct round *r, const struct slot *slot)
{
	return member_thread(r->members[slot->context.member], slot->context.thread);
}

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
	slot->taken = slot->glanced = slot->labelled = false;
	slot->kernel.len = 0;
	slot->other_cpu = thread->cpu != r->tick_cpu;
	slot->context = (struct stack_context){ m->index, thread->index, state, .syscall = -1 };
	slot->moment = labelling_moment(m);
	slot->waited_ns = UINT64_MAX; /* until round_take finds out */
	slot->looked_ns = thread->alive_ns;
	return slot;
}

size_t bytes_wanted(const struct member *m, const struct thread *thread)
{
	size_t want = thread->stack_want ? thread->stack_want : STACK_FIRST;

	return thread->go.m && m->go_stack_want > want ? m->go_stack_want : want;
}

/* The thread is held: copy and get out. One that was on another CPU and has had to
 * wait for it since the look was not running at the look. */
bool round_take(void *round, void *cookie, pid_t tid, const struct registers *regs)
{
	struct round *r = round;
	struct slot *slot = cookie;
	const struct member *m = r->members[slot->context.member];
	struct thread *thread = thread_of(r, slot);
	struct schedstat now;

	if (!thread_counters(m->threads, thread, &now))
		return false;
	slot->waited_ns = now.wait_ns - thread->wait_ns;
	slot->slices = now.slices;
	if (registers_cut_a_wait(regs)) {
		registers_call(regs, &slot->call);
		slot->context.state = THREAD_BLOCKED;
		slot->context.syscall = (int32_t)slot->call.number;
	} else if (slot->other_cpu && slot->waited_ns) {
		slot->context.state = THREAD_RUNNABLE;
	}
	if (slot->context.state == THREAD_RUNNABLE ||
	    (slot->context.state == THREAD_BLOCKED && !r->wall))
		return false;
	snapshot_take(&slot->snapshot, tid, regs, bytes_wanted(m, thread), thread->stack_top);
	thread->go = slot->snapshot.go.place;
	slot->taken = r->unlabelled = true;
	return true;
}

/* A thread was held from asking to letting go at most, less what it waited for a CPU,
 * which is not our doing (some of it may have been before we asked), and since we
 * learnt of the stop at least. */
static void note_held(struct round *r, const struct stop *stop)
{
	const struct slot *slot = stop->cookie;
	uint64_t held = stop->held_ns;

	if (!held || !slot)
		return;
	held -= slot->waited_ns < held ? slot->waited_ns : held;
	held = held > stop->served_ns ? held : stop->served_ns;
	thread_of(r, slot)->held_ns += held;
	heldtime_add(&r->stats.held, held);
}

static void note_stop(struct round *r, const struct stop *stop)
{
	struct slot *slot = stop->cookie;
	struct recording_stats *s = &r->stats;

	pthread_mutex_lock(&r->lock);
	note_held(r, stop);
	s->waiting += stop->outcome == STOP_REFUSED;
	s->signalled += stop->outcome == STOP_SIGNALLED;
	s->overdue += stop->outcome == STOP_OVERDUE;
	pthread_mutex_unlock(&r->lock);
	if (stop->outcome == STOP_GONE && stop->tid == r->members[0]->process.pid) {
		r->child_status = stop->exit_status;
		r->child_reaped = true;
	}
	if (slot && !slot->taken)
		slot->busy = false;
}

void round_serve_until(struct round *r, uint64_t until)
{
	struct stop stop;
	uint64_t now;

	while (tracer_recent(r->tracer, now = monotonic_ns()) && now < until)
		if (tracer_next(r->tracer, until, &stop))
			note_stop(r, &stop);
	labelling_of_slots(r);
}

void round_serve_next(struct round *r, uint64_t until)
{
	struct stop stop;

	if (tracer_next(r->tracer, until, &stop))
		note_stop(r, &stop);
	labelling_of_slots(r);
}

void round_serve(struct round *r)
{
	struct stop stop;

	while (tracer_outstanding(r->tracer) && tracer_poll(r->tracer, &stop))
		note_stop(r, &stop);
	labelling_of_slots(r);
}

static bool over_budget(struct round *r, const struct thread *thread)
{
	double allowed = r->pause_share * (double)(int64_t)(r->tick_ns - thread->seen_ns);

	if ((double)thread->held_ns <= allowed + PAUSE_BURST_NS)
		return false;
	r->stats.spared++;
	return true;
}

/* When enough are out, somebody is served first. */
void round_ask(struct round *r, const struct member *m, struct thread *thread,
	       enum thread_state state)
{
	enum stop_when when = thread->cpu != r->tick_cpu ? STOP_ELSEWHERE : STOP_HERE;
	struct slot *slot;
	int rc;

	if (over_budget(r, thread) || !(slot = slot_take(r, m, thread, state)))
		return;
	if (state != THREAD_RUNNING || r->asked >= r->cpus)
		when = STOP_LATER;
	if (thread->must_stop) /* once it has stopped it stands elsewhere */
		kernelstack_read(&r->kernel, m, thread->tid, &slot->kernel);
	rc = tracer_ask(r->tracer, thread->tid, slot, when);
	if (rc == ERR_LIMIT && when != STOP_LATER) {
		round_serve_next(r, monotonic_ns() + SERVE_NS);
		rc = tracer_ask(r->tracer, thread->tid, slot, when);
	}
	r->asked += !rc;
	if (rc) {
		slot->busy = false;
		r->stats.late += rc == ERR_LIMIT && when != STOP_LATER;
	}
}

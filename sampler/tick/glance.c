/*
 * With wall time, threads that wait in the kernel are read without being stopped.
 *
 * A glance: the kernel reports pc and sp of a waiting thread (/proc/…/syscall), and its stack can
 * be read at any time. If the number of times that the thread was put on a CPU is the same before
 * and after, it has not run in between. Most code can be unwound from pc and sp alone. Where a rule
 * needs another register, the thread is stopped, once in each wait, if its call can bear a stop
 * (interruptible.c); a call that the stop has cut short is repaired (tracee.c). A thread in state D
 * cannot stop and is never requested to: its sample is what the glance gave.
 *
 * A thread that has not run since its last sample has the same stack, and is not even glanced at.
 */
#include <string.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/room.h"
#include "sampler/member/labelling.h"
#include "sampler/member/member.h"
#include "sampler/atrest/atrest.h"
#include "sampler/awaited/waitset.h"
#include "sampler/stop/reader.h"
#include "sampler/thread/interruptible.h"
#include "sampler/tick/collecting.h"
#include "sampler/tick/round.h"
#include "sampler/tick/waiting.h"
#include "sampler/tick/walltime.h"

enum {
	RECENT_PERIODS = 2, /* age limit of a wait that has just begun; periods vary by a
				 * half */
	OWN_SLICES = 5,	    /* a stop of ours puts the thread on a CPU at most so often */
};

/* Notes that the stack of a waiting thread is to be read at the end of the look. ERR_NOMEM. */
static int want_glance(struct looks *l, const struct member *m, const struct thread *thread)
{
	if (room_for((void **)&l->to_glance, &l->glance_room, l->glance_count + 1,
		     sizeof(*l->to_glance)))
		return ERR_NOMEM;
	l->to_glance[l->glance_count++] = (struct stack_context){ .member = m->index,
								  .thread = thread->index };
	return 0;
}

/* True if the thread is still in the call in which we stopped it last. That stop has put it on a
 * CPU, too, and may have made the kernel restart its wait under another number. */
static bool in_same_call(const struct member *m, struct thread *thread)
{
	const struct call *then = &thread->newest.call;
	uint64_t stopped = thread->newest.stopped_slices;
	struct call now;

	return stopped && thread->slices - stopped <= OWN_SLICES &&
	       thread_read_call(m->threads, thread, &now) && now.sp == then->sp &&
	       now.pc == then->pc && !memcmp(now.args, then->args, sizeof(now.args)) &&
	       (now.number == then->number || now.number == SYS_restart_syscall);
}

/* A wait with a timeout that would begin anew must have begun only just now. */
bool round_may_interrupt(const struct round *r, const struct member *m, const struct thread *thread,
			 const struct call *call)
{
	uint64_t recent = RECENT_PERIODS * NS_PER_S / r->recorded.rate;

	switch (wait_kind(call, &m->process)) {
	case WAIT_BEARS:
		return true;
	case WAIT_BEGINS_ANEW:
		return thread->wall.waits_from &&
		       r->plan.tick_ns < thread->wall.waits_from + recent;
	default:
		return false;
	}
}

/* Tested anew, since the thread may wait in another call by now, or for too long. */
static bool may_still_interrupt(const struct round *r, const struct member *m,
				struct thread *thread)
{
	struct call now;

	return thread_read_call(m->threads, thread, &now) &&
	       round_may_interrupt(r, m, thread, &now);
}

int look_at_waiting(struct round *r, struct member *m, struct thread *thread, bool moved)
{
	if (thread->state == 't' && slots_asked(&r->slots, thread->tid))
		return 0; /* stopped by us: that stop is about to be served */
	if (moved && thread->newest.fresh)
		thread->newest.fresh = in_same_call(m, thread);
	if (thread->newest.fresh) {
		if (r->recorded.wall && waiting_look_again(&r->recorded, m, thread))
			return ERR_NOMEM;
		walltime_account(&r->recorded, thread, thread->alive_ns);
		return 0;
	}
	if (moved)
		thread->newest.must_stop = false;
	if (thread->newest.must_stop && may_still_interrupt(r, m, thread)) {
		ask_for_registers(r, m, thread);
		return 0;
	}
	if (thread->newest.stack == NO_STACK) {
		if (!r->looks.first_glances)
			return 0;
		r->looks.first_glances--;
	}
	return want_glance(&r->looks, m, thread);
}

/* False: it ran meanwhile. */
static bool read_waiting(struct round *r, struct member *m, struct thread *thread,
			 struct slot *slot)
{
	struct schedstat before;
	struct atrest_thread rest;

	if (!thread_counters(m->threads, thread, &before) ||
	    !thread_read_call(m->threads, thread, &slot->call))
		return false;
	slot->moment = labelling_moment(m);
	if (atrest_is_open(&r->ticking.atrest) &&
	    atrest_read(&r->ticking.atrest, 0, thread->tid, &rest))
		snapshot_take(&slot->snapshot, thread->tid, &rest.regs, slot->want,
			      thread->copies.top);
	else
		snapshot_glance(&slot->snapshot, thread->tid, &slot->call, slot->want,
				thread->copies.top);
	kernelstack_read(&r->recorded.kernel, &m->process, thread->tid, &slot->kernel);
	if (r->recorded.wall)
		r->no_memory |= waiting_look(&r->recorded, m, thread, &slot->call,
					     &slot->context.lock) != 0;
	if (!slot->context.lock)
		r->no_memory |= waitset_look(&r->recorded.waits, &m->process, thread->tid,
					     thread->state, &slot->call,
					     &slot->context.awaited) != 0;
	slot_label(&r->recorded, slot); /* if there is no memory, the walk will say so */
	if (!thread_rests_since(m->threads, thread, before.slices))
		return false;
	if (thread->state == 'T' || thread->state == 't')
		slot->context.state = THREAD_STOPPED;
	else
		slot->context.syscall = (int32_t)slot->call.number;
	thread->slices = slot->slices = before.slices;
	return true;
}

static void glance_glance(struct round *r, struct member *m, struct thread *thread)
{
	struct slot *slot;

	reader_reads(r->reader, m);
	if (m->has_go && !thread->runtimes.go.m) {
		roster_lock(&r->roster);
		member_find_threads(m, thread);
		roster_unlock(&r->roster);
	}
	slot = waiting_slot(r, m, thread, THREAD_BLOCKED);
	if (!slot)
		return;
	slot->taken = slot->glanced = read_waiting(r, m, thread, slot);
	slot_set(slot, slot->taken ? SLOT_FULL : SLOT_FREE);
}

/* Threads whose walks lack registers are requested to stop at once: the younger a wait is, the less
 * time is lost if it must begin anew. */
static void ask_those_that_lack(struct round *r)
{
	for (size_t i = 0; i < r->looks.glance_count; i++) {
		const struct stack_context *c = &r->looks.to_glance[i];
		struct member *m = r->recorded.members[c->member];
		struct thread *thread = member_thread(m, c->thread);

		if (thread->newest.must_stop && may_still_interrupt(r, m, thread))
			ask_for_registers(r, m, thread);
	}
}

int glance_all(struct round *r)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->looks.glance_count && !round_is_over(&r->recorded); i++) {
		const struct stack_context *c = &r->looks.to_glance[i];
		struct member *m = r->recorded.members[c->member];

		if (round_is_full(r))
			rc = round_unwind(r);
		if (!rc)
			glance_glance(r, m, member_thread(m, c->thread));
		round_collect(r);
	}
	if (!rc && r->looks.glance_count) {
		round_unwind_at_leisure(r);
		ask_those_that_lack(r);
	}
	return rc;
}

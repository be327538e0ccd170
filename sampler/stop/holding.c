/*
 * Gathering takes passes. Each pass lists the threads and looks at all that are not stopped. A
 * waiting thread is requested to stop at once, or watched. Running threads are requested last,
 * because the target misses only these. Then the pass waits until all requested threads have
 * stopped. In a pass that requested none, all threads are stopped or wait at one moment: a watched
 * thread that is awake at its look is requested to stop, and one that wakes or ends afterwards is
 * detected by its counter (holding_moved). A pass in which a listed thread has ended is not the
 * last one: a new thread, which is not in the list, may make up the number (threads_all_listed).
 *
 * Unlike in stop.c, a thread is not released as soon as it was seen, so any number of threads can
 * be in their stops. Therefore each wait is for one thread by its number: tracee_event does not
 * consume a stop, so a wait for any thread would report the same stop for ever. A thread that stops
 * for a signal stays in that stop, and the kernel keeps the signal, until the thread is released
 * with it.
 */
#include "sampler/stop/holding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "sampler/child/watchdog.h"
#include "runtimes/go/stacks/goroutines.h"
#include "sampler/stop/tracee.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/threads.h"
#include "sampler/thread/interruptible.h"

enum {
	REFUSED_NS = 5000000,	 /* a tracer that has just ended may still count as one */
	OVERDUE_NS = 1000000000, /* for threads that the kernel keeps from stopping */
	NAP_NS = 20000,
};

static void holding_nap(void)
{
	struct timespec moment = { 0, NAP_NS };

	nanosleep(&moment, NULL); /* a yield would give the CPU to no thread of lower priority */
}

/* Makes entries for all threads there are. ERR_NOMEM. */
static int holding_make_room(struct holding *h)
{
	struct held *more;
	size_t count;
	struct thread *threads = threads_get(h->threads, &count);

	if (count > h->room) {
		more = realloc(h->held, count * sizeof(*more));
		if (!more)
			return ERR_NOMEM;
		memset(more + h->room, 0, (count - h->room) * sizeof(*more));
		h->held = more;
	}
	for (; h->room < count; h->room++)
		h->held[h->room].own_tid = h->same_namespace ?
						   threads[h->room].tid :
						   process_own_tid(h->process,
								   threads[h->room].tid);
	return 0;
}

int holding_init(struct holding *h, const struct process *process, struct error *err)
{
	int rc;

	*h = (struct holding){ .process = process };
	h->same_namespace = process_shares_numbers(process);
	rc = threads_new(&h->threads, process, true, err);
	if (!rc && holding_make_room(h))
		rc = error_nomem(err);
	return rc;
}

void holding_release(struct holding *h)
{
	threads_free(h->threads);
	free(h->held);
}

/* Looking. */

enum decision { IS_GONE, WATCH, ASK, ASK_LAST };

/* True for a call that only another thread of the process, or a signal, will end. */
static bool waits_for_its_own(const struct call *call)
{
	enum { FUTEX_WAIT = 0, FUTEX_WAIT_BITSET = 9, COMMAND = 127 };
	uint64_t command = call->args[1] & COMMAND;

	return call->number == SYS_futex && !call->args[3] &&
	       (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

static enum decision holding_decide(struct holding *h, struct thread *thread, struct call *call)
{
	enum look look = thread_look(h->threads, thread);

	if (look == LOOK_ENDED || strchr("ZX", thread->state))
		return IS_GONE;
	if (look == LOOK_DYING)
		return WATCH;
	if (!thread_read_call(h->threads, thread, call))
		return ASK_LAST;
	if (strchr("DTt", thread->state) || waits_for_its_own(call))
		return WATCH;
	return wait_kind(call, h->process) == WAIT_BEARS ? ASK : WATCH;
}

static void holding_watch(struct held *held, const struct thread *thread, const struct call *call)
{
	held->state = HELD_WATCHED;
	held->slices = thread->slices;
	held->pc = call->pc;
	held->sp = call->sp;
}

/* Asking. */

/* The thread could not be traced. 0: that may change soon; ERR_PERM: it has lasted too long. */
static int holding_refused(struct holding *h, pid_t tid)
{
	uint64_t now = monotonic_ns();

	h->refused = tid;
	if (!h->refused_ns)
		h->refused_ns = now;
	holding_nap();
	return now - h->refused_ns > REFUSED_NS ? ERR_PERM : 0;
}

static bool holding_stands(const struct held *held)
{
	return held->state == HELD_TRACED && held->tracee.state == TRACEE_STOPPED;
}

/* A thread that is on the way to its end has no place in user space any more. */
static bool has_place(const struct held *held)
{
	return holding_stands(held) || (held->state == HELD_WATCHED && held->pc);
}

static bool is_asked(const struct held *held)
{
	return held->state == HELD_TRACED && held->tracee.state == TRACEE_ASKED;
}

static int holding_ask(struct holding *h, struct held *held, pid_t tid)
{
	int rc;

	if (!h->begun_ns)
		h->begun_ns = monotonic_ns();
	watchdog_held(h->watchdog, 0);
	held->tracee = (struct tracee){ .tid = tid, .process = h->process };
	rc = tracee_ask(&held->tracee, NULL);
	if (held->tracee.state != TRACEE_NONE)
		held->state = HELD_TRACED;
	return rc == ERR_PERM ? holding_refused(h, tid) : rc == ERR_BUSY ? rc : 0;
}

/* The looks of one pass. *again is set if it was not the last pass. */
static int holding_look_at(struct holding *h, bool running, bool *again)
{
	size_t count;
	struct thread *threads = threads_get(h->threads, &count);
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		struct held *held = &h->held[i];
		struct call call = { 0 };
		enum decision decision;

		if (held->state > HELD_WATCHED || (running && held->state == HELD_WATCHED))
			continue;
		decision = holding_decide(h, &threads[i], &call);
		held->state = HELD_UNSEEN;
		if (decision == IS_GONE)
			held->state = HELD_GONE;
		else if (decision == WATCH)
			holding_watch(held, &threads[i], &call);
		else if (decision == ASK || running)
			rc = holding_ask(h, held, threads[i].tid);
		*again |= held->state == HELD_UNSEEN || held->state == HELD_GONE || is_asked(held);
	}
	return rc;
}

/* Waiting. */

/* Handles what has happened to a thread that was requested to stop: it has stopped, or is gone.
 * False: nothing has happened yet. */
static bool serve_asked(struct holding *h, struct held *held, int flags)
{
	int status = 0;
	pid_t got = tracee_event(P_PID, held->tracee.tid, flags, &status);

	watchdog_held(h->watchdog, 0);
	if (got < 0 && errno == ECHILD) {
		held->state = HELD_GONE; /* it executed a program and has its leader's number now */
		return true;
	}
	if (got <= 0)
		return false;
	if (WIFSTOPPED(status))
		tracee_note_stop(&held->tracee, status);
	if (!WIFSTOPPED(status) || !held->tracee.readable) {
		held->state = HELD_GONE;
		return true;
	}
	held->pc = registers_pc(&held->tracee.regs);
	held->sp = registers_sp(&held->tracee.regs);
	return true;
}

static int wait_for_asked(struct holding *h, uint64_t until)
{
	for (size_t i = 0; i < h->room; i++)
		while (is_asked(&h->held[i]) && !serve_asked(h, &h->held[i], 0))
			if (monotonic_ns() > until)
				return ERR_LIMIT;
	return 0;
}

static int holding_pass(struct holding *h, uint64_t until, bool *again, struct error *err)
{
	int rc = threads_list(h->threads, err);

	if (rc)
		return rc;
	*again = false;
	rc = holding_make_room(h);
	rc = rc ? rc : holding_look_at(h, false, again);
	rc = rc ? rc : holding_look_at(h, true, again);
	rc = rc ? rc : wait_for_asked(h, until);
	*again |= !threads_all_listed(h->threads);
	rc = rc || monotonic_ns() < until ? rc : ERR_LIMIT;
	if (rc == ERR_LIMIT)
		return error_set(err, rc, "its threads have not all stopped in time");
	if (rc == ERR_BUSY)
		return error_set(err, rc, "it executes another program");
	if (rc == ERR_PERM)
		return process_diagnose(h->refused, err);
	return rc ? error_nomem(err) : 0;
}

int holding_gather(struct holding *h, uint64_t until, struct error *err)
{
	bool again = true;
	int rc = 0;

	waker_set(&h->waker, true);
	while (!rc && again)
		rc = holding_pass(h, until, &again, err);
	waker_set(&h->waker, false);
	return rc;
}

/* Results. */

size_t holding_count(const struct holding *h, size_t *stopped)
{
	size_t count = 0;

	*stopped = 0;
	for (size_t i = 0; i < h->room; i++) {
		*stopped += holding_stands(&h->held[i]);
		count += has_place(&h->held[i]);
	}
	return count;
}

void holding_list(const struct holding *h, struct go_held *out)
{
	for (size_t i = 0; i < h->room; i++) {
		const struct held *held = &h->held[i];

		if (has_place(held))
			*out++ = (struct go_held){ .thread = (uint64_t)held->own_tid,
						   .pc = held->pc,
						   .sp = held->sp };
	}
}

size_t holding_moved(struct holding *h)
{
	size_t count, moved = 0;
	struct thread *threads = threads_get(h->threads, &count);
	struct schedstat now;

	for (size_t i = 0; i < count; i++)
		moved += h->held[i].state == HELD_WATCHED &&
			 (!thread_counters(h->threads, &threads[i], &now) ||
			  now.slices != h->held[i].slices);
	return moved;
}

/* Releasing. */

static void let_go(struct held *held)
{
	enum tracee_way way = tracee_decide(&held->tracee);

	tracee_go(&held->tracee, way);
	if (way == TRACEE_DETACHES)
		held->state = HELD_GONE;
}

/* The next stop of a repaired thread, or its end. */
static void serve_repaired(struct held *held, int status)
{
	if (WIFSTOPPED(status))
		tracee_note_stop(&held->tracee, status);
	if (WIFSTOPPED(status) && held->tracee.readable)
		let_go(held);
	else
		held->state = HELD_GONE;
}

/* Waits until each repaired thread has entered its call again. A thread that has not stopped yet is
 * waited for and released, too. */
static void see_off(struct holding *h)
{
	uint64_t until = monotonic_ns() + OVERDUE_NS;

	for (size_t i = 0; i < h->room && monotonic_ns() < until; i++) {
		struct held *held = &h->held[i];
		pid_t got;
		int status;

		while (is_asked(held) && monotonic_ns() < until)
			if (serve_asked(h, held, 0) && holding_stands(held))
				let_go(held);
		while (held->state == HELD_TRACED && held->tracee.state == TRACEE_REENTERING &&
		       monotonic_ns() < until) {
			got = tracee_event(P_PID, held->tracee.tid, 0, &status);
			watchdog_held(h->watchdog, 0);
			if (got > 0)
				serve_repaired(held, status);
			else if (got < 0 && errno == ECHILD)
				held->state = HELD_GONE;
		}
	}
}

/* True if no parked thread has stopped, or is about to. */
static bool holding_have_all_settled(struct holding *h, unsigned looks)
{
	bool settled = true;

	for (size_t i = 0; i < h->room; i++) {
		struct held *held = &h->held[i];
		int status;

		if (held->state != HELD_TRACED || held->tracee.state != TRACEE_PARKED)
			continue;
		settled &= thread_has_settled(held->tracee.tid, looks);
		if (tracee_event(P_PID, held->tracee.tid, WNOHANG, &status) > 0) {
			serve_repaired(held, status);
			settled = false;
		}
	}
	return settled;
}

void holding_let_go(struct holding *h)
{
	uint64_t until;

	for (size_t i = 0; i < h->room; i++)
		if (holding_stands(&h->held[i]))
			let_go(&h->held[i]);
	h->ended_ns = monotonic_ns();
	waker_set(&h->waker, true);
	see_off(h);
	until = monotonic_ns() + THREAD_SETTLES_NS;
	/* See stop_settle() in stop.c. */
	for (unsigned looks = 0; !holding_have_all_settled(h, looks) && monotonic_ns() < until;
	     looks++) {
		see_off(h);
		holding_nap();
	}
	waker_set(&h->waker, false);
}

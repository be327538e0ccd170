/*
 * The stop, as a small state machine for each requested thread.
 *
 *   ASKED       SEIZE and INTERRUPT are done; its first stop is awaited
 *   REENTERING  its call was set up to be entered again; the stop at the entry
 *               is awaited (or a signal that comes in between)
 *   PARKED      it is inside the call again and runs on, still attached
 *
 * Why not DETACH at the entry stop? Detaching sets TIF_SIGPENDING (ptrace_signal_wake_up in
 * kernel/ptrace.c), and the call about to be made would see it and return EINTR at once. So the
 * thread is continued, and released by the exit of the tracing thread: exit_ptrace() unlinks a
 * tracee that is not stopped without touching it.
 *
 * Rejected: staying seized between samples (no cheaper, and every signal would pass through us);
 * polling with WNOHANG until the stop (p50 3.6 ms on two cores: the poller takes the CPU that the
 * thread needs to reach it). Only the stop of a thread on another CPU is polled for, for 20 µs:
 * then our CPU need not be woken up.
 */
#include "sampler/stop/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/child/watchdog.h"
#include "sampler/stop/awake.h"
#include "sampler/stop/seize.h"
#include "sampler/stop/tracee.h"
#include "sampler/stop/waker.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/registers.h"

enum {
	REQUESTS_MAX = 64,     /* attached at a time, parked and overdue ones included */
	PATIENT_MAX = 32,      /* of these, for threads that need not stop at once */
	RECENT_MAX = 8,	       /* expected at once: few, so that none waits to be served */
	RECENT_NS = 10000000,  /* a thread that takes longer sleeps in the kernel or starves */
	GIVE_UP_NS = 1000000000,
	TELL_AGAIN_NS = 10000000,
	VANISH_NS = 5000000,   /* a thread that has not stopped by then may be gone unreported */
	SPIN_NS = 20000,
	SHORT_NS = 1000000,    /* up to then, all the time until the stop counts as stopped */
	SETTLE_TRIES = 20,
	SETTLE_NS = 20000,
};

enum request_state { FREE, ASKED, REENTERING, PARKED };

struct request {
	enum request_state state;
	const struct process *process;
	pid_t tid;
	void *cookie;
	bool at_once, taken, given_up;
	bool work_lost, cut; /* see struct stop */
	uint64_t asked_ns;
	uint64_t told_ns;  /* when it was interrupted last */
	uint64_t since_ns; /* from when the present stop is counted */
	uint64_t learnt_ns; /* when we learnt of the present stop */
	uint64_t held_ns, served_ns; /* in the stops that are over */
	uint64_t awake_ns; /* awake_ns of our thread at the request; AWAKE_UNKNOWN: no bound */
	unsigned rescues;  /* watchdog_rescues at the request */
	uint64_t unseen_ns; /* how long it may have been stopped before we learnt of it */
	struct registers regs; /* at the last stop; REENTERING: before the repair */
};

struct tracer {
	stop_take *take;
	void *owner;
	struct watchdog *watchdog; /* NULL: none */
	struct waker waker;
	int awake_fd;
	struct request requests[REQUESTS_MAX];
	size_t asked, parked; /* asked counts REENTERING too */
	size_t patient;	      /* of the asked ones */
	uint64_t spin_until_ns; /* until then a thread may stop on another CPU */
	uint64_t repaired, undone;
	bool takes_stopped;
	bool vanished; /* the thread of a request is gone unreported */
	bool lost;     /* a thread may be traced for which there is no request */
};

int tracer_new(struct tracer **out, stop_take *take, void *owner, struct error *err)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return error_nomem(err);
	t->take = take;
	t->owner = owner;
	rc = waker_init(&t->waker, err);
	if (rc) {
		free(t);
		return rc;
	}
	t->awake_fd = awake_open();
	*out = t;
	return 0;
}

void tracer_watched_by(struct tracer *t, struct watchdog *w)
{
	t->watchdog = w;
	watchdog_tracer(w, (pid_t)syscall(SYS_gettid));
}

void tracer_takes_stopped(struct tracer *t)
{
	t->takes_stopped = true;
}

static struct request *find(struct tracer *t, pid_t tid)
{
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		if (t->requests[i].state != FREE && t->requests[i].tid == tid)
			return &t->requests[i];
	return NULL;
}

static struct request *find_free(struct tracer *t)
{
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		if (t->requests[i].state == FREE)
			return &t->requests[i];
	return NULL;
}

static void tell_watchdog(struct tracer *t)
{
	if (tracer_outstanding(t))
		watchdog_held(t->watchdog);
	else
		watchdog_free(t->watchdog);
}

/* Requests for threads that are expected at once, so recent that waiting for these is worth it. */
static size_t count_recent(const struct tracer *t, uint64_t now)
{
	size_t recent = 0;

	for (size_t i = 0; t->asked && i < REQUESTS_MAX; i++) {
		const struct request *r = &t->requests[i];

		if ((r->state == ASKED || r->state == REENTERING) && r->at_once &&
		    now - r->asked_ns < RECENT_NS)
			recent++;
	}
	return recent;
}

/* Leaves a dying thread alone, seized and not interrupted: it runs on until our exit. It was not
 * dying at its look. (A thread that is not dying now may be interrupted: from the SEIZE on, a
 * signal that would end it stops it for us first, ptrace_signal() in kernel/signal.c.) */
static int leave_seized(struct tracer *t, struct request *r)
{
	r->state = PARKED;
	r->cookie = NULL;
	t->parked++;
	return ERR_GONE;
}

int tracer_ask(struct tracer *t, const struct process *process, pid_t tid, void *cookie,
	       enum stop_when when)
{
	bool at_once = when != STOP_LATER;
	uint64_t now = monotonic_ns();
	struct request *r;
	int rc;

	if (find(t, tid))
		return ERR_PERM;
	if (at_once ? count_recent(t, now) >= RECENT_MAX : t->patient >= PATIENT_MAX)
		return ERR_LIMIT;
	r = find_free(t);
	if (!r)
		return ERR_LIMIT;
	waker_set(&t->waker, true);
	watchdog_held(t->watchdog);
	*r = (struct request){ .process = process, .tid = tid, .cookie = cookie,
			       .at_once = at_once, .asked_ns = now,
			       .awake_ns = awake_ns(t->awake_fd),
			       .rescues = watchdog_rescues(t->watchdog) };
	registers_look_ahead(tid, &r->regs);
	rc = seize(tid);
	if (rc) {
		tell_watchdog(t);
		return rc == -ESRCH ? ERR_GONE : rc == -EINTR ? ERR_BUSY : ERR_PERM;
	}
	if (thread_is_dying(tid))
		return leave_seized(t, r);
	ptrace(PTRACE_INTERRUPT, tid, 0, 0); /* ESRCH: it ends, and waitpid will say so */
	r->state = ASKED;
	r->since_ns = r->told_ns = monotonic_ns();
	if (when == STOP_ELSEWHERE)
		t->spin_until_ns = r->since_ns + SPIN_NS;
	t->asked++;
	t->patient += !at_once;
	return 0;
}

static void leave_asked(struct tracer *t, const struct request *r)
{
	t->asked--;
	t->patient -= !r->at_once;
}

static void report(const struct request *r, enum stop_outcome outcome, struct stop *stop)
{
	*stop = (struct stop){ .outcome = outcome, .cookie = r->cookie, .tid = r->tid,
			       .held_ns = r->held_ns, .served_ns = r->served_ns,
			       .stood_ns = r->unseen_ns + r->served_ns,
			       .work_lost = r->work_lost, .cut = r->cut };
}

/* Ends a request. 1 if that is to be reported: it was not yet, or the thread has ended. */
static int finish(struct tracer *t, struct request *r, enum stop_outcome outcome, struct stop *stop)
{
	bool told = r->state == PARKED || r->given_up;

	report(r, outcome, stop);
	if (r->state == PARKED)
		t->parked--;
	else
		leave_asked(t, r);
	r->state = FREE;
	return !told || outcome == STOP_GONE;
}

static void count_held(struct request *r)
{
	uint64_t now = monotonic_ns();

	r->held_ns += now - r->since_ns;
	r->served_ns += now - r->learnt_ns;
}

/* Sets the registers so that the thread makes its call again, and lets it run
 * up to the entry. */
static void enter_again(struct tracer *t, struct request *r)
{
	tracee_call_again(r->tid, &r->regs);
	count_held(r);
	ptrace(PTRACE_SYSCALL, r->tid, 0, 0);
	r->state = REENTERING;
	t->repaired++;
}

/* Detaches the thread, and ends the request. The thread runs on from some point inside
 * PTRACE_DETACH, perhaps on our CPU. So the time is taken before that call; after it, the clock
 * would count the thread's own running.
 *
 * A thread that was killed since it stopped cannot be detached (ESRCH). It stays ours until we have
 * waited for it, and before that its process has not ended for its parent and for pidfds
 * (thread_group_empty, in kernel/exit.c). So it counts as parked until its end is reported to us or
 * our thread has ended. */
static int let_go(struct tracer *t, struct request *r, int sig, enum stop_outcome outcome,
		  struct stop *stop)
{
	bool detached;
	int rc;

	count_held(r);
	detached = !ptrace(PTRACE_DETACH, r->tid, 0, sig);
	rc = finish(t, r, outcome, stop);
	if (!detached) {
		r->state = PARKED;
		r->cookie = NULL;
		t->parked++;
	}
	return rc;
}

/* Has the stop failed a call, and may that call be entered again? */
static bool can_be_mended(struct request *r)
{
	int64_t result = registers_failed_call(&r->regs);

	if (!result || !tracee_call_may_be_made_again(&r->regs, result, r->process)) {
		r->cut |= result == -EINTR;
		return false;
	}
	r->work_lost |= result != -EINTR;
	return true;
}

/* If a stop that the program would not have had without us has cut a call short, enters the call
 * again. True if it did. */
static bool entered_again(struct tracer *t, struct request *r, int status)
{
	if (registers_read(r->tid, &r->regs) || !tracee_stopped_by_us(r->tid, status) ||
	    !can_be_mended(r))
		return false;
	enter_again(t, r);
	return true;
}

/* A call that was cut short is not repaired here: job control did that, not we. */
static int serve_group_stop(struct tracer *t, struct request *r, struct stop *stop)
{
	struct registers regs = { 0 };

	if (t->takes_stopped && !r->given_up && registers_read(r->tid, &regs) == 0)
		r->taken = t->take(t->owner, r->cookie, r->tid, &regs);
	return let_go(t, r, 0, r->taken ? STOP_TAKEN : STOP_GROUP, stop);
}

/* Serves the first stop after the request. 1 when the request is over. */
static int serve_asked(struct tracer *t, struct request *r, int status, struct stop *stop)
{
	if (status >> 16 != PTRACE_EVENT_STOP) {
		/* A signal came first. It is handed on, unless it is ignored and has cut a call
		 * short. */
		if (entered_again(t, r, status))
			return 0;
		return let_go(t, r, WSTOPSIG(status), STOP_SIGNALLED, stop);
	}
	if (WSTOPSIG(status) != SIGTRAP)
		return serve_group_stop(t, r, stop);
	if (registers_read(r->tid, &r->regs) == 0) {
		r->taken = !r->given_up && t->take(t->owner, r->cookie, r->tid, &r->regs);
		if (can_be_mended(r)) {
			enter_again(t, r);
			return 0;
		}
	}
	return let_go(t, r, 0, r->taken ? STOP_TAKEN : STOP_REFUSED, stop);
}

/* Serves the stop after enter_again: the entry of the call, or an event that would have failed the
 * call with EINTR without us, too, and now does so. */
static int serve_reentering(struct tracer *t, struct request *r, int status, struct stop *stop)
{
	if (tracee_enters_call(status)) {
		count_held(r);
		ptrace(PTRACE_CONT, r->tid, 0, 0);
		leave_asked(t, r);
		t->parked++;
		r->state = PARKED;
		report(r, r->taken ? STOP_TAKEN : STOP_REFUSED, stop);
		r->cookie = NULL; /* the owner has it back now, and is told no more */
		return !r->given_up;
	}
	if (tracee_stopped_by_us(r->tid, status)) {
		count_held(r);
		ptrace(PTRACE_SYSCALL, r->tid, 0, 0);
		return 0;
	}
	tracee_undo_call_again(r->tid, &r->regs);
	t->undone++;
	return let_go(t, r, tracee_signal(status), r->taken ? STOP_TAKEN : STOP_SIGNALLED, stop);
}

/* A parked thread stopped again: a signal or job control. It is outside its call, so an ordinary
 * DETACH is right, and our exit is not needed for it. The request was reported when the thread was
 * parked, so nothing is reported now. */
static int serve_parked(struct tracer *t, struct request *r, int status)
{
	if (entered_again(t, r, status)) {
		t->parked--;
		t->asked++;
		t->patient += !r->at_once;
		r->given_up = true;
		return 0;
	}
	if (ptrace(PTRACE_DETACH, r->tid, 0, tracee_signal(status)))
		return 0; /* it was killed, and stays ours until its end */
	t->parked--;
	r->state = FREE;
	return 0;
}

/* How long the thread may have been stopped before we learnt of it: since the request, but, if our
 * thread was a real-time thread all the time, not while our thread slept. */
static uint64_t most_unseen(const struct tracer *t, const struct request *r)
{
	uint64_t most = r->learnt_ns - r->since_ns, awake;

	if (most < SHORT_NS || r->awake_ns == AWAKE_UNKNOWN ||
	    r->rescues != watchdog_rescues(t->watchdog))
		return most;
	awake = awake_ns(t->awake_fd);
	if (awake == AWAKE_UNKNOWN || awake - r->awake_ns > most)
		return most;
	return awake - r->awake_ns;
}

static int serve_stopped(struct tracer *t, struct request *r, int status, struct stop *stop)
{
	r->learnt_ns = monotonic_ns();
	if (r->state == ASKED)
		r->unseen_ns = most_unseen(t, r);
	else
		r->since_ns = r->learnt_ns;
	switch (r->state) {
	case PARKED:
		return serve_parked(t, r, status);
	case REENTERING:
		return serve_reentering(t, r, status, stop);
	default:
		return serve_asked(t, r, status, stop);
	}
}

static int serve(struct tracer *t, struct request *r, int status, struct stop *stop)
{
	if (WIFSTOPPED(status))
		return serve_stopped(t, r, status, stop);
	finish(t, r, STOP_GONE, stop);
	stop->reaped = true;
	stop->exit_status = status;
	return 1;
}

/* A thread that executes a program takes over its leader's number. So it can stop or end under a
 * number for which there is no request, while the number in its request is gone unreported. 1 when
 * the thread has ended. */
static int serve_stranger(pid_t tid, int status, struct stop *stop)
{
	if (WIFSTOPPED(status)) {
		ptrace(PTRACE_DETACH, tid, 0, tracee_signal(status));
		return 0;
	}
	*stop = (struct stop){ .outcome = STOP_GONE, .tid = tid, .reaped = true,
			       .exit_status = status };
	return 1;
}

/* Reports a thread that sleeps in the kernel and does not stop. It stays attached, so that its call
 * is repaired when it stops, but its owner need not wait. */
static int give_up(struct tracer *t, uint64_t now, struct stop *stop)
{
	for (size_t i = 0; t->asked && i < REQUESTS_MAX; i++) {
		struct request *r = &t->requests[i];

		if (r->state != ASKED || r->given_up || now - r->asked_ns < GIVE_UP_NS)
			continue;
		*stop = (struct stop){ .outcome = STOP_OVERDUE, .cookie = r->cookie, .tid = r->tid };
		r->cookie = NULL;
		r->given_up = true;
		return 1;
	}
	return 0;
}

/* A thread that was interrupted while it executed a program may go on and not stop (seen on Linux
 * 6.18; not understood). Interrupted again, it stops. For a thread that waits for a CPU a second
 * INTERRUPT changes nothing. */
static void interrupt_again(struct tracer *t, uint64_t now)
{
	for (size_t i = 0; t->asked && i < REQUESTS_MAX; i++) {
		struct request *r = &t->requests[i];

		if (r->state != ASKED || now - r->told_ns < TELL_AGAIN_NS)
			continue;
		r->told_ns = now;
		ptrace(PTRACE_INTERRUPT, r->tid, 0, 0);
	}
}

static int drop_vanished(struct tracer *t, bool all, struct stop *stop)
{
	uint64_t now = monotonic_ns();

	for (size_t i = 0; i < REQUESTS_MAX; i++) {
		struct request *r = &t->requests[i];

		if (r->state != FREE && (all || (now - r->asked_ns > VANISH_NS &&
						 kill(r->tid, 0) && errno == ESRCH))) {
			t->vanished = true;
			return finish(t, r, STOP_GONE, stop);
		}
	}
	return 0;
}

/* Waits for one event, or for the waker's signal after a millisecond. 1 when a request is over. */
static int wait_once(struct tracer *t, int flags, struct stop *stop)
{
	int status;
	pid_t tid = tracee_event(P_ALL, 0, flags, &status);
	bool none_left = tid < 0 && errno == ECHILD;
	struct request *r = tid > 0 ? find(t, tid) : NULL;

	watchdog_held(t->watchdog);
	if (r)
		return serve(t, r, status, stop);
	if (tid > 0)
		return serve_stranger(tid, status, stop);
	if (!none_left && flags & WNOHANG)
		return 0;
	interrupt_again(t, monotonic_ns());
	return drop_vanished(t, none_left, stop) || give_up(t, monotonic_ns(), stop);
}

/* Is any thread traced? A thread that executed a program after its request is traced under its
 * leader's number, for which there is no request. While other requests are out, its stop is served
 * as a stranger's. Afterwards it would stay stopped for ever, so our exit has to release it. */
static bool traces_any(void)
{
	int status;

	return tracee_look(P_ALL, 0, WNOHANG, &status) >= 0;
}

int tracer_next(struct tracer *t, uint64_t until, struct stop *stop)
{
	int rc = 0;

	while (!rc && tracer_outstanding(t)) {
		rc = wait_once(t, monotonic_ns() < t->spin_until_ns ? WNOHANG : 0, stop);
		if (!rc && monotonic_ns() >= until)
			break;
	}
	if (!tracer_outstanding(t)) {
		waker_set(&t->waker, false);
		t->lost |= t->vanished && traces_any();
		t->vanished = false;
	}
	tell_watchdog(t);
	return rc;
}

size_t tracer_outstanding(const struct tracer *t)
{
	return t->asked + t->parked;
}

bool tracer_wants_baton(const struct tracer *t)
{
	return (t->parked || t->lost) && !t->asked;
}

void tracer_repairs(const struct tracer *t, uint64_t *repaired, uint64_t *undone)
{
	*repaired = t->repaired;
	*undone = t->undone;
}

/* Serves one stop of a parked thread, if there is one. A thread's end is left for our successor. */
static bool serve_one_parked(struct tracer *t)
{
	int status;
	pid_t tid = tracee_look(P_ALL, 0, t->asked ? 0 : WNOHANG, &status);
	struct request *r = tid > 0 ? find(t, tid) : NULL;
	struct stop stop;

	watchdog_held(t->watchdog);
	if (r)
		serve(t, r, status, &stop);
	return r;
}

static bool all_parked_sleep(const struct tracer *t)
{
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		if (t->requests[i].state == PARKED && !thread_is_asleep(t->requests[i].tid))
			return false;
	return true;
}

/*
 * Our exit is about to release the parked threads. An ignored signal that is on its way to one of
 * them has already cut its call short, and after our exit the call would not be entered again. So
 * that stop is served first. A signal that comes between here and the exit, in some 30 µs, still
 * does harm.
 */
static void settle(struct tracer *t)
{
	struct timespec moment = { 0, SETTLE_NS };

	for (int i = 0; i < SETTLE_TRIES && t->parked + t->asked; i++) {
		if (serve_one_parked(t) || t->asked)
			continue;
		if (all_parked_sleep(t))
			break;
		nanosleep(&moment, NULL); /* a yield would do nothing: our priority is higher */
	}
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	settle(t);
	waker_release(&t->waker);
	if (t->awake_fd >= 0)
		close(t->awake_fd);
	free(t);
}

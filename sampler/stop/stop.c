/*
 * Requests to stop threads for a sample. tracee.h has the states of a thread.
 *
 * Rejected: staying seized between samples (no cheaper, and every signal would pass through us);
 * polling with WNOHANG until the stop (p50 3.6 ms on two cores: the poller takes the CPU that the
 * thread needs to reach its stop). Only the stop of a thread on another CPU is polled for, for
 * 20 µs: then our CPU need not be woken up.
 */
#include "sampler/stop/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "sampler/child/watchdog.h"
#include "sampler/stop/awake.h"
#include "sampler/stop/copier.h"
#include "sampler/stop/requests.h"
#include "sampler/stop/tracee.h"
#include "sampler/stop/waker.h"
#include "sampler/thread/dispositions.h"

enum {
	SPIN_NS = 20000,
	SHORT_NS = 1000000, /* a stop within this time counts from the request */
	SETTLE_NS = 20000,
	JOIN_TRIES = 100,
};

struct tracer {
	stop_take *take;
	void *owner;
	struct copiers *copiers; /* NULL: none */
	uint64_t copy_most_ns;
	stop_comes_back *comes_back; /* NULL: not known */
	struct watchdog *watchdog;   /* NULL: none */
	unsigned post;
	struct waker waker;
	int awake_fd;
	struct requests requests;
	uint64_t spin_until_ns; /* until then a thread may stop on another CPU */
	uint64_t repaired;
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

void tracer_watched_by(struct tracer *t, struct watchdog *w, unsigned post)
{
	t->watchdog = w;
	t->post = post;
	watchdog_tracer(w, post, (pid_t)syscall(SYS_gettid));
}

void tracer_copies_by(struct tracer *t, struct copiers *copiers, uint64_t most_ns)
{
	t->copy_most_ns = most_ns;
	t->copiers = copiers;
	copiers_ready(copiers);
}

void tracer_copies_itself(struct tracer *t, stop_comes_back *comes_back)
{
	t->comes_back = comes_back;
}

void tracer_takes_stopped(struct tracer *t)
{
	t->takes_stopped = true;
}

static void tell_watchdog(struct tracer *t)
{
	if (tracer_outstanding(t))
		watchdog_held(t->watchdog, t->post);
	else
		watchdog_none_held(t->watchdog, t->post);
}

int tracer_ask(struct tracer *t, const struct process *process, pid_t tid,
	       const struct stood *stood, void *cookie, enum stop_when when)
{
	bool at_once = when != STOP_LATER;
	struct request *r;
	int rc;

	if (requests_find(&t->requests, tid))
		return ERR_PERM;
	r = requests_unused(&t->requests, at_once);
	if (!r)
		return ERR_LIMIT;
	if (t->copiers)
		copiers_ready(t->copiers);
	waker_set(&t->waker, true);
	watchdog_held(t->watchdog, t->post);
	*r = (struct request){ .tracee = { .tid = tid, .process = process },
			       .cookie = cookie,
			       .at_once = at_once,
			       .asked_ns = monotonic_ns(),
			       .awake_ns = when == STOP_HERE ? AWAKE_UNKNOWN :
							       awake_ns(t->awake_fd),
			       .rescues = watchdog_rescues(t->watchdog) };
	rc = tracee_ask(&r->tracee, stood);
	if (rc) {
		r->cookie = NULL;
		t->requests.parked += r->tracee.state == TRACEE_PARKED;
		tell_watchdog(t);
		return rc;
	}
	r->since_ns = r->told_ns = monotonic_ns();
	if (when == STOP_ELSEWHERE)
		t->spin_until_ns = r->since_ns + SPIN_NS;
	requests_enter(&t->requests, r);
	return 0;
}

static void stop_report(const struct request *r, enum stop_outcome outcome, struct stop *stop)
{
	*stop = (struct stop){ .outcome = outcome,
			       .cookie = r->cookie,
			       .tid = r->tracee.tid,
			       .held_ns = r->held_ns,
			       .served_ns = r->served_ns,
			       .stood_ns = r->unseen_ns + r->served_ns,
			       .work_lost = r->tracee.work_lost,
			       .taken = r->taken,
			       .cut = r->tracee.cut };
}

/* Ends a request. 1 if that is to be reported: it was not yet, or the thread has ended. */
static int stop_finish(struct tracer *t, struct request *r, enum stop_outcome outcome,
		       struct stop *stop)
{
	bool told = r->tracee.state == TRACEE_PARKED || r->given_up;

	stop_report(r, outcome, stop);
	if (r->tracee.state == TRACEE_PARKED)
		t->requests.parked--;
	else
		requests_leave(&t->requests, r);
	r->tracee.state = TRACEE_NONE;
	return !told || outcome == STOP_GONE;
}

static void count_held(struct request *r)
{
	uint64_t now = monotonic_ns();

	r->held_ns += now - r->since_ns;
	r->served_ns += now - r->learnt_ns;
}

/* The longest time for which the thread may have been stopped before we learnt of it: the time
 * since the request, less our thread's sleep if our thread was a real-time thread all the time. */
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

static void stop_copy(void *args)
{
	struct tracer_copy *c = args;

	c->taken = c->take(c->owner, c->cookie, c->tid, &c->regs);
}

enum copy tracer_copy_by(struct copiers *copiers, const struct process *of, struct tracer_copy *c,
			 uint64_t most_ns)
{
	struct copier_job job = { .run = stop_copy,
				  .args = c,
				  .size = sizeof(*c),
				  .of = of,
				  .tid = c->tid,
				  .ns = TRACER_COPY_NS,
				  .most_ns = most_ns };

	if (copiers)
		return copiers_run(copiers, &job);
	stop_copy(c);
	return COPY_DONE;
}

static void stop_take_request(struct tracer *t, struct request *r)
{
	struct tracer_copy c = { t->take, t->owner, r->cookie, r->tracee.tid, r->tracee.regs, 0 };
	bool itself = !t->copiers ||
		      (t->comes_back && t->comes_back(t->owner, r->cookie, &r->tracee.regs));

	r->copy = tracer_copy_by(itself ? NULL : t->copiers, r->tracee.process, &c,
				 t->copy_most_ns);
	r->taken = c.taken;
}

/* How a request ends whose thread was looked at in its first stop. */
static enum stop_outcome outcome_of(const struct request *r, enum stop_outcome other)
{
	if (r->copy != COPY_DONE)
		return r->copy == COPY_STUCK ? STOP_STUCK : STOP_UNREAD;
	return r->taken ? STOP_TAKEN : other;
}

/* The first stop after the request: takes the sample, unless a signal or job control came first. A
 * call that job control has cut short is not repaired, since we did not cut it short. */
static enum stop_outcome serve_first(struct tracer *t, struct request *r)
{
	int status = r->tracee.status;
	bool group = WSTOPSIG(status) != SIGTRAP;

	if (status >> 16 != PTRACE_EVENT_STOP)
		return STOP_SIGNALLED;
	if (r->tracee.readable && !r->given_up && (!group || t->takes_stopped))
		stop_take_request(t, r);
	return outcome_of(r, group ? STOP_GROUP : STOP_REFUSED);
}

/* The thread is inside its call again: only its end may still be reported. */
static int park(struct tracer *t, struct request *r, struct stop *stop)
{
	requests_leave(&t->requests, r);
	t->requests.parked++;
	stop_report(r, outcome_of(r, STOP_REFUSED), stop);
	r->cookie = NULL;
	return !r->given_up;
}

/* A parked thread has stopped again, by a signal or job control. It was outside its call, so an
 * ordinary DETACH is right, unless its call is entered once more. The request was reported when the
 * thread was parked. */
static void leave_parked(struct tracer *t, struct request *r, enum tracee_way way, bool gone)
{
	if (way == TRACEE_REENTERS) {
		requests_enter(&t->requests, r);
		r->given_up = true;
	}
	if (gone)
		t->requests.parked--;
	else
		r->tracee.state = TRACEE_PARKED; /* it was killed, and stays ours until its end */
}

/* A thread that was killed since it stopped cannot be detached (ESRCH). It stays ours until we have
 * waited for it, and before that its process has not ended for its parent and for pidfds
 * (thread_group_empty, in kernel/exit.c). So it counts as parked until its end is reported to us or
 * our thread has ended. */
static int detach(struct tracer *t, struct request *r, bool gone, enum stop_outcome outcome,
		  struct stop *stop)
{
	int rc = stop_finish(t, r, outcome, stop);

	if (!gone) {
		r->tracee.state = TRACEE_PARKED;
		r->cookie = NULL;
		t->requests.parked++;
	}
	return rc;
}

/* The thread runs on from some point inside PTRACE_DETACH, perhaps on our CPU. So the time is taken
 * before that call; after it, the clock would count the thread's own running. */
static int serve_stopped(struct tracer *t, struct request *r, int status, struct stop *stop)
{
	enum stop_outcome outcome = outcome_of(r, STOP_SIGNALLED);
	enum tracee_state before = r->tracee.state;
	enum tracee_way way;
	bool gone;

	r->learnt_ns = monotonic_ns();
	if (before == TRACEE_ASKED)
		r->unseen_ns = most_unseen(t, r);
	else
		r->since_ns = r->learnt_ns;
	tracee_note_stop(&r->tracee, status);
	if (before == TRACEE_ASKED)
		outcome = serve_first(t, r);
	way = tracee_decide(&r->tracee);
	count_held(r);
	gone = tracee_go(&r->tracee, way);
	t->repaired += way == TRACEE_REENTERS && before != TRACEE_REENTERING;
	if (before == TRACEE_PARKED)
		leave_parked(t, r, way, gone);
	else if (way == TRACEE_PARKS)
		return park(t, r, stop);
	else if (way == TRACEE_DETACHES)
		return detach(t, r, gone, outcome, stop);
	return 0;
}

static int stop_serve(struct tracer *t, struct request *r, int status, struct stop *stop)
{
	if (WIFSTOPPED(status))
		return serve_stopped(t, r, status, stop);
	stop_finish(t, r, STOP_GONE, stop);
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
	*stop = (struct stop){
		.outcome = STOP_GONE, .tid = tid, .reaped = true, .exit_status = status
	};
	return 1;
}

/* Its owner need not wait for it any more. */
static int stop_give_up(struct tracer *t, struct stop *stop)
{
	struct request *r = requests_give_up(&t->requests);

	if (!r)
		return 0;
	*stop = (struct stop){ .outcome = STOP_OVERDUE, .cookie = r->cookie, .tid = r->tracee.tid };
	r->cookie = NULL;
	return 1;
}

static int drop_vanished(struct tracer *t, bool none_left, struct stop *stop)
{
	struct request *r = requests_vanished(&t->requests, none_left);

	if (!r)
		return 0;
	t->vanished = true;
	return stop_finish(t, r, STOP_GONE, stop);
}

/* Waits for one event, or for the waker's signal after a millisecond. 1 when a request is over. */
static int wait_once(struct tracer *t, int flags, struct stop *stop)
{
	int status;
	pid_t tid = tracee_event(P_ALL, 0, flags, &status);
	bool none_left = tid < 0 && errno == ECHILD;
	struct request *r = tid > 0 ? requests_find(&t->requests, tid) : NULL;

	watchdog_held(t->watchdog, t->post);
	if (r)
		return stop_serve(t, r, status, stop);
	if (tid > 0)
		return serve_stranger(tid, status, stop);
	if (!none_left && flags & WNOHANG)
		return 0;
	requests_remind(&t->requests, t->awake_fd);
	return drop_vanished(t, none_left, stop) || stop_give_up(t, stop);
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

void tracer_wake_at(struct tracer *t, uint64_t ns)
{
	waker_at(&t->waker, ns);
}

size_t tracer_outstanding(const struct tracer *t)
{
	return t->requests.asked + t->requests.parked;
}

bool tracer_wants_baton(const struct tracer *t)
{
	return (t->requests.parked || t->lost) && !t->requests.asked;
}

uint64_t tracer_repairs(const struct tracer *t)
{
	return t->repaired;
}

/* Serves one stop of a parked thread, if there is one. A thread's end is left for our successor. */
static bool serve_one_parked(struct tracer *t)
{
	int status;
	pid_t tid = tracee_look(P_ALL, 0, t->requests.asked ? 0 : WNOHANG, &status);
	struct request *r = tid > 0 ? requests_find(&t->requests, tid) : NULL;
	struct stop stop;

	watchdog_held(t->watchdog, t->post);
	if (r)
		stop_serve(t, r, status, &stop);
	return r;
}

/*
 * Our exit is about to release the parked threads. An ignored signal that is on its way to one of
 * them has already cut its call short, and after our exit the call would not be entered again. So
 * that stop is served first, and on a busy machine it is waited for. A signal that comes between
 * here and the exit, in some 30 µs, still does harm.
 */
static void stop_settle(struct tracer *t)
{
	struct timespec moment = { 0, SETTLE_NS };
	uint64_t until = monotonic_ns() + THREAD_SETTLES_NS;

	for (unsigned looks = 0; t->requests.parked + t->requests.asked && monotonic_ns() < until;
	     looks++) {
		/* First, so that a thread that stops in between is seen. */
		bool settled = requests_have_settled(&t->requests, looks);

		if (serve_one_parked(t) || t->requests.asked)
			continue;
		if (settled)
			break;
		nanosleep(&moment, NULL); /* a yield would do nothing: our priority is higher */
	}
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	stop_settle(t);
	waker_release(&t->waker);
	descriptor_close(&t->awake_fd);
	free(t);
}

/* The thread's number is released after its ptrace relations (exit_notify()). */
void tracer_join(pthread_t thread, pid_t tid)
{
	static const struct timespec moment = { 0, SETTLE_NS };

	pthread_join(thread, NULL);
	for (int i = 0; i < JOIN_TRIES && !syscall(SYS_tgkill, getpid(), tid, 0); i++)
		nanosleep(&moment, NULL);
}

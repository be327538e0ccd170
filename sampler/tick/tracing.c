/*
 * Slots are passed in two rings, each with one thread that puts in and one that takes out. While a
 * request is out, the tracing thread sleeps in waitid(2), where a signal of ours wakes it. (If that
 * signal comes a moment too soon, the waker's next one, within a millisecond, wakes it.) While none
 * is out, it sleeps on an eventfd.
 *
 * Rejected: one thread for all, at real-time priority from the request to the release only. A
 * thread that was asked to stop while it waits for a CPU may stop at any later time. Then either
 * looks wait for it too, for as long as the machine is busy; or it stays stopped while the thread
 * that looks, an ordinary one, waits for a CPU: 700 ms were seen, beside a thousand runnable
 * threads.
 */
#include "sampler/tick/tracing.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "sampler/child/priority.h"
#include "sampler/child/watchdog.h"
#include "sampler/stop/stop.h"
#include "sampler/stop/waker.h"
#include "sampler/tick/slots.h"

enum {
	RING = SLOTS,	    /* a power of two; no more slots can be out */
	FRESH_NS = 1000000, /* by then a thread may have left the CPU of its look */
};

struct ring {
	struct slot *at[RING];
	atomic_uint in, out; /* counters, each written by one thread */
};

struct tracing {
	struct watchdog *watchdog;
	pthread_t thread;
	_Atomic pid_t tid;	    /* of the tracing thread */
	atomic_bool sleeps_in_wait; /* a request is out, so a signal must wake it */
	atomic_bool quit, ended;
	int asked_fd, returned_fd; /* eventfds: something was put into the ring */
	struct ring asked, returned;
	size_t expected; /* used by the looking thread: slots that are out */
	int cpu;	 /* to which it has bound the tracing thread; -1: none */
	/* Used by the tracing threads, one after the other: */
	uint32_t busy_member; /* was found executing a program */
	uint64_t busy_ns;     /* at that time */
	_Atomic pid_t reaped;
	_Atomic int reaped_status;
	atomic_ullong repaired, undone, ended_cpu_ns;
	struct error error;
};

static void put(struct ring *r, struct slot *slot)
{
	unsigned in = atomic_load_explicit(&r->in, memory_order_relaxed);

	r->at[in % RING] = slot;
	atomic_store(&r->in, in + 1);
}

static struct slot *first(struct ring *r)
{
	unsigned out = atomic_load_explicit(&r->out, memory_order_relaxed);

	return out == atomic_load(&r->in) ? NULL : r->at[out % RING];
}

static struct slot *take(struct ring *r)
{
	struct slot *slot = first(r);

	if (slot)
		atomic_fetch_add(&r->out, 1);
	return slot;
}

/* The tracing thread. */

static void give_back(struct tracing *t, struct slot *slot)
{
	put(&t->returned, slot);
	eventfd_write(t->returned_fd, 1);
}

static enum stop_when when_to_expect(const struct slot *slot)
{
	if (slot->patient)
		return STOP_LATER;
	return slot->about.cpu == sched_getcpu() ? STOP_HERE : STOP_ELSEWHERE;
}

static int ask_now(struct tracing *t, struct tracer *tracer, struct slot *slot)
{
	uint64_t now = monotonic_ns();
	int rc;

	if (slot->context.member == t->busy_member && now - t->busy_ns < FRESH_NS)
		return ERR_BUSY;
	if (!slot->patient && now - slot->asked_ns > FRESH_NS)
		return ERR_LIMIT;
	rc = tracer_ask(tracer, slot->process, slot->about.tid, slot, when_to_expect(slot));
	if (rc == ERR_BUSY) {
		t->busy_member = slot->context.member;
		t->busy_ns = monotonic_ns();
	}
	return rc;
}

/* False: the request must wait, because too many are out. */
static bool ask(struct tracing *t, struct tracer *tracer, struct slot *slot)
{
	slot->rc = ask_now(t, tracer, slot);
	return slot->rc != ERR_LIMIT || monotonic_ns() - slot->asked_ns >= FRESH_NS;
}

static void ask_all(struct tracing *t, struct tracer *tracer)
{
	struct slot *slot;

	while ((slot = first(&t->asked)) && ask(t, tracer, slot)) {
		take(&t->asked);
		if (slot->rc)
			give_back(t, slot);
	}
}

/* One event at most. */
static void serve(struct tracing *t, struct tracer *tracer)
{
	struct stop stop;

	if (!tracer_next(tracer, 0, &stop))
		return;
	if (stop.reaped) {
		t->reaped_status = stop.exit_status;
		t->reaped = stop.tid;
	}
	if (stop.cookie) {
		struct slot *slot = stop.cookie;

		slot->stop = stop;
		give_back(t, slot);
	}
}

static void sleep_until_asked(struct tracing *t)
{
	eventfd_t count;

	if (!first(&t->asked) && !t->quit)
		eventfd_read(t->asked_fd, &count);
}

/* Sets the tracing thread's class again, after the watchdog has changed it because the thread got
 * no CPU. */
static void take_own_class(const struct tracing *t)
{
	if (!watchdog_has_boosted(t->watchdog))
		return;
	set_priority(PRIORITY_ORDINARY);
	set_priority(PRIORITY_HOLDING);
}

static void trace(struct tracing *t, struct tracer *tracer)
{
	uint64_t repaired, undone;

	while (!t->quit && !tracer_wants_baton(tracer)) {
		take_own_class(t);
		ask_all(t, tracer);
		t->sleeps_in_wait = tracer_outstanding(tracer) > 0;
		if (t->sleeps_in_wait)
			serve(t, tracer);
		else
			sleep_until_asked(t);
	}
	t->sleeps_in_wait = false;
	tracer_repairs(tracer, &repaired, &undone);
	t->repaired += repaired;
	t->undone += undone;
}

static void *tracing_thread(void *arg)
{
	struct tracing *t = arg;
	struct tracer *tracer;

	t->tid = (pid_t)syscall(SYS_gettid);
	prctl(PR_SET_TIMERSLACK, 1);
	set_priority(PRIORITY_HOLDING);
	if (!tracer_new(&tracer, slot_fill, NULL, &t->error)) {
		tracer_watched_by(tracer, t->watchdog);
		trace(t, tracer);
		tracer_free(tracer);
	}
	t->ended_cpu_ns += thread_cpu_ns();
	t->ended = true;
	eventfd_write(t->returned_fd, 1);
	return NULL;
}

/* The looking thread. */

static int start_thread(struct tracing *t)
{
	int rc;

	t->ended = false;
	t->sleeps_in_wait = false;
	t->tid = 0;
	t->cpu = -1;
	rc = pthread_create(&t->thread, NULL, tracing_thread, t);
	if (rc) {
		t->thread = 0;
		t->ended = true; /* else only the thread sets it, which may have ended already */
	}
	return rc;
}

/* Binds the tracing thread to our CPU. A real-time thread wakes on the CPU on which it was last,
 * whatever runs there (select_task_rq_rt() in kernel/sched/rt.c), perhaps the thread that is to be
 * sampled. Our own CPU is free the moment we wait. */
static void bring_here(struct tracing *t)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (!t->tid || cpu == t->cpu || cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	t->cpu = cpu;
	sched_setaffinity(t->tid, sizeof(set), &set);
	if (t->watchdog) /* it wakes when a thread is asked to stop */
		sched_setaffinity(watchdog_pid(t->watchdog), sizeof(set), &set);
}

static void wake(struct tracing *t)
{
	eventfd_write(t->asked_fd, 1);
	if (t->sleeps_in_wait)
		waker_wake(t->tid);
}

int tracing_start(struct tracing **out, struct watchdog *w, struct error *err)
{
	struct tracing *t = calloc(1, sizeof(*t));

	if (!t)
		return error_nomem(err);
	t->watchdog = w;
	t->busy_member = UINT32_MAX;
	t->asked_fd = eventfd(0, EFD_CLOEXEC);
	t->returned_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->asked_fd < 0 || t->returned_fd < 0 || (errno = start_thread(t))) {
		error_errno(err, ERR_IO, "cannot start a thread");
		tracing_free(t);
		return ERR_IO;
	}
	*out = t;
	return 0;
}

/* The tracing thread, if there was one, has ended or is about to. If it has ended to release parked
 * threads, its last word to the watchdog was that these are held. No tracing thread may follow for
 * long, since an idle target is not asked: the watchdog would take us for hung, and kill us. */
static void bury(struct tracing *t)
{
	if (!t->thread)
		return;
	tracer_join(t->thread, t->tid);
	t->thread = 0;
	watchdog_none_held(t->watchdog);
}

void tracing_end(struct tracing *t)
{
	t->quit = true;
	if (!t->thread)
		return;
	wake(t);
	bury(t);
}

void tracing_free(struct tracing *t)
{
	if (!t)
		return;
	tracing_end(t);
	if (t->asked_fd >= 0)
		close(t->asked_fd);
	if (t->returned_fd >= 0)
		close(t->returned_fd);
	free(t);
}

/* The old one has ended to release parked threads, or never began. */
static int replace(struct tracing *t)
{
	bury(t);
	return t->error.code || start_thread(t) ? ERR_IO : 0;
}

int tracing_ask(struct tracing *t, struct slot *slot)
{
	if (t->ended && replace(t))
		return ERR_IO;
	bring_here(t);
	slot->asked_ns = monotonic_ns();
	put(&t->asked, slot);
	t->expected++;
	wake(t);
	return 0;
}

struct slot *tracing_returned(struct tracing *t)
{
	struct slot *slot = t->expected ? take(&t->returned) : NULL;

	if (!slot && t->ended && t->expected)
		replace(t); /* what it left in the ring is for its successor */
	else if (!slot && t->ended)
		bury(t);
	t->expected -= slot != NULL;
	return slot;
}

int tracing_wait(struct tracing *t, uint64_t until, const int *fds, int count)
{
	struct pollfd pf[TRACING_FDS + 1];
	uint64_t now = monotonic_ns();
	struct timespec ts = to_timespec(until > now ? until - now : 0);
	eventfd_t news;

	if (first(&t->returned))
		return 0;
	for (int i = 0; i < count; i++)
		pf[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	pf[count] = (struct pollfd){ .fd = t->returned_fd, .events = POLLIN };
	if (ppoll(pf, (nfds_t)count + 1, &ts, NULL) <= 0)
		return 0;
	for (int i = 0; i < count; i++)
		if (pf[i].revents)
			return i + 1;
	eventfd_read(t->returned_fd, &news);
	return 0;
}

size_t tracing_expected(const struct tracing *t)
{
	return t->expected;
}

void tracing_figures(const struct tracing *t, uint64_t *repaired, uint64_t *undone,
		     uint64_t *cpu_ns)
{
	clockid_t clock;

	*repaired = t->repaired;
	*undone = t->undone;
	*cpu_ns = t->ended_cpu_ns;
	if (!t->ended && !pthread_getcpuclockid(t->thread, &clock))
		*cpu_ns += clock_ns(clock);
}

bool tracing_reaped(const struct tracing *t, pid_t pid, int *status)
{
	if (t->reaped != pid)
		return false;
	*status = t->reaped_status;
	return true;
}

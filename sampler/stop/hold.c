/*
 * A hold has two threads. The caller's thread reads. The other one traces, and ends with the hold,
 * because only the end of its tracer releases a thread that is parked in its call
 * (sampler/stop/stop.h). When the bound is over, the tracing thread releases all threads, whatever
 * the reader does. Both have real-time priority while threads are held, since threads would be held
 * for nothing while the reader waits for a CPU. The reader becomes an ordinary thread when they are
 * released.
 */
#include "sampler/stop/hold.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "sampler/child/priority.h"
#include "sampler/child/watchdog.h"
#include "runtimes/go/stacks/goroutines.h"
#include "sampler/stop/holding.h"
#include "sampler/stop/stop.h"

enum hold_stage { GATHERING, HOLDING, FAILED, FINISHED };

struct hold {
	struct holding holding;
	uint64_t bound_ns;
	pthread_t thread;
	pid_t tracer, reader;  /* thread numbers of the two */
	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	enum hold_stage stage;
	bool done; /* the reader has finished */
	struct error error;
	/* Written by the tracing thread; `threads` and `count` before HOLDING: */
	struct go_held *threads;
	size_t count;
	struct hold_report report;
	atomic_bool let_go;
	sigset_t old_mask;
};

/* The tracing thread. */

static void hold_enter(struct hold *h, enum hold_stage stage)
{
	pthread_mutex_lock(&h->mutex);
	h->stage = stage;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->mutex);
}

static int hold_gather(struct hold *h)
{
	struct holding *g = &h->holding;
	int rc = holding_gather(g, monotonic_ns() + h->bound_ns / 2, &h->error);

	if (rc)
		return rc;
	h->count = h->report.threads = holding_count(g, &h->report.stopped);
	h->threads = calloc(h->count + 1, sizeof(*h->threads));
	if (!h->threads)
		return error_nomem(&h->error);
	holding_list(g, h->threads);
	return 0;
}

/* Waits until the reader has finished, or the bound is over. */
static void stand(struct hold *h)
{
	uint64_t begun = h->holding.begun_ns ? h->holding.begun_ns : monotonic_ns();
	struct timespec until = to_timespec(begun + h->bound_ns);

	pthread_mutex_lock(&h->mutex);
	while (!h->done && !h->report.cut)
		h->report.cut = pthread_cond_timedwait(&h->changed, &h->mutex, &until) == ETIMEDOUT;
	pthread_mutex_unlock(&h->mutex);
}

static int hold(struct hold *h)
{
	int rc = hold_gather(h);

	if (rc)
		return rc;
	set_holding_priority(h->reader, 1);
	hold_enter(h, HOLDING);
	stand(h);
	set_holding_priority(h->reader, 0);
	atomic_store(&h->let_go, true);
	h->report.moved = holding_moved(&h->holding);
	return 0;
}

static void *tracing(void *arg)
{
	struct hold *h = arg;
	int rc;

	h->tracer = (pid_t)syscall(SYS_gettid);
	rc = waker_init(&h->holding.waker, &h->error);
	if (!rc) {
		watchdog_tracer(h->holding.watchdog, 0, h->tracer);
		set_holding_priority(0, 2);
		rc = hold(h);
		holding_let_go(&h->holding);
		waker_release(&h->holding.waker);
	}
	hold_enter(h, rc ? FAILED : FINISHED);
	return NULL;
}

/* The caller's thread. */

static void block_signals(sigset_t *old)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&set, signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void free_hold(struct hold *h)
{
	watchdog_stop(h->holding.watchdog);
	pthread_sigmask(SIG_SETMASK, &h->old_mask, NULL);
	holding_release(&h->holding);
	pthread_mutex_destroy(&h->mutex);
	pthread_cond_destroy(&h->changed);
	free(h->threads);
	free(h);
}

static void init_locks(struct hold *h)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&h->mutex, NULL);
	pthread_cond_init(&h->changed, &attr);
	pthread_condattr_destroy(&attr);
}

static int hold_start(struct hold *h, struct error *err)
{
	int rc = pthread_create(&h->thread, NULL, tracing, h);

	if (rc)
		return error_set(err, ERR_IO, "cannot start a thread: %s", strerror(rc));
	pthread_mutex_lock(&h->mutex);
	while (h->stage == GATHERING)
		pthread_cond_wait(&h->changed, &h->mutex);
	rc = h->stage == FAILED;
	pthread_mutex_unlock(&h->mutex);
	if (!rc)
		return 0;
	tracer_join(h->thread, h->tracer);
	if (err)
		*err = h->error;
	return h->error.code;
}

int hold_begin(struct hold **out, const struct process *process, uint64_t bound_ns,
	       struct error *err)
{
	struct hold *h;
	int rc = process_may_trace(process->pid, err);

	if (rc)
		return rc;
	h = calloc(1, sizeof(*h));
	if (!h)
		return error_nomem(err);
	h->bound_ns = bound_ns;
	h->reader = (pid_t)syscall(SYS_gettid);
	init_locks(h);
	block_signals(&h->old_mask);
	rc = holding_init(&h->holding, process, err);
	if (!rc)
		rc = watchdog_start(&h->holding.watchdog, err);
	if (!rc)
		rc = hold_start(h, err);
	if (rc) {
		free_hold(h);
		return rc;
	}
	*out = h;
	return 0;
}

const struct go_held *hold_threads(const struct hold *h, size_t *count)
{
	*count = h->count;
	return h->threads;
}

const atomic_bool *hold_let_go(const struct hold *h)
{
	return &h->let_go;
}

void hold_end(struct hold *h, struct hold_report *report)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->mutex);
	h->done = true;
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->mutex);
	tracer_join(h->thread, h->tracer);
	watchdog_none_held(h->holding.watchdog, 0);
	if (h->holding.begun_ns)
		h->report.ns = h->holding.ended_ns - h->holding.begun_ns;
	if (report)
		*report = h->report;
	free_hold(h);
}

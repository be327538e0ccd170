/* A copier and its caller sleep on one futex, the copier's state. A copier that was given up finds
 * that out before and behind each read, and leaves the job by longjmp(3). */
#include "sampler/stop/copier.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/memory.h"

static const uint64_t AWAIT_NS = 1000000;

enum copier_state {
	IDLE,
	ASKED,	  /* it has a job, and its caller is awake */
	AWAITED,  /* it has a job, and its caller sleeps */
	DONE,	  /* its caller has not seen that yet */
	GIVEN_UP, /* it has a job, and its caller has gone on */
	ORPHANED, /* the same, and its caller does not exist any more */
	QUIT,
};

struct copier {
	struct memory_reader reader; /* first, for read_and_look */
	pthread_t thread;
	_Atomic uint32_t state; /* both sleep on it */
	_Atomic uint32_t reads; /* that have come back */
	const struct copier_loss *loss;
	struct copier_job job; /* its arguments are in `args` */
	jmp_buf out;
	alignas(16) char args[COPIER_ROOM];
};

struct copiers {
	const struct copier_loss *loss;
	struct copier *_Atomic all[COPIERS_MAX];
	_Atomic unsigned count;
};

static void sleep_while(_Atomic uint32_t *state, uint32_t is, uint64_t ns)
{
	struct timespec left = to_timespec(ns);

	syscall(SYS_futex, state, FUTEX_WAIT_PRIVATE, is, ns ? &left : NULL, NULL, 0);
}

static void copier_wake(_Atomic uint32_t *state)
{
	syscall(SYS_futex, state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The copier. */

static bool is_given_up(uint32_t state)
{
	return state == GIVEN_UP || state == ORPHANED;
}

/* What a given-up job would still touch may not exist any more. */
static void look_for_caller(struct copier *c)
{
	if (is_given_up(c->state))
		longjmp(c->out, 1);
}

static ssize_t read_and_look(struct memory_reader *reader, pid_t pid, const struct iovec *local,
			     size_t locals, const struct iovec *remote, size_t remotes)
{
	struct copier *c = (struct copier *)reader;
	ssize_t got;

	look_for_caller(c);
	got = process_vm_readv(pid, local, locals, remote, remotes, 0);
	c->reads++;
	look_for_caller(c);
	return got;
}

static void copier_report(struct copier *c)
{
	uint32_t is = ASKED;

	if (atomic_compare_exchange_strong(&c->state, &is, DONE))
		return;
	if (is == AWAITED && atomic_compare_exchange_strong(&c->state, &is, DONE)) {
		copier_wake(&c->state);
		return;
	}
	c->loss->back(c->args);
	is = GIVEN_UP;
	if (!atomic_compare_exchange_strong(&c->state, &is, IDLE))
		c->state = QUIT;
}

/* False: it is to end. */
static bool await_job(struct copier *c)
{
	uint32_t is;

	while ((is = c->state) == IDLE || is == DONE)
		sleep_while(&c->state, is, 0);
	return is != QUIT;
}

/* Above its caller, so that it runs at once and has slept by the time at which its caller goes on:
 * then a hand-over takes two system calls, not four. */
static void rise(void)
{
	struct sched_param param;

	/* Not pthread_getschedparam(3), which reports what was set by pthread functions. */
	if (sched_getscheduler(0) == SCHED_FIFO && !sched_getparam(0, &param)) {
		param.sched_priority++;
		sched_setscheduler(0, SCHED_FIFO, &param);
	}
}

static void *copier_thread(void *arg)
{
	struct copier *c = arg;
	sigset_t all;

	rise();
	sigfillset(&all); /* a signal that comes to a thread in such a sleep is not handled */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	memory_live_reads_by(&c->reader);
	while (await_job(c)) {
		if (!setjmp(c->out))
			c->job.run(c->args);
		copier_report(c);
	}
	free(c);
	return NULL;
}

/* Its caller. */

static struct copier *find_idle(struct copiers *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->all[i]->state == IDLE)
			return c->all[i];
	return NULL;
}

int copiers_new(struct copiers **out, const struct copier_loss *loss, struct error *err)
{
	struct copiers *c = calloc(1, sizeof(*c));

	if (!c)
		return error_nomem(err);
	c->loss = loss;
	*out = c;
	return 0;
}

bool copiers_ready(struct copiers *c)
{
	struct copier *more;

	if (find_idle(c))
		return true;
	if (c->count == COPIERS_MAX)
		return false;
	more = calloc(1, sizeof(*more));
	if (!more)
		return false;
	more->reader.read = read_and_look;
	more->loss = c->loss;
	if (pthread_create(&more->thread, NULL, copier_thread, more)) {
		free(more);
		return false;
	}
	c->all[c->count] = more;
	c->count++;
	return true;
}

/* An idle copier ends at once, and frees itself. */
static void copier_end(struct copier *c)
{
	pthread_t thread = c->thread;
	uint32_t is = GIVEN_UP;

	if (atomic_compare_exchange_strong(&c->state, &is, ORPHANED)) {
		pthread_detach(thread);
		return;
	}
	c->state = QUIT;
	copier_wake(&c->state);
	pthread_join(thread, NULL);
}

void copiers_free(struct copiers *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->count; i++)
		copier_end(c->all[i]);
	free(c);
}

/* False: it was given up. */
static bool await_done(struct copier *c)
{
	uint64_t most = c->job.most_ns ? c->job.most_ns : c->job.ns, until, end, now;
	uint32_t is = ASKED, reads;

	if (!atomic_compare_exchange_strong(&c->state, &is, AWAITED))
		return true;
	now = monotonic_ns();
	end = now + most;
	do {
		reads = c->reads;
		for (until = now + c->job.ns; c->state == AWAITED && now < until;
		     now = monotonic_ns())
			sleep_while(&c->state, AWAITED, until - now);
	} while (c->state == AWAITED && c->reads != reads && now < end);
	is = AWAITED;
	return !atomic_compare_exchange_strong(&c->state, &is, GIVEN_UP);
}

bool copiers_avoid(const struct copiers *c, const void *of, pid_t tid)
{
	unsigned stuck = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct copier *one = c->all[i];

		if (!is_given_up(one->state) || one->job.of != of)
			continue;
		stuck += one->job.tid == tid ? COPIERS_OF_ONE : 1;
	}
	return stuck >= COPIERS_OF_ONE;
}

enum copy copiers_run(struct copiers *all, const struct copier_job *job)
{
	struct copier *c = find_idle(all);

	if (!c || job->size > COPIER_ROOM || copiers_avoid(all, job->of, job->tid))
		return COPY_NONE;
	c->job = *job;
	memcpy(c->args, job->args, job->size);
	c->state = ASKED;
	copier_wake(&c->state);
	if (!await_done(c)) {
		all->loss->left(job->args);
		return COPY_STUCK;
	}
	memcpy(job->args, c->args, job->size);
	c->state = IDLE; /* it sleeps while this is DONE, or IDLE */
	return COPY_DONE;
}

unsigned copiers_stuck(const struct copiers *c)
{
	unsigned stuck = 0;

	for (unsigned i = 0; i < c->count; i++)
		stuck += is_given_up(c->all[i]->state);
	return stuck;
}

void copiers_await(const struct copiers *c, uint64_t ns)
{
	static const struct timespec moment = { 0, AWAIT_NS };

	for (uint64_t until = monotonic_ns() + ns; copiers_stuck(c) && monotonic_ns() < until;)
		nanosleep(&moment, NULL);
}

void copiers_bind(struct copiers *c, unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	for (unsigned i = 0; i < c->count && cpu < CPU_SETSIZE; i++)
		pthread_setaffinity_np(c->all[i]->thread, sizeof(set), &set);
}

uint64_t copiers_cpu_ns(const struct copiers *c)
{
	uint64_t ns = 0;

	for (unsigned i = 0; i < c->count; i++) {
		clockid_t clock;

		if (!pthread_getcpuclockid(c->all[i]->thread, &clock))
			ns += clock_ns(clock);
	}
	return ns;
}

/* Threads of this process that wait, start and end. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/process.h"
#include "rounds/metrics/threadmetrics.h"

enum { THREADS = 5, WAITS = 20 };

static struct process self;
static struct threadmetrics state;
static struct metric_value first[METRIC_PROCESS_COUNT], second[METRIC_PROCESS_COUNT];
static pthread_barrier_t done, over;

static void take(struct metric_value *values)
{
	cr_assert_eq(threadmetrics_read(&state, &self, values, NULL), 0);
}

static uint64_t gained(enum metric m)
{
	cr_assert_null(first[m].why_not, "%d: %s", m, first[m].why_not);
	cr_assert_null(second[m].why_not, "%d: %s", m, second[m].why_not);
	cr_assert_geq(second[m].number, first[m].number);
	return second[m].number - first[m].number;
}

static void enter(void)
{
	cr_assert_eq(process_open(&self, getpid(), NULL), 0);
	pthread_barrier_init(&done, NULL, THREADS + 1);
	pthread_barrier_init(&over, NULL, THREADS + 1);
}

static void leave(void)
{
	threadmetrics_release(&state);
	process_close(&self);
}

TestSuite(threadmetrics, .init = enter, .fini = leave);

static long voluntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* A wait of 100 us may end before another thread has the CPU: then it is no switch. */
static void give_way(void)
{
	long before = voluntary_switches();

	while (voluntary_switches() < before + WAITS)
		usleep(100);
}

static void *wait_often(void *arg)
{
	give_way();
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&over);
	return arg;
}

static void start(pthread_t *threads)
{
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, wait_often, NULL);
	pthread_barrier_wait(&done);
}

static void join(pthread_t *threads)
{
	pthread_barrier_wait(&over);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

Test(threadmetrics, new_threads_count_with_all_that_they_have)
{
	pthread_t threads[THREADS];
	size_t others; /* one of them is Criterion's */

	take(first);
	others = state.count;
	start(threads);
	take(second);
	cr_assert_geq(gained(METRIC_VOLUNTARY_SWITCHES), THREADS * WAITS);
	cr_assert_eq(state.count, others + THREADS);
	join(threads);
}

Test(threadmetrics, those_that_end_take_nothing_away)
{
	pthread_t threads[THREADS];
	size_t with;

	start(threads);
	take(first);
	with = state.count;
	cr_assert_geq(first[METRIC_VOLUNTARY_SWITCHES].number, THREADS * WAITS);
	join(threads);
	take(second);
	/* A thread is in /proc for a moment after pthread_join(3) has returned. */
	for (int i = 0; i < 60 && state.count != with - THREADS; i++) {
		usleep(50000);
		take(second);
	}
	cr_assert_lt(gained(METRIC_VOLUNTARY_SWITCHES), THREADS * WAITS);
	cr_assert_eq(state.count, with - THREADS);
}

/* The totals are those of a complete reading, although files of threads that have not run were not
 * read. */
Test(threadmetrics, a_thread_that_slept_on_has_the_numbers_it_had)
{
	struct threadmetrics fresh = { 0 };
	pthread_t threads[THREADS];
	uint64_t base;

	start(threads);
	take(first);
	base = first[METRIC_VOLUNTARY_SWITCHES].number;
	give_way();
	take(second);
	cr_assert_geq(gained(METRIC_VOLUNTARY_SWITCHES), WAITS);
	cr_assert_eq(threadmetrics_read(&fresh, &self, first, NULL), 0);
	cr_assert_geq(first[METRIC_VOLUNTARY_SWITCHES].number, base + WAITS);
	cr_assert_leq(second[METRIC_VOLUNTARY_SWITCHES].number,
		      first[METRIC_VOLUNTARY_SWITCHES].number);
	cr_assert_leq(second[METRIC_RUN_DELAY].number, first[METRIC_RUN_DELAY].number);
	threadmetrics_release(&fresh);
	join(threads);
}

/* Our first thread is made to look as if its tid was that of a thread that ran for a day. */
Test(threadmetrics, a_tid_that_came_again_is_another_thread)
{
	give_way();
	take(first);
	state.voluntary = 1000000;
	((uint64_t *)(void *)state.threads)[1] += 86400ull * 1000000000; /* cpu_ns */
	take(second);
	cr_assert_geq(second[METRIC_VOLUNTARY_SWITCHES].number, 1000000 + WAITS);
}

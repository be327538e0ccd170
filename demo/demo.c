/*
 * A small workload to look at: three threads that compute, in the shares that
 * their functions' names say, one that sleeps, and one that waits for a lock.
 * Runs until it is killed.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 4096, ROUND_NS = 1000000 };

static pthread_mutex_t never_free = PTHREAD_MUTEX_INITIALIZER;
static volatile double sink;

static long cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline double one_term(int n)
{
	return sqrt(n) * sin(n);
}

__attribute__((noinline)) static void sum_series(void)
{
	double sum = 0;

	for (int i = 1; i < WORDS; i++)
		sum += one_term(i);
	sink = sum;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort_numbers(void)
{
	int numbers[WORDS];

	for (int i = 0; i < WORDS; i++)
		numbers[i] = (i * 7919) % 10007;
	qsort(numbers, WORDS, sizeof(*numbers), compare);
	sink = numbers[0];
}

__attribute__((noinline)) static void format_text(void)
{
	char text[64];

	for (int i = 0; i < WORDS / 8; i++)
		sink = snprintf(text, sizeof(text), "%d %f %s", i, i / 3.0, "text");
}

struct job {
	const char *name;
	void (*work)(void);
	int share; /* ms of CPU in each 10 ms */
};

static void *run_job(void *arg)
{
	const struct job *job = arg;

	pthread_setname_np(pthread_self(), job->name);
	for (;;) {
		long end = cpu_ns() + job->share * (long)ROUND_NS;

		while (cpu_ns() < end)
			job->work();
		usleep((useconds_t)(10 - job->share) * 1000);
	}
	return NULL;
}

static void *wait_for_lock(void *arg)
{
	pthread_setname_np(pthread_self(), "waiter");
	pthread_mutex_lock(&never_free);
	return arg;
}

int main(void)
{
	static struct job jobs[] = {
		{ "series", sum_series, 6 }, { "sorter", sort_numbers, 4 }, { "writer", format_text, 2 },
	};
	pthread_t thread;

	pthread_mutex_lock(&never_free);
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		if (pthread_create(&thread, NULL, run_job, &jobs[i]))
			return 1;
	if (pthread_create(&thread, NULL, wait_for_lock, NULL))
		return 1;
	for (;;)
		pause();
}

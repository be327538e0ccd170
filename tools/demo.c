/*
 * A small workload to look at: three threads that compute, with CPU time in the
 * ratio 3:2:1 (sum_series, sort_numbers, format_text), one that sleeps, and one
 * that waits for a lock. Runs until it is killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { NUMBERS = 2048, TERMS = 50000, TEXTS = 10000, SHARE_NS = 1000000, JOBS = 3 };

static pthread_mutex_t never_free = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_over;
static volatile double series;
static volatile char text[16];

static long cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The work is done in functions of our own, so that the profile shows their
 * names and not a library's. The compiler inlines the small ones, but the profile
 * shows them, too. */

static inline double one_term(int n)
{
	return 1.0 / ((2 * n + 1) * (n & 1 ? -1.0 : 1.0));
}

__attribute__((noinline)) static void sum_series(void)
{
	double sum = 0;

	for (int n = 0; n < TERMS; n++)
		sum += one_term(n);
	series = sum;
}

static inline void swap(int *a, int *b)
{
	int kept = *a;

	*a = *b;
	*b = kept;
}

__attribute__((noinline)) static void sort_numbers(void)
{
	static int numbers[NUMBERS];

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = (i * 7919) % 10007;
	for (int gap = NUMBERS / 2; gap; gap /= 2)
		for (int i = gap; i < NUMBERS; i++)
			for (int j = i; j >= gap && numbers[j - gap] > numbers[j]; j -= gap)
				swap(&numbers[j - gap], &numbers[j]);
}

static inline char one_digit(unsigned n)
{
	return (char)('0' + n % 10);
}

__attribute__((noinline)) static void format_text(void)
{
	for (int i = 0; i < TEXTS; i++) {
		unsigned n = (unsigned)i * 7919;

		for (int at = 0; n; n /= 10)
			text[at++] = one_digit(n);
	}
}

struct job {
	const char *name;
	void (*work)(void);
	int share; /* ms of CPU in each round */
};

static void *run_job(void *arg)
{
	const struct job *job = arg;

	pthread_setname_np(pthread_self(), job->name);
	for (long end = cpu_ns();;) {
		end += job->share * (long)SHARE_NS;
		while (cpu_ns() < end)
			job->work();
		/* On a busy machine a round takes longer, but the shares stay the same. */
		pthread_barrier_wait(&round_over);
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
	static struct job jobs[JOBS] = {
		{ "series", sum_series, 6 },
		{ "sorter", sort_numbers, 4 },
		{ "writer", format_text, 2 },
	};
	pthread_t thread;

	pthread_mutex_lock(&never_free);
	if (pthread_barrier_init(&round_over, NULL, JOBS))
		return 1;
	for (int i = 0; i < JOBS; i++)
		if (pthread_create(&thread, NULL, run_job, &jobs[i]))
			return 1;
	if (pthread_create(&thread, NULL, wait_for_lock, NULL))
		return 1;
	for (;;)
		pause();
}

/*
 * counter THREADS SECONDS: does nothing but compute, to see what profiling costs it. The
 * threads count, a score of calls deep, in steps of about a microsecond. Prints how many
 * steps they made.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 256, DEPTH = 16, STEP = 1000 };

static atomic_bool over;
static _Atomic unsigned long total;

__attribute__((noinline)) static unsigned long count(void)
{
	unsigned long steps = 0;

	for (; !atomic_load_explicit(&over, memory_order_relaxed); steps++)
		for (volatile int i = 0; i < STEP; i++)
			;
	return steps;
}

__attribute__((noinline)) static unsigned long descend(int depth)
{
	volatile int here = depth;

	return (depth ? descend(depth - 1) : count()) + (unsigned long)(here - depth);
}

static void *run(void *arg)
{
	total += descend(DEPTH);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	int threads = argc == 3 ? atoi(argv[1]) : 0;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, NULL))
			return 1;
	usleep((useconds_t)(atof(argv[2]) * 1e6));
	over = true;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%lu\n", total);
	return 0;
}

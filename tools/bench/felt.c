/*
 * Measures in a thread what a look from outside costs it:
 *
 *   felt FILE THREADS [DEPTH]
 *
 * One thread does nothing but read the clock, DEPTH (35) calls deep, and notes every gap
 * of more than a microsecond between two readings. Another sleeps a millisecond
 * at a time and notes how late each sleep ended. THREADS more wait for ever.
 * FILE receives the notes; the bench reads those of a period that it chooses.
 *
 * The thread that reads the clock is bound to the second of our CPUs, the sleeper to
 * the first, where the bench puts the profiler. Runs until killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	NOTES_MAX = 1 << 18,
	THREADS_MAX = 10000,
	DEPTH = 35,
	DEPTH_MAX = 1000,
	GAP_NS = 1000,
	SLEEP_NS = 1000000,
	NS_PER_S = 1000000000,
	STACK = 128 << 10,
};

struct notes {
	_Atomic uint64_t n;
	uint32_t ns[NOTES_MAX];
};

/* FILE's contents. */
static struct {
	struct notes gaps, late;
} *felt;

static int depth = DEPTH;

static void note(struct notes *notes, uint64_t ns)
{
	uint64_t n = atomic_load_explicit(&notes->n, memory_order_relaxed);

	if (n == NOTES_MAX)
		return;
	notes->ns[n] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
	atomic_store_explicit(&notes->n, n + 1, memory_order_release);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Binds the thread to the nth of our CPUs, counted from 0, unless there is only one. */
static void use_cpu(int nth)
{
	cpu_set_t all, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all) || CPU_COUNT(&all) < 2)
		return;
	for (;; cpu++)
		if (CPU_ISSET(cpu, &all) && nth-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

__attribute__((noinline)) static void watch_the_clock(void)
{
	uint64_t last = now_ns(), now;

	/* For ever: the clock is full 584 years after boot. */
	for (; last != UINT64_MAX; last = now) {
		now = now_ns();
		if (now - last > GAP_NS) {
			note(&felt->gaps, now - last);
			now = now_ns();
		}
	}
}

__attribute__((noinline)) static int descend(int further)
{
	volatile int here = further;

	if (further)
		here += descend(further - 1);
	else
		watch_the_clock();
	return here;
}

static void *watch(void *arg)
{
	use_cpu(1);
	descend(depth - 4);
	return arg;
}

static void *sleep_often(void *arg)
{
	uint64_t due = now_ns();

	use_cpu(0);
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		struct timespec ts;
		uint64_t now;

		due += SLEEP_NS;
		ts = (struct timespec){ (time_t)(due / NS_PER_S), (long)(due % NS_PER_S) };
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
			;
		now = now_ns();
		note(&felt->late, now - due);
		if (now > due + SLEEP_NS)
			due = now;
	}
	return arg;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int start(void *(*run)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	return pthread_create(&thread, &attr, run, NULL);
}

int main(int argc, char **argv)
{
	int threads = argc == 3 || argc == 4 ? atoi(argv[2]) : -1, fd;

	if (argc == 4)
		depth = atoi(argv[3]);
	if (threads < 0 || threads > THREADS_MAX || depth < 4 || depth > DEPTH_MAX)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*felt)))
		return 1;
	felt = mmap(NULL, sizeof(*felt), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (felt == MAP_FAILED)
		return 1;
	for (int i = 0; i < threads; i++)
		if (start(wait_for_ever))
			return 1;
	if (start(watch) || start(sleep_often))
		return 1;
	wait_for_ever(NULL);
}

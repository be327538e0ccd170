/* The clocks that a recording uses, in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* CPU time of the calling thread: what something costs. Wall time would include the moments in
 * which the thread had no CPU. */
static inline uint64_t thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline uint64_t rusage_cpu_ns(const struct rusage *ru)
{
	return (uint64_t)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(ru->ru_utime.tv_usec + ru->ru_stime.tv_usec) * 1000;
}

static inline struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

#endif

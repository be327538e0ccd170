/*
 * The unit of a bucket's cycles.
 *
 * The runtime measures the frequency of its ticks (the time stamp counter, runtime·cputicks) when
 * it is first needed. If that has not happened yet, it is measured here, with the same counter and
 * in the same way, once. Since 1.22 the runtime stores both clocks at its start, which gives a long
 * measurement. This is used only if a short measurement of our own agrees; in another time
 * namespace it does not.
 */
#include "runtimes/go/numbers/buckets.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"

enum {
	SHORT_NS = 2 * 1000 * 1000,  /* enough to reject wrong values, not more */
	LONG_NS = 100 * 1000 * 1000, /* runtime/runtime.go, tickspersecond: usleep(100 * 1000) */
	START_NS = 5 * 1000 * 1000,  /* minTimeForTicksPerSecond */
};

/* Bounds on the frequency of any counter, in Hz. */
static const double FREQUENCY_MIN = 1e6, FREQUENCY_MAX = 1e12;

struct clocks {
	int64_t ns; /* runtime.nanotime: CLOCK_MONOTONIC */
	int64_t ticks;
};

static struct clocks clocks_now(void)
{
	struct clocks now = { .ns = (int64_t)monotonic_ns() };

#ifdef __x86_64__
	now.ticks = (int64_t)__builtin_ia32_rdtsc();
#endif
	return now;
}

static double frequency_between(const struct clocks *from, const struct clocks *to)
{
	int64_t ns = to->ns > from->ns ? to->ns - from->ns : 1;

	return (double)(to->ticks - from->ticks) * 1e9 / (double)ns;
}

static double bucketscale_measure(int64_t ns)
{
	struct clocks from = clocks_now(), to;

	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
	to = clocks_now();
	return frequency_between(&from, &to);
}

static bool possible(double frequency)
{
	return frequency >= FREQUENCY_MIN && frequency <= FREQUENCY_MAX;
}

/* The frequency since the runtime's start, as ticksPerSecond since 1.22; 0: not usable. */
static double since_start(const struct golayout *layout, const uint64_t *words)
{
	struct clocks start = { .ns = (int64_t)words[layout->ticks_start_time / 8],
				.ticks = (int64_t)words[layout->ticks_start / 8] };
	struct clocks now = clocks_now();
	double frequency, ours;

	if (start.ns <= 0 || start.ns > now.ns - START_NS || start.ticks < 0 ||
	    start.ticks >= now.ticks)
		return 0;
	frequency = frequency_between(&start, &now);
	ours = bucketscale_measure(SHORT_NS);
	return frequency > ours * 0.95 && frequency < ours * 1.05 ? (double)(int64_t)frequency : 0;
}

static double measure_once(const struct golive *live, const uint64_t *words, double *measured)
{
	if (!possible(*measured) && live->vars.layout->minor >= 22)
		*measured = since_start(live->vars.layout, words);
	if (!possible(*measured))
		*measured = bucketscale_measure(LONG_NS);
	return *measured;
}

int gobuckets_frequency(const struct golive *live, double *measured, double *cycles_per_second,
			struct error *err)
{
	unsigned word = live->vars.layout->ticks_value / 8;
	uint64_t words[4]; /* runtime/runtime.go, ticks: val is the last of at most four words */
	double frequency;

	if (!live->places.ticks) /* not linked in: up to 1.21, without runtime/pprof */
		memset(words, 0, sizeof(words));
	else if (live->memory->read(live->memory, live->places.ticks, words, (word + 1) * 8))
		return error_set(err,
				 live->process && !process_alive(live->process) ? ERR_GONE :
										  ERR_NOTFOUND,
				 "the runtime's clock cannot be read");
	frequency = words[word] ? (double)(int64_t)words[word] :
				  measure_once(live, words, measured);
	if (!possible(frequency))
		return error_set(err, ERR_NOTFOUND, "the speed of the runtime's clock is none");
	*cycles_per_second = frequency;
	return 0;
}

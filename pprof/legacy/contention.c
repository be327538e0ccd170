/*
 * Reads Go's block and mutex profiles.
 *
 *   --- mutex:
 *   cycles/second=2100000000
 *   sampling period=100
 *   CYCLES COUNT @ 0xADDRESS...
 *
 * Cycles become nanoseconds; cycles and counts are multiplied by the period.
 */
#include "base/error.h"
#include "pprof/gotext/heapscale.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/scan.h"

static int contention_begin(struct legacy *l, struct cursor line)
{
	if ((!scan_take(&line, "--- contention:") && !scan_take(&line, "--- mutex:")) ||
	    cursor_left(&line))
		return NOT_THIS;
	return profile_add_contentions(l->p);
}

static void contention_scale(const struct legacy *l, int64_t *cycles, int64_t *count)
{
	int64_t period = l->p->period;

	if (period && l->hertz)
		*cycles = heapscale_truncated((double)*cycles * (double)period /
					      ((double)l->hertz / 1e9));
	if (period)
		*count = (int64_t)((uint64_t)*count * (uint64_t)period);
}

static int contention_read_sample(struct legacy *l, struct cursor line)
{
	int64_t count, cycles = scan_count(&line);

	scan_expect(&line, " ");
	count = scan_count(&line);
	scan_expect(&line, " @");
	contention_scale(l, &cycles, &count);
	return legacy_add_sample(l, line, (int64_t[]){ count, cycles }, NULL, 0);
}

/* Attributes are before all samples. */
static int contention_read(struct legacy *l, struct cursor line)
{
	int64_t *value = scan_take(&line, "cycles/second=")   ? &l->hertz :
			 scan_take(&line, "sampling period=") ? &l->p->period :
								NULL;

	if (!value)
		return contention_read_sample(l, line);
	*value = scan_count(&line);
	return line.failed || cursor_left(&line) || l->p->sample_count ? ERR_FORMAT : 0;
}

const struct legacy_form legacy_contention = { contention_begin, contention_read,
					       "CYCLES COUNT @ 0xADDRESS..." };

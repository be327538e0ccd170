/* All counters and gauges, and one reading of them. */
#ifndef ROUNDS_METRICS_VALUES_H
#define ROUNDS_METRICS_VALUES_H

#include <stdint.h>

#include "runtimes/go/numbers/metrics.h"

enum metric {
	/* Of the process, from /proc (rounds/metrics/procmetrics.h,
	 * rounds/metrics/threadmetrics.h). */
	METRIC_CPU,
	METRIC_CPU_USER,
	METRIC_CPU_SYSTEM,
	METRIC_RUN_DELAY,
	METRIC_VOLUNTARY_SWITCHES,
	METRIC_INVOLUNTARY_SWITCHES,
	METRIC_MINOR_FAULTS,
	METRIC_MAJOR_FAULTS,
	METRIC_READ_CHARS,
	METRIC_WRITE_CHARS,
	METRIC_READ_CALLS,
	METRIC_WRITE_CALLS,
	METRIC_READ_BYTES,
	METRIC_WRITE_BYTES,
	METRIC_CANCELLED_WRITE_BYTES,
	METRIC_RSS,
	METRIC_RSS_PEAK,
	METRIC_PSS,
	METRIC_SWAP,
	METRIC_VIRTUAL,
	METRIC_THREADS,
	METRIC_FDS,
	METRIC_PROCESS_COUNT,		  /* the number of metrics above */
	METRIC_GO = METRIC_PROCESS_COUNT, /* the first of enum gometric, of the Go runtime */
	METRIC_COUNT = METRIC_GO + GOMETRIC_COUNT,
};

struct metric_value {
	uint64_t number;
	const char *why_not; /* NULL, or why it could not be read; not owned */
};

static inline void metric_set(struct metric_value *v, uint64_t number)
{
	*v = (struct metric_value){ number, NULL };
}

#endif

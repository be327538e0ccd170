/*
 * What the kernel counts for threads only: the time that they waited for a CPU, and context
 * switches. (/proc/PID/schedstat and /proc/PID/status have these of the first thread only.)
 *
 * The totals are sums over all threads, kept from reading to reading. A thread that began since
 * the last reading counts with all that it has; one that has ended counts with what it had at
 * the last reading. What it did after that is lost: netlink's taskstats has it, but requires
 * CAP_NET_ADMIN. So the totals never decrease, and are a little low where threads come and go.
 *
 * Cost: one small file for each thread, 7 us; for each that has run since the last reading
 * another one, 12 us. 10,000 threads, all of them busy: 0.19 s.
 */
#ifndef ROUNDS_METRICS_THREADMETRICS_H
#define ROUNDS_METRICS_THREADMETRICS_H

#include <stddef.h>
#include <stdint.h>

#include "rounds/metrics/values.h"

struct error;
struct process;
struct thread_counts;

/* State from reading to reading; {0} at first. */
struct threadmetrics {
	struct thread_counts *threads; /* at the last reading, sorted by tid; owned */
	size_t count;
	uint64_t run_delay_ns, voluntary, involuntary; /* totals of all threads */
};

void threadmetrics_release(struct threadmetrics *m);

/* Fills METRIC_RUN_DELAY, METRIC_VOLUNTARY_SWITCHES and METRIC_INVOLUNTARY_SWITCHES, or their
 * reasons if they cannot be read (as with more than 32,768 threads). ERR_GONE: the process has
 * ended; ERR_NOMEM. */
int threadmetrics_read(struct threadmetrics *m, const struct process *p,
		       struct metric_value values[METRIC_PROCESS_COUNT], struct error *err);

#endif

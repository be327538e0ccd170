/*
 * What the kernel counts for threads only: time that they waited for a CPU, and context
 * switches. (What /proc/PID/schedstat and status say of a process is its first thread's.)
 *
 * The totals are sums over all threads, kept from reading to reading. A thread that began
 * since counts with all that it has; one that has ended counts with what it had at the
 * last reading, and what it did after that nobody can know: netlink's taskstats could
 * tell, but wants CAP_NET_ADMIN. So the totals never run backwards, and are a little low
 * where threads come and go.
 *
 * Cost: one small file for each thread, 7 us; for each that has run since the last
 * reading one more, 12 us. 10,000 threads, all of them busy: 0.19 s.
 */
#ifndef ROUNDS_THREADMETRICS_H
#define ROUNDS_THREADMETRICS_H

#include <stddef.h>
#include <stdint.h>

#include "rounds/metricvalues.h"

struct error;
struct process;
struct thread_counts;

/* {0} at first. */
struct threadmetrics {
	struct thread_counts *threads; /* at the last reading, by tid; owned */
	size_t count;
	uint64_t run_delay_ns, voluntary, involuntary; /* all threads', so far */
};

void threadmetrics_release(struct threadmetrics *m);

/* Fills METRIC_RUN_DELAY, METRIC_VOLUNTARY_SWITCHES and METRIC_INVOLUNTARY_SWITCHES, with
 * reasons where that is not possible (some 32,000 threads are the most). ERR_GONE when the
 * process has ended, ERR_NOMEM. */
int threadmetrics_read(struct threadmetrics *m, const struct process *p,
		       struct metric_value values[METRIC_PROCESS_COUNT], struct error *err);

#endif

/*
 * A process's counters that /proc gives for the process as a whole, ended threads included: CPU
 * time, faults, I/O, memory, descriptors.
 *
 * Sources: proc_pid_stat(5), proc_pid_status(5), proc_pid_io(5), proc_pid_smaps(5),
 * Documentation/filesystems/proc.rst; for what they count of threads, fs/proc/array.c,
 * do_task_stat, and fs/proc/base.c, do_io_accounting, of Linux 6.12.
 */
#ifndef ROUNDS_METRICS_PROCMETRICS_H
#define ROUNDS_METRICS_PROCMETRICS_H

#include <stdint.h>

#include "base/buffer.h"
#include "rounds/metrics/values.h"

struct error;
struct process;

/* State from reading to reading; {0} at first. */
struct procmetrics {
	struct buffer text;
	uint64_t pss_ns, pss_at; /* CPU time of the last PSS reading; its CLOCK_MONOTONIC time */
};

void procmetrics_release(struct procmetrics *m);

/* Fills values[METRIC_CPU] and all others up to METRIC_FDS, except those of
 * rounds/metrics/threadmetrics.h. *program stays the same until another program is executed
 * (0: not known). A value that cannot be read has a reason. ERR_GONE: the process has ended;
 * ERR_NOMEM. */
int procmetrics_read(struct procmetrics *m, const struct process *p,
		     struct metric_value values[METRIC_PROCESS_COUNT], uint64_t *program,
		     struct error *err);

#endif

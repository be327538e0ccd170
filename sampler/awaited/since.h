/*
 * Since when a thread has been off its CPU.
 *
 * The kernel keeps when a thread left its CPU (`se.exec_start` in /proc/TID/sched), by the clock of
 * that CPU's run queue. The clocks of two CPUs differ by the time that interrupts and the host took
 * from each (update_rq_clock_task() in kernel/sched/core.c). So the present time is read in the
 * same way: our thread goes to that CPU for a moment, once for each CPU, but to none that is
 * isolated or without ticks. Where a thread of SCHED_FIFO does not let go of a CPU, that takes
 * up to a second (sched_rt_runtime_us).
 *
 * Rejected: `stat` and `status`, which have no such time; reading slices twice, which tells only of
 * the time between.
 */
#ifndef SAMPLER_AWAITED_SINCE_H
#define SAMPLER_AWAITED_SINCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* {0} is empty. */
struct since {
	int64_t *ahead; /* by CPU: its clock less CLOCK_MONOTONIC, ns; 0: not asked yet */
	size_t room;
};

void since_release(struct since *s);

/* How long the waiting thread, last on `cpu`, has not run, in ns; 0: not known. The calling thread
 * has its CPUs back afterwards. */
uint64_t since_ns(struct since *s, pid_t tid, int cpu);

/* Is the CPU in such a list: "1-3,7"? */
bool since_is_listed(const char *list, int cpu);

#endif

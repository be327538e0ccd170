/*
 * A process's counters: read at a round's start and end, and told as totals and rates.
 *
 * From /proc: CPU seconds (user, system), RSS, PSS, threads, context switches, page faults,
 * I/O, open descriptors, scheduler delay (proc(5), Documentation/scheduler/sched-stats.rst).
 * Of a Go runtime, out of the process's memory: goroutines, GC cycles, pause total, live heap
 * and goal, allocated and freed objects and bytes (goruntime/gometrics.h).
 */
#ifndef ROUNDS_METRICS_H
#define ROUNDS_METRICS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;
struct error;
struct metrics;

/* The sampler's own part, given by who knows it. */
struct metrics_own {
	uint64_t cpu_ns, peak_bytes, rss_bytes; /* in the round; at most; now */
	double pause_share;	/* of its time that a thread was held, at most */
	uint64_t samples, held_max_ns;
};

/* For one process; remembers what does not change. ERR_GONE, ERR_PERM, ERR_NOMEM. */
int metrics_new(struct metrics **m, pid_t pid, struct error *err);
void metrics_free(struct metrics *m);

/* Reads all counters now, which become the newer of two readings; the older one is the one
 * before. What cannot be read (no permission, no Go) is left out and told as null. Takes
 * 0.3 ms, with 10,000 busy threads 200; the first time in each program it looks for a Go
 * runtime, too, some ms. ERR_GONE: the process has ended, and the last reading stays;
 * ERR_NOMEM. */
int metrics_read(struct metrics *m, struct error *err);

/* The two readings as a JSON object (docs/metrics.md): the values at the end, and rates for
 * what counts. With one reading only, or when the process had ended at the last attempt, there
 * are no rates: the newest reading is then one of the round's start. `own` may be NULL.
 * ERR_NOMEM. */
int metrics_json(const struct metrics *m, const struct metrics_own *own, struct buffer *out,
		 struct error *err);

#endif

/*
 * What a process's children use of CPU time, when they are not sampled themselves: a master of
 * workers has no samples, and the user must be told where its work is done.
 */
#ifndef SAMPLER_MEMBER_OFFSPRING_H
#define SAMPLER_MEMBER_OFFSPRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process;

/* Of all descendants that live, and of those that ended and were waited for: their CPU time since
 * they began, in ns, in steps of the kernel's clock tick (10 ms). The time of a process does not
 * change its place when it ends, so the difference of two readings is what was used in between.
 * (Orphans, and children of a process that ignores SIGCHLD, leave the sum when they go.) */
struct offspring {
	uint64_t cpu_ns;
	size_t alive; /* OFFSPRING_MAX at most */
};

enum { OFFSPRING_MAX = 1024, OFFSPRING_THREADS_MAX = 512 };

/* The living children of a process but ourselves, those of OFFSPRING_THREADS_MAX threads. Returns
 * how many are in `found`; 0 also if memory runs out. */
size_t offspring_children(const struct process *p, pid_t found[OFFSPRING_MAX]);

/* Is a process sampled itself? Then neither it nor its children are counted. */
typedef bool offspring_left_out(const void *owner, pid_t pid);

/* False: the process is gone, or memory ran out. Descendants beyond OFFSPRING_MAX, and those made
 * by a process's threads beyond OFFSPRING_THREADS_MAX, are not counted. */
bool offspring_read(struct offspring *o, const struct process *p, offspring_left_out *left_out,
		    const void *owner);

#endif

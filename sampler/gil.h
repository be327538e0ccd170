/*
 * How long the threads of a recording held the lock of their interpreter (CPython's GIL, Ruby's
 * GVL), and how long they waited for it: from the contexts of their stacks.
 *
 * Each ractor of Ruby, each process, and each interpreter of CPython that has a GIL of its own, has
 * a lock of its own. The time of a thread counts for the lock that it used last.
 *
 * Without wall time only threads on a CPU are sampled. Then the account has the CPU time for which
 * the lock was held, and no waiting.
 */
#ifndef SAMPLER_GIL_H
#define SAMPLER_GIL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct recorded;

enum { GIL_THREADS = 3 };

struct gil_times {
	uint64_t held_ns, waited_ns;
};

struct gil_account {
	struct gil_times all;
	size_t threads;	       /* that held one or waited for it */
	size_t locks;	       /* that these threads used */
	uint64_t held_most_ns; /* for which one of them was held, of that for which it was most */
	struct gil_thread {
		pid_t tid;
		char name[32];
		struct gil_times times;
	} most[GIL_THREADS]; /* those with the largest sums, the largest first; tid 0: none */
};

/* Adds up the times of all threads. ERR_NOMEM. */
int gil_account(const struct recorded *r, struct gil_account *a);

#endif

/*
 * The accounts of CPU time: how a process's time is shared by the samples of its threads, and what
 * is left that no sample stands for.
 *
 * Internal to sampler/.
 */
#ifndef SAMPLER_PROFILE_ACCOUNTS_H
#define SAMPLER_PROFILE_ACCOUNTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct member;
struct recorded;
struct thread;

/* CPU time, and the weight of the samples that share it. */
struct account {
	uint64_t ns, weight;  /* weight: of its samples, and of looks that were spared */
	uint64_t spared;      /* the part of `weight` that is of spared looks */
	uint64_t seen, given; /* of weight and ns: handed out so far */
	uint32_t at;	      /* of a thread: which account of the member holds its time */
};

struct accounts {
	struct account *all; /* by member and thread; the last ones of each member are shared by its
			      * threads of few samples */
	size_t *first;	     /* by member: its first account */
};

/* Opens the accounts of what was recorded so far. The caller frees them with accounts_release, also
 * after an error. ERR_NOMEM. */
int accounts_open(struct accounts *a, const struct recorded *r);
void accounts_release(struct accounts *a);

/* The account that holds a thread's CPU time. */
struct account *accounts_of(struct accounts *a, uint32_t member, uint32_t thread);

/* A thread's CPU time in the kernel, in ns, where samples do not see it (events_see_user_only): the
 * part that the kernel's own ticks found there. Rejected: what its samples' periods leave of its
 * time, since its timer begins anew on each CPU with a whole period. */
uint64_t accounts_kernel_ns(const struct recorded *r, const struct member *m,
			    const struct thread *thread);

/* CPU time by which the process's clock exceeds the sum of its threads, in ns: threads that began
 * and ended between two looks. */
uint64_t accounts_beyond_ns(const struct member *m);

/* The CPU time that [not sampled] has in the profile, and why, in ns. */
struct unsampled {
	uint64_t traced_ns, traced; /* of threads that another program traced, and how many */
	uint64_t spared_ns;	    /* a stop might have done harm (preempted.h, exposure.h) */
	uint64_t brief_ns, brief;   /* of threads that ran for less than a tick, and how many */
	uint64_t missed_ns;	    /* of threads that began and ended between two looks */
	uint64_t other_ns, other;   /* of threads that no tick found on a CPU, and how many */
	uint64_t kernel_ns;	    /* beside it: what [kernel] has (accounts_kernel_ns) */
};

/* Finds what no sample stands for. ERR_NOMEM. */
int accounts_unsampled(const struct recorded *r, struct unsampled *u);
uint64_t unsampled_ns(const struct unsampled *u);

#endif

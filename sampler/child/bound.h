/* fork(2) for processes of ours that must not outlive us. */
#ifndef SAMPLER_CHILD_BOUND_H
#define SAMPLER_CHILD_BOUND_H

#include <sys/types.h>

/* Returns as fork(2) does; -1 and errno. In the child all signals are blocked until the child has
 * set its own handlers: an earlier signal would run a handler of the parent's. The kernel sends the
 * signal `death` to the child when the calling thread ends (PR_SET_PDEATHSIG, prctl(2)). A child
 * whose parent has ended already exits with 1 instead of returning. The child has the priority of
 * the calling thread (priority.h). */
pid_t fork_bound(int death);

/* Waits for the end of a child; `flags` as of waitpid(2). Returns its status. */
int await_child(pid_t pid, int flags);

/* In the child, once its handlers are set: unblocks all signals. */
void unblock_signals(void);

/* close_range(2) up to the last descriptor. glibc has it from 2.34 on, Linux from 5.9. */
void close_from(unsigned first);

/* Opens /dev/null for both, or, in a root without /dev, an empty file in memory. -1 and errno. */
int open_null(void);

#endif

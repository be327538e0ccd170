/*
 * Wall time: every nanosecond of a thread's life within the round goes to a stack.
 *
 * A thread's time since its last sample goes to the stack that it has now; when it
 * ends, or the round does, what is left goes to its newest stack. So the sum is its
 * lifetime, to within a tick at each end.
 *
 * A thread that waits for a CPU is not sampled: to stop it would cost it a stop and
 * delay it further. How long it has waited the kernel accounts, and the next stack
 * that is seen of it gets that time as well, under the state "runnable".
 */
#ifndef SAMPLER_WALLTIME_H
#define SAMPLER_WALLTIME_H

#include <stdint.h>

struct round;
struct slot;
struct stack;
struct thread;

/* Gives a thread's time up to `now` (CLOCK_MONOTONIC, ns) to its newest stack, and
 * counts as many samples as there were ticks. */
void walltime_account(struct round *r, struct thread *thread, uint64_t now);

/* Gives what the thread has waited for a CPU since its last sample to the stack that
 * it has now, as runnable, if that is a part worth telling. ERR_NOMEM. */
int walltime_account_runnable(struct round *r, const struct slot *slot, struct thread *thread,
			      const struct stack *stack);

/* What the end of the round would give to a thread's newest stack, were it `now`: the
 * time through *ns, and the samples that this makes. */
uint64_t walltime_left(const struct round *r, const struct thread *thread, uint64_t now,
		       uint64_t *ns);

/* At the end of the round, or of the thread: what is left. */
void walltime_finish(struct round *r, struct thread *thread, uint64_t now);

#endif

/*
 * Wall time: every nanosecond of a thread's life within the round goes to a stack.
 *
 * A thread's time since its last sample goes to the stack that it has now. When the thread or the
 * round ends, the remaining time goes to the thread's newest stack. So the sum is its lifetime, to
 * within a tick at each end.
 *
 * A thread that waits for a CPU is not sampled, because a stop would delay it further. The kernel
 * accounts how long it has waited, and that time goes to the next stack that is seen of it, in the
 * state "runnable".
 */
#ifndef SAMPLER_TICK_WALLTIME_H
#define SAMPLER_TICK_WALLTIME_H

#include <stdint.h>

struct recorded;
struct slot;
struct stack;
struct thread;

/* Adds a thread's time up to `now` (CLOCK_MONOTONIC, ns) to its newest stack, which it must have,
 * and as many samples as there were ticks. */
void walltime_account(struct recorded *r, struct thread *thread, uint64_t now);

/* Adds time to a stack, an index of the stackset, and as many samples as there were ticks in it. */
void walltime_give(struct recorded *r, uint32_t stack, uint64_t ns);

/* Adds the time for which the thread has waited for a CPU since its last sample to the stack that
 * it has now, in the state runnable; but only if it is at least a twentieth of the thread's time
 * since then. ERR_NOMEM. */
int walltime_account_runnable(struct recorded *r, const struct slot *slot, struct thread *thread,
			      const struct stack *stack);

/* What walltime_finish would add to a thread's newest stack at `now`: sets *ns to the time, and
 * returns the number of samples. */
uint64_t walltime_left(const struct recorded *r, const struct thread *thread, uint64_t now,
		       uint64_t *ns);

/* At the end of the round: adds the thread's remaining time, up to `now` or its own end. */
void walltime_finish(struct recorded *r, struct thread *thread, uint64_t now);

#endif

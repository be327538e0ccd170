/*
 * Wall time: every nanosecond of a thread's life within the round goes to a stack.
 *
 * A thread's time since its last sample goes to the stack that it has now; when it
 * ends, or the round does, what is left goes to its newest stack. So the sum is its
 * lifetime, to within a tick at each end.
 */
#ifndef SAMPLER_WALLTIME_H
#define SAMPLER_WALLTIME_H

#include <stdint.h>

struct round;
struct thread;

/* Gives a thread's time up to `now` (CLOCK_MONOTONIC, ns) to its newest stack, and
 * counts as many samples as there were ticks. */
void walltime_account(struct round *r, struct thread *thread, uint64_t now);

/* At the end of the round, or of the thread: what is left. */
void walltime_finish(struct round *r, struct thread *thread, uint64_t now);

#endif

/*
 * Threads that a stop would harm while they run.
 *
 * A long write to a pipe or a socket returns the count so far when its thread is stopped in the
 * middle of it (docs/transparency.md, "Calls that come back short"). A program that takes that
 * count for the whole loses the rest. The kernel does not tell in which call a running thread is,
 * but a thread waits for most of a long write. So a thread that is found waiting in a long write is
 * read there without a stop. As long as its account of input and output does not change, it is
 * still in that call, and its stack is the same.
 */
#ifndef SAMPLER_TICK_TRANSFERS_H
#define SAMPLER_TICK_TRANSFERS_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct member;
struct round;
struct slot;
struct thread;

/* Looks at a waiting thread in CPU mode. *wanted is set to whether it waits in a transfer, so that
 * its stack is to be read (glance.c). */
void transfers_look(const struct member *m, struct thread *thread, bool *wanted);

/* Notes that the thread's stack was read while it waited in `call`. */
void transfers_note(const struct member *m, struct thread *thread, const struct call *call);

/* Is the thread, which is on a CPU now, to be spared? If it is still in the call of transfers_note,
 * a CPU sample is counted on the stack that was read. Otherwise its stack is not known, and that
 * part of its time will be [not sampled]. ERR_NOMEM. */
int transfers_spare(struct round *r, const struct member *m, struct thread *thread, bool *spared);

/* Notes what a stop has shown. Either the thread was in a transfer; or a call has lost its work and
 * begun anew, and the thread is left alone for a while, longer each time. `tick_ns`: when the tick
 * began. */
void transfers_learn(const struct member *m, const struct slot *slot, struct thread *thread,
		     uint64_t tick_ns);

#endif

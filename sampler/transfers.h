/*
 * Threads that a stop would do harm while they run.
 *
 * A long write to a pipe or a socket returns what it has done so far when its thread is
 * stopped in the middle of it (docs/transparency.md, "Calls that come back short"), and
 * a program that takes that for all loses the rest. The kernel does not tell in which call a
 * running thread is, but a thread waits for most of such a call. So one that was found waiting
 * in it is read there without a stop. As long as its account of input and output does not
 * change, it is still in that call, and its stack is the same.
 */
#ifndef SAMPLER_TRANSFERS_H
#define SAMPLER_TRANSFERS_H

#include <stdbool.h>

struct call;
struct member;
struct round;
struct slot;
struct thread;

/* A thread that waits, in CPU mode: if it waits amid a transfer, *wanted says that its stack
 * is to be read (glance.c). */
void transfers_look(const struct member *m, struct thread *thread, bool *wanted);

/* Its stack was read while it waited in the call. */
void transfers_note(const struct member *m, struct thread *thread, const struct call *call);

/* Is it, on a CPU now, to be spared? If it is in that call still, a CPU sample is counted on
 * the stack that was read; else its place is not known, and that part of its time will be
 * [not sampled]. ERR_NOMEM. */
int transfers_spare(struct round *r, const struct member *m, struct thread *thread, bool *spared);

/* What a stop has shown: it was in a transfer; or it has lost the work of a call, which began
 * anew, and is left alone for a while, longer each time. */
void transfers_learn(struct round *r, const struct slot *slot, struct thread *thread);

#endif

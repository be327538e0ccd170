/*
 * With wall time: what waiting threads wait for, and where the owners of their locks are.
 *
 * A wait is looked at when the thread's stack is read, and as long as the thread waits in each of
 * its looks, since the lock may change its owner meanwhile. The time since the last look goes to
 * the stack in a context that names the lock and the owner's stack. That stack is the one that the
 * owner has in the same tick; so the time is given at the tick's end, when it has been walked. An
 * owner of which the tick took no stack (it waited for a CPU) is named without one.
 */
#ifndef SAMPLER_TICK_WAITING_H
#define SAMPLER_TICK_WAITING_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct member;
struct recorded;
struct thread;

/* Reads what the thread waits for in `call`, by the memory of its process, and sets *lock to a
 * number of the round's lockset; 0: no lock. To be called between two equal readings of the
 * thread's counters. ERR_NOMEM. */
int waiting_look(struct recorded *r, struct member *m, const struct thread *thread,
		 const struct call *call, uint32_t *lock);

/* For a thread that still waits in its newest call: if its lock has another owner now, its newest
 * stack gets the context that says so. ERR_NOMEM. */
int waiting_look_again(struct recorded *r, struct member *m, struct thread *thread);

/* Notes the thread's time `ns`, if its newest stack waits for a lock that has an owner. False: it
 * does not, or there is no memory for it. */
bool waiting_defer(struct recorded *r, const struct thread *thread, uint64_t ns);

/* Gives the noted times to their stacks, with those of the owners that were seen since `tick_ns`
 * (CLOCK_MONOTONIC). ERR_NOMEM. */
int waiting_settle(struct recorded *r, uint64_t tick_ns);

#endif

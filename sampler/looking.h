/*
 * What the parts of a tick share (looking.c, asking.c, glance.c). Internal to sampler/.
 */
#ifndef SAMPLER_LOOKING_H
#define SAMPLER_LOOKING_H

#include <stdbool.h>
#include <stddef.h>

#include "sampler/round.h"
#include "sampler/threads.h"

/* A slot that is not busy, or NULL. */
struct slot *slot_free(struct round *r);

/* A free slot for a thread's stack, made busy; NULL when there is none, which is
 * counted. */
struct slot *slot_take(struct round *r, const struct member *m, const struct thread *thread,
		       enum thread_state state);

/* How much of its stack is to be copied. */
size_t bytes_wanted(const struct member *m, const struct thread *thread);

/* Asks a thread to stop for a sample, as being in that state, unless it has been held
 * for long enough already. */
void round_ask(struct round *r, const struct member *m, struct thread *thread,
	       enum thread_state state);

/* With wall time, a thread that waits: `moved` if it has been on a CPU since the last
 * look. ERR_NOMEM. */
int look_at_waiting(struct round *r, const struct member *m, struct thread *thread, bool moved);

/* Reads those that look_at_waiting wants to have read. ERR_NOMEM. */
int glance_all(struct round *r);

#endif

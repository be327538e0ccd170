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

/* The thread is to be asked to stop for a sample, as being in that state, unless it has been
 * held for long enough already. */
void want_to_ask(struct round *r, struct member *m, const struct thread *thread,
		 enum thread_state state);

/* Asks all for which want_to_ask was called, and waits for them; the other does so only if the
 * first of them has waited for 0.1 ms. */
void ask_candidates(struct round *r);
void ask_old_candidates(struct round *r);

/* The stack of a thread that waits is to be read, at the end of the tick. ERR_NOMEM. */
int want_glance(struct round *r, const struct member *m, const struct thread *thread);

/* With wall time, a thread that waits: `moved` if it has been on a CPU since the last
 * look. ERR_NOMEM. */
int look_at_waiting(struct round *r, struct member *m, struct thread *thread, bool moved);

/* Reads the stacks that are to be read. ERR_NOMEM. */
int glance_all(struct round *r);

#endif

/*
 * What the parts of a tick share (looking.c, asking.c, glance.c). Internal to sampler/.
 */
#ifndef SAMPLER_TICK_LOOKING_H
#define SAMPLER_TICK_LOOKING_H

#include <stdbool.h>
#include <stddef.h>

#include "sampler/thread/threads.h"
#include "sampler/tick/round.h"

/* Makes a free slot busy for a thread's stack. NULL, counted in stats.late: no slot is free, or
 * there is no memory for the stack. */
struct slot *slot_take(struct round *r, struct member *m, struct thread *thread,
		       enum thread_state state);

/* How many bytes of the thread's stack are to be copied. */
size_t bytes_wanted(const struct member *m, const struct thread *thread);

/* Notes that the thread is to be asked to stop, for a sample in `state`. A thread that has been
 * held for long enough already, or is spared (asking.c), is not asked after all. */
void want_to_ask(struct round *r, struct member *m, const struct thread *thread,
		 enum thread_state state);

/* ask_candidates asks all threads noted by want_to_ask and waits for their stops, for a millisecond
 * at most. ask_old_candidates does so only if the first of them was noted more than 0.1 ms ago. */
void ask_candidates(struct round *r);
void ask_old_candidates(struct round *r);

/* Notes that the stack of a waiting thread is to be read at the end of the tick. ERR_NOMEM. */
int want_glance(struct looks *l, const struct member *m, const struct thread *thread);

/* With wall time, what a look does about a waiting thread. `moved`: it has been on a CPU since the
 * last look. ERR_NOMEM. */
int look_at_waiting(struct round *r, struct member *m, struct thread *thread, bool moved);

/* Reads the stacks noted by want_glance. Where a walk lacks registers, the thread is asked to stop.
 * ERR_NOMEM. */
int glance_all(struct round *r);

#endif

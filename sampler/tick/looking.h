/*
 * What the parts of a look share (looking.c, glance.c). Internal to sampler/tick/.
 */
#ifndef SAMPLER_TICK_LOOKING_H
#define SAMPLER_TICK_LOOKING_H

#include <stdbool.h>

#include "sampler/thread/threads.h"
#include "sampler/tick/round.h"

/* With wall time, what a look does about a waiting thread. `moved`: it has been on a CPU since the
 * last look. ERR_NOMEM. */
int look_at_waiting(struct round *r, struct member *m, struct thread *thread, bool moved);

/* Reads the stacks noted by look_at_waiting. Where a walk lacks registers, the thread is asked to
 * stop. ERR_NOMEM. */
int glance_all(struct round *r);

#endif

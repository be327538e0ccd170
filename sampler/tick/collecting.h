/* Slots between the round's thread and the tickers. Internal to sampler/tick/. */
#ifndef SAMPLER_TICK_COLLECTING_H
#define SAMPLER_TICK_COLLECTING_H

#include "sampler/account/stackset.h"
#include "sampler/thread/threads.h"

struct member;
struct recorded;
struct round;
struct slot;

/* A slot for a thread that waits: called by the round's thread. NULL, counted in stats.late: no
 * slot is free, or there is no memory. */
struct slot *waiting_slot(struct round *r, struct member *m, struct thread *thread,
			  enum thread_state state);

/* Asks a ticker to stop a thread that waits, for its registers. */
void ask_for_registers(struct round *r, struct member *m, struct thread *thread);

/* Sets labels and goid of a slot's context, once after its stack was taken. Labels that cannot be
 * read are left out and counted (labels_lost, labels_unknown of the stats). ERR_NOMEM. */
int slot_label(struct recorded *r, struct slot *slot);

#endif

/*
 * One look at a thread, for all interpreters of its process: what sampler/thread/snapshot.c reads
 * together with the stack, and the chains of frames that were found in it.
 */
#ifndef RUNTIMES_COMMON_LOOK_H
#define RUNTIMES_COMMON_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtimes/common/copy.h"

enum { INTERP_RUNTIMES = 8 }; /* in a process, also those of programs that it executed before */

/* The runtimes that were found in a process. None is removed while the process is looked at,
 * because another thread may be using it. */
struct interp_set {
	struct interp_runtime {
		const struct interp_ops *ops;
		void *rt;
		struct interp_known *known;
		bool gone; /* its file is not mapped any more */
	} at[INTERP_RUNTIMES];
	unsigned count;
};

/* What is kept of a thread from look to look; {0} at first. */
struct interp_place {
	uint64_t states[INTERP_RUNTIMES]; /* struct interp_state.at; 0: it has none */
	uint64_t tp;	  /* its thread pointer, once it was stopped; 0: not known */
	uint32_t reading; /* number of the reading of all states that `states` are from */
	struct interp_plan plan;
};

struct interp_look {
	const struct interp_set *set; /* NULL: no interpreter in this process */
	unsigned count;		      /* of the runtimes in `set` at that time */
	uint64_t states[INTERP_RUNTIMES];
	bool any; /* of the states is not 0, so that there is something to be copied */
	pid_t own_tid;
	uint64_t tp;
	struct interp_copy copy;
	struct interp_losses {
		bool cut, broken;
		unsigned dropped;
	} losses[INTERP_RUNTIMES]; /* of each runtime, as in its walk */
	bool gil_held, gil_waits;
	uint64_t gil;  /* which lock that is, as in struct interp_walk */
	uint64_t task; /* of the runtime task_of; 0: none */
	unsigned task_of;
};

/* {0} is an empty look. */
void interp_look_release(struct interp_look *l);

/* Prepares one look at a thread by what is kept of it, with all memory touched. Not called while a
 * thread is held. `set` may be NULL. ERR_NOMEM. */
int interp_look_prepare(struct interp_look *l, const struct interp_set *set,
			const struct interp_place *place, pid_t own_tid);

/* The pieces that are to be read with the stack go to `pieces`; returns their number, at most
 * INTERP_RANGES. */
size_t interp_look_pieces(const struct interp_look *l, struct memory_piece *pieces);

/* Completes a look after `got` bytes of those pieces were read: follows the chains of all runtimes,
 * and reads what is missing of thread `tid`, which does not run. `stack` is what was copied of its
 * C stack, NULL: nothing. The frames are in l->copy.walk. */
void interp_look_finish(struct interp_look *l, size_t got, pid_t tid, uint64_t tp,
			const struct regs *regs, const struct memory *stack);

/* Reads the pieces and completes the prepared look, for a thread whose stack is not copied. */
void interp_look_alone(struct interp_look *l, pid_t tid, uint64_t tp, const struct regs *regs);

/* Keeps what the next look needs. ERR_NOMEM. */
int interp_place_learn(struct interp_place *place, const struct interp_look *l);
void interp_place_release(struct interp_place *place);

#endif

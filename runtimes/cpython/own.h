/* The states of the thread that is held. */
#ifndef RUNTIMES_CPYTHON_OWN_H
#define RUNTIMES_CPYTHON_OWN_H

#include <stdbool.h>
#include <stdint.h>

struct cpython;
struct interp_copy;
struct interp_thread;

enum { CPYTHON_OWN_MAX = 4 }; /* a thread may have one in each interpreter */

struct cpython_own {
	uint64_t addr;
	const uint8_t *bytes; /* layout.thread.size of it; borrowed from the copy */
};

/* Fills `own` with the thread's states, that of the interpreter of thread->state first; returns how
 * many. *lost: there may be one that was not found. */
unsigned cpython_own_states(const struct cpython *python, struct interp_copy *copy,
			    const struct interp_thread *thread, struct cpython_own *own,
			    bool *lost);

#endif

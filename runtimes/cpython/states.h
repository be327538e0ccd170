/* Thread states of the running process. */
#ifndef RUNTIMES_CPYTHON_STATES_H
#define RUNTIMES_CPYTHON_STATES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buffer;
struct cpython;
struct memory;

enum { CPYTHON_STATE_BYTES = 1024 }; /* at least layout.thread.size */

/* A thread state that leads back to its interpreter. */
struct cpython_state {
	uint64_t addr, interp;
	uint8_t bytes[CPYTHON_STATE_BYTES]; /* layout.thread.size of them */
};

/* Calls `visit` for each thread state of each interpreter, the main one first, until it returns
 * false. A state that does not lead back to its interpreter ends that interpreter's list. Returns
 * how many lists ended so. */
unsigned cpython_states_visit(const struct cpython *python, const struct memory *memory,
			      bool (*visit)(void *data, const struct cpython_state *state),
			      void *data);

/* The main interpreter: the last one on the list, which lives as long as the runtime; 0: there is
 * none. */
uint64_t cpython_main_interp(const struct cpython *python, const struct memory *memory);

/* struct interp_ops.threads. */
int cpython_threads(const void *rt, const struct memory *memory, struct buffer *states);

#endif

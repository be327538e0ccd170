/*
 * A thread's chain of frames, while the thread is held.
 *
 *   up to 3.10   PyFrameObjects on the heap; one call of the evaluation loop for each
 *   3.11         _PyInterpreterFrames; each call of the loop has a _PyCFrame in its C frame,
 *                and runs frames up to one with is_entry
 *   3.12         the same, and each run ends with a shim, a frame in the loop's C frame
 *   3.13 on      shims only
 *
 * Frames of functions lie in chunks (the "data stack"), which are copied whole; those of generators
 * and coroutines in their objects, which are read one by one.
 */
#ifndef RUNTIMES_CPYTHON_CHAIN_H
#define RUNTIMES_CPYTHON_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtimes/common/copy.h"
#include "runtimes/cpython/layout.h"

struct regs;

/* Has the thread any frame? `state` are layout.thread.size bytes of its state at `addr`. */
bool cpython_chain_any(const struct cpython *python, struct interp_copy *copy, uint64_t addr,
		       const uint8_t *state);

/* `regs`: where the thread is; NULL: not known. Appends the frames to *out, with the anchors that
 * the release has. That their code objects are code objects is not proven. */
void cpython_chain_walk(const struct cpython *python, struct interp_copy *copy, uint64_t addr,
			const uint8_t *state, const struct regs *regs, struct interp_walk *out);

#endif

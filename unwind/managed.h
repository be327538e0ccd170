/*
 * Code that a language's runtime makes, or walks by a convention of its own, and that no CFI
 * describes: what HotSpot and V8 compile, their interpreters, stubs and built-in functions.
 *
 * The walk (unwinder.c) asks the runtimes of the process before it guesses. A runtime's step gives
 * the caller's registers, and says by a key which function that frame is in; names are asked for
 * when the walk is over (runtimes/managed.h).
 */
#ifndef UNWIND_MANAGED_H
#define UNWIND_MANAGED_H

#include <stdint.h>

#include "unwind/step.h"

/* What a frame of a runtime's is. Two frames with the same key, that is all but `index`, have the
 * same names, lines and inlined calls, however much later. */
struct managed_frame {
	uint32_t index;	  /* in struct stack */
	uint16_t runtime; /* set by the walker: which one of the process */
	uint16_t kind;	  /* this and the rest are the runtime's own */
	uint64_t code;	  /* e.g. a compiled method's address, */
	uint64_t id;	  /* what tells it from another one at that address, */
	uint64_t at;	  /* and where in it */
};

/* A step's result if the address is not the runtime's: other ways are tried. */
enum { MANAGED_PASS = STEP_ON + 1 };

struct managed_walker {
	/* Makes the step from a frame without CFI to its caller, by w->regs and w->valid, which
	 * become the caller's. `kind` is the frame's kind, and becomes the caller's. Sets
	 * w->source, and, for a frame that can be named, *frame (emptied before), with frame->code
	 * not 0; also where no step is possible; and w->original (emptied before) where the code is
	 * a copy. Returns STEP_ON, MANAGED_PASS, or the enum stack_end that ends the walk. */
	int (*step)(struct managed_walker *m, struct walk *w, enum frame_kind *kind,
		    struct managed_frame *frame);
};

#endif

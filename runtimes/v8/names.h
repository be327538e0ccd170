/*
 * Which function a frame of JavaScript is in, where, and which calls were inlined there.
 *
 * The collector moves and frees objects while we look. So v8_identify, which is called in the walk,
 * proves what the frame's words lead to: the bytecode of the frame is that of the frame's function,
 * or the code that the pc is in was compiled for it. What is proven gets a number, by which it is
 * called from then on, and is known again by the words that its objects have. A number is never
 * used again. v8_function_names reads texts and tables, after the walk, and keeps all; it proves
 * again that the objects are those of the number, before and after.
 */
#ifndef RUNTIMES_V8_NAMES_H
#define RUNTIMES_V8_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtimes/v8/heap/runtime.h"

struct arena;

/* What a walk has found at a frame. All objects are tagged. */
struct v8_site {
	enum v8_frame_kind kind; /* V8_INTERPRETED, V8_BASELINE, V8_OPTIMIZED */
	bool interrupted;	 /* the pc is where the thread is, not a return address */
	uint64_t function;	 /* JSFunction */
	uint64_t bytecode;	 /* BytecodeArray, but for optimized code */
	uint64_t code;		 /* Code that the pc is in, but for interpreted frames */
	uint32_t offset;	 /* of the bytecode; in code, of the pc */
};

/* struct v8_names_state, into rt->names; everything else of *rt is set. ERR_NOMEM. */
int v8_names_new(struct v8_runtime *rt);
void v8_names_free(struct v8_names_state *n);

/* Sets frame->kind, code, id and at of such a frame. V8_UNKNOWN: what the site says contradicts
 * itself. */
void v8_identify(struct v8_runtime *rt, const struct v8_site *site, struct managed_frame *frame);

/* As managed_ops.names, for frames of those kinds. */
int v8_function_names(struct v8_runtime *rt, const struct managed_frame *frame, struct arena *arena,
		      struct managed_names *names);

#endif

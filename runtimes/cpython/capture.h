/* struct interp_ops.capture and .anchor of CPython. */
#ifndef RUNTIMES_CPYTHON_CAPTURE_H
#define RUNTIMES_CPYTHON_CAPTURE_H

#include "runtimes/common/runtime.h"

void cpython_capture(const void *rt, struct interp_copy *copy, const struct interp_thread *thread,
		     struct interp_walk *out);

/* Up to 3.9 (anchor.c). */
void cpython_anchor(const void *rt, const struct modmap *maps, const struct stack *stack,
		    const struct memory *memory, struct interp_frame *frames, size_t count);

#endif

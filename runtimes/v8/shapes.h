/*
 * Where a function of V8's keeps its return address, at each of its instructions: what CFI would
 * tell if V8 wrote any.
 *
 * V8's code sets up rbp, but not at once, and builtins only in those parts that call. So the
 * function's instructions are followed from its entry through all jumps, and what they do to rsp
 * and rbp is noted. Code that no jump leads to, such as a handler of exceptions, has its frame set
 * up.
 *
 * Rejected: unwind/code/forward.h, which reads from the pc to the function's return. V8's
 * functions often end in a jump to another function through a register.
 */
#ifndef RUNTIMES_V8_SHAPES_H
#define RUNTIMES_V8_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum v8_shape_kind {
	V8_SHAPE_LOST,	   /* not known */
	V8_SHAPE_RBP,	   /* at rbp + 8, with the caller's rbp below it */
	V8_SHAPE_RSP,	   /* at rsp + offset; rbp is the caller's */
	V8_SHAPE_REGISTER, /* in a register; rbp is the caller's */
	V8_SHAPE_POINTER,  /* where a register points to; rbp is the caller's */
	/* rsp and rbp are those of a frame that handles an exception; it is going to continue at
	 * the address that the isolate has at r13 + offset, and has its rbp at r13 + pushed. */
	V8_SHAPE_THROWN,
};

struct v8_shape {
	uint8_t kind;
	uint8_t reg;  /* HW_ number: that register; of V8_SHAPE_RSP, a copy of rsp when `offset` was
			 * 0; HW_NONE */
	uint8_t copy; /* a register with a copy of the return address; HW_NONE */
	uint8_t built;	 /* it has set up the frame that its caller will have */
	uint8_t unsure;	 /* `offset` is not known */
	uint8_t leaving; /* the frame was set up before */
	int16_t offset;	 /* of V8_SHAPE_RBP, V8_SHAPE_REGISTER: what was pushed since, at least */
	/* Where from the return address on rbp was pushed, -8 at best; 0: nowhere. */
	int16_t pushed;
};

struct v8_shapes {
	size_t len;  /* bytes of code */
	uint8_t *at; /* by offset: index in `shapes` of an instruction that begins there; 0: none */
	uint8_t *after; /* the same of a call that ends there */
	struct v8_shape shapes[256];
	unsigned count;
};

/* How code is entered at its first byte. */
enum v8_entry {
	V8_ENTRY_CALLED,
	V8_ENTRY_SET_UP,   /* it continues a function whose frame is set up */
	V8_ENTRY_SPARKPLUG /* called, and its first call sets up its frame */
};

/* Follows a function's code from its entry. ERR_NOMEM. */
int v8_shapes_make(struct v8_shapes *s, const uint8_t *code, size_t len, enum v8_entry entry);
void v8_shapes_release(struct v8_shapes *s);

/* The shape before the instruction at an offset, or, if `returned`, while the call is executed that
 * ends there. False: nothing led there. */
bool v8_shape_at(const struct v8_shapes *s, size_t offset, bool returned, struct v8_shape *shape);

#endif

/* A frame of V8's in a walk: what the step's files share. */
#ifndef RUNTIMES_V8_FRAME_H
#define RUNTIMES_V8_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtimes/v8/heap/codes.h"
#include "runtimes/v8/heap/runtime.h"
#include "runtimes/v8/shapes.h"
#include "unwind/step.h"

struct v8_frame {
	struct v8_runtime *rt;
	struct walk *w;
	uint64_t pc;
	bool exact;			  /* pc is no return address */
	const struct v8_builtin *builtin; /* NULL: in code that was compiled */
	struct v8_code code;
	uint64_t offset; /* of pc, in either */
	struct v8_shape shape;
};

enum { V8_SHAPES_KEPT = 64 };

struct v8_steps {
	struct v8_shapes *builtins; /* owned; for each builtin, made when it is first met */
	size_t builtin_count;
	struct v8_kept {
		struct v8_code code;
		struct v8_shapes shapes;
	} kept[V8_SHAPES_KEPT];
	/* What the innermost frame's registers tell of its caller; then empty. */
	struct v8_callee {
		bool built;			  /* it has set up its caller's frame */
		uint64_t function;		  /* its caller's, perhaps; 0: not known */
		uint64_t handler;		  /* address of the builtin; 0: not known */
		uint64_t bytecode, offset, table; /* if that is a bytecode's handler */
	} callee;
};

/* A word of the stack, as a step's result. */
int v8_frame_read(const struct v8_frame *p, uint64_t addr, uint64_t *value);

struct v8_caller {
	uint64_t pc, sp, fp;
};

/* The caller by the frame's shape, not checked; a step's result. */
int v8_frame_caller(struct v8_frame *p, struct v8_caller *c);

/* Makes the step, if the caller can be one. */
int v8_frame_step(struct v8_frame *p, int marker, enum frame_kind *kind);

/* Is it a caller's frame that is marked as WebAssembly's? Code objects need not be looked for
 * then. */
bool v8_frame_is_wasm(struct v8_frame *p);

/* The step from code that is neither a builtin nor a code object: MANAGED_PASS if it is not
 * WebAssembly's. */
int v8_frame_step_wasm(struct v8_frame *p, enum frame_kind *kind, struct managed_frame *frame);

/* The shape of a frame that is set up. */
extern const struct v8_shape v8_shape_set_up;

/* The marker of a frame that is set up and no JavaScript function's; -1: it has none. */
int v8_frame_marker(struct v8_frame *p);

/* Sets the key of the frame. */
void v8_frame_note(struct v8_frame *p, int marker, struct managed_frame *frame);

#endif

/*
 * WebAssembly's code is no code object, so nothing tells where its functions begin. But they all
 * begin and end alike, and are called through a table of jumps.
 */
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "runtimes/v8/frame.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/insn_x86_64.h"

static void find_wasm_shape(struct v8_frame *p)
{
	enum { BEFORE = 4, BYTES = 20 };
	uint8_t bytes[BYTES];
	const uint8_t *at = bytes + BEFORE;
	size_t after = sizeof(bytes) - BEFORE;

	p->shape = v8_shape_set_up;
	if (!p->exact ||
	    codebytes_read(p->w->code, p->pc - BEFORE, bytes, sizeof(bytes)) < sizeof(bytes))
		return;
	if (insn_makes_frame(at, after) || at[0] == 0xc3 || at[0] == 0xc2 ||
	    (at[0] == 0xe9 && (at[5] == 0xe9 || at[8] == 0xe9)))
		p->shape = (struct v8_shape){ .kind = V8_SHAPE_RSP, .reg = HW_NONE };
	else if (insn_makes_frame(at - 1, after))
		p->shape = (struct v8_shape){ .kind = V8_SHAPE_RSP, .reg = HW_NONE, .offset = 8 };
	else if (insn_makes_frame(at - 4, after))
		p->shape.unsure = false;
}

/* It is called by its like, and by builtins. */
static bool is_called_by_v8(struct v8_frame *p)
{
	struct v8_caller c = { 0 };
	const struct mapping *range;

	if (v8_frame_caller(p, &c) != STEP_ON)
		return false;
	range = modmap_find(p->w->maps, c.pc - 1);
	return range && (range->image == p->rt->place.image || image_is_memory(range->image));
}

static bool is_marked(const struct v8_frame *p, int marker)
{
	const int32_t *frames = p->rt->t.frames;

	return marker >= 0 && marker >= frames[V8_WASM_FRAME] &&
	       marker <= frames[V8_WASM_LAST_FRAME];
}

bool v8_frame_is_wasm(struct v8_frame *p)
{
	if (p->exact || !p->w->at || !image_is_memory(p->w->at->image))
		return false;
	p->shape = v8_shape_set_up;
	return is_marked(p, v8_frame_marker(p));
}

/* Its frames are marked, once they are set up. */
static bool is_wasm(struct v8_frame *p, int marker)
{
	if (p->shape.kind == V8_SHAPE_RSP || !p->shape.unsure)
		return is_called_by_v8(p);
	return is_marked(p, marker);
}

int v8_frame_step_wasm(struct v8_frame *p, enum frame_kind *kind, struct managed_frame *frame)
{
	int marker;

	if (!p->w->at || !image_is_memory(p->w->at->image) || p->rt->t.frames[V8_WASM_FRAME] < 0)
		return MANAGED_PASS;
	find_wasm_shape(p);
	marker = v8_frame_marker(p);
	if (!is_wasm(p, marker))
		return MANAGED_PASS;
	frame->kind = V8_WASM;
	frame->code = 1;
	return v8_frame_step(p, marker, kind);
}

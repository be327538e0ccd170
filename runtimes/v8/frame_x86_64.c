/* What a frame of V8's is: which function's, or of which builtin. */
#include "runtimes/v8/frame.h"

#include "base/process/memory.h"
#include "runtimes/v8/names.h"
#include "unwind/table/regs.h"

enum {
	MARKER_MAX = 64,
	BYTECODES_MAX = 1 << 28,
};

int v8_frame_read(const struct v8_frame *p, uint64_t addr, uint64_t *value)
{
	int rc = memory_read_u64(p->w->memory, addr, value);

	return rc ? (int)step_end_of_read(rc) : STEP_ON;
}

static bool v8_frame_is_written(const struct v8_frame *p, int32_t offset)
{
	return p->shape.kind == V8_SHAPE_RBP &&
	       (!p->exact || p->shape.unsure || p->shape.offset >= -offset);
}

/* The marker of a frame that is set up and no JavaScript function's; -1: it has none. */
int v8_frame_marker(struct v8_frame *p)
{
	uint64_t word;

	if (!v8_frame_is_written(p, p->rt->t.fp_marker) ||
	    v8_frame_read(p, p->w->regs.r[DWARF_RBP] + (uint64_t)(int64_t)p->rt->t.fp_marker,
			  &word) != STEP_ON ||
	    !v8_is_smi(word) || word >> 1 >= MARKER_MAX)
		return -1;
	return (int)(word >> 1);
}

/* A word of the frame, below rbp; 0: it is not there yet. */
static uint64_t frame_word(struct v8_frame *p, int32_t offset)
{
	uint64_t word = 0;

	if (v8_frame_is_written(p, offset))
		v8_frame_read(p, p->w->regs.r[DWARF_RBP] + (uint64_t)(int64_t)offset, &word);
	return word;
}

/* The function of a frame that may not be set up yet. 0: not known. */
static uint64_t frame_function(struct v8_frame *p)
{
	if (v8_frame_is_written(p, p->rt->t.fp_function))
		return frame_word(p, p->rt->t.fp_function);
	if (p->shape.leaving)
		return 0;
	if (p->exact)
		return p->w->valid >> DWARF_RDI & 1 ? p->w->regs.r[DWARF_RDI] : 0;
	return p->rt->steps->callee.function;
}

static void v8_frame_identify(struct v8_frame *p, struct v8_site *site, struct managed_frame *frame)
{
	site->interrupted = p->exact;
	site->function = frame_function(p);
	v8_identify(p->rt, site, frame);
}

/* Do the registers tell which bytecode is executed? The frame's word does so only in calls. In the
 * handler of a bytecode r12, r9 and r15 have the BytecodeArray, the offset in it and the table of
 * handlers, as long as the handler has no other use for them. They do if the bytecode there is one
 * that this handler is for. */
static bool is_executed(struct v8_frame *p, uint64_t bytecode)
{
	const struct v8_callee *c = &p->rt->steps->callee;
	uint64_t handler;
	uint8_t op;

	return c->handler && c->bytecode == bytecode && c->offset < BYTECODES_MAX &&
	       c->offset >= (uint64_t)p->rt->t.bytecodes - 1 &&
	       v8_bytes(p->rt, bytecode + c->offset, &op, 1) &&
	       v8_word(p->rt, c->table + 8 * (uint64_t)op, &handler) && handler == c->handler;
}

/* Is it the frame of an interpreted function? Then it is named. */
static bool note_interpreted(struct v8_frame *p, int marker, struct managed_frame *frame)
{
	const struct v8_tables *t = &p->rt->t;
	struct v8_site site = { .kind = V8_INTERPRETED };
	uint64_t offset;

	if (p->shape.kind != V8_SHAPE_RBP || marker >= 0)
		return false;
	site.bytecode = frame_word(p, t->fp_bytecode);
	offset = frame_word(p, t->fp_offset);
	if (!v8_is_object(site.bytecode) ||
	    v8_type(p->rt, v8_moved(p->rt, site.bytecode)) != t->bytecode_type)
		return false;
	/* V8 counts from the tagged address on. Sparkplug's frames have no offset: it is
	 * returning. */
	if (is_executed(p, site.bytecode))
		site.offset = (uint32_t)p->rt->steps->callee.offset - (uint32_t)(t->bytecodes - 1);
	else if (v8_is_smi(offset))
		site.offset = (uint32_t)v8_smi(offset) - (uint32_t)(t->bytecodes - 1);
	v8_frame_identify(p, &site, frame);
	return true;
}

static void note_builtin(struct v8_frame *p, int marker, struct managed_frame *frame)
{
	if (p->builtin->hidden && note_interpreted(p, marker, frame))
		return;
	frame->kind = p->builtin->hidden ? V8_HIDDEN : V8_BUILTIN;
	frame->code = p->builtin->start;
}

static void note_code(struct v8_frame *p, int marker, struct managed_frame *frame)
{
	const struct v8_tables *t = &p->rt->t;
	struct v8_site site = { .code = p->code.code, .offset = (uint32_t)p->offset };

	/* With --interpreted-frames-native-stack each function has a copy of the interpreter's
	 * entry. */
	if (p->code.kind < t->kind_baseline && note_interpreted(p, marker, frame))
		return;
	if (p->code.kind >= t->kind_baseline) {
		site.kind = p->code.kind == t->kind_baseline ? V8_BASELINE : V8_OPTIMIZED;
		if (site.kind == V8_BASELINE)
			site.bytecode = frame_word(p, t->fp_bytecode);
		v8_frame_identify(p, &site, frame);
		return;
	}
	frame->kind = p->code.kind == t->kind_regexp ? V8_REGEXP : V8_HIDDEN;
	frame->code = 1;
}

void v8_frame_note(struct v8_frame *p, int marker, struct managed_frame *frame)
{
	if (p->builtin)
		note_builtin(p, marker, frame);
	else
		note_code(p, marker, frame);
}

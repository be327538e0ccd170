/*
 * From a frame of V8's to its caller's.
 *
 * All frames that are set up have a chain of rbp. Whether the innermost one is, its code tells
 * (shapes.h). JSEntry, through which C++ calls JavaScript, has saved what the C++ caller's CFI
 * needs.
 *
 * Nothing is believed that is not checked: where a step leads, there has to be the end of a call
 * instruction, or the first one of a builtin, where V8 lets frames continue that it has made itself
 * when it gave up optimised code.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "runtimes/v8/heap/codes.h"
#include "runtimes/v8/frame.h"
#include "runtimes/v8/heap/runtime.h"
#include "runtimes/v8/shapes.h"
#include "runtimes/v8/step.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/emulator.h"
#include "unwind/table/regs.h"

enum {
	FRAME_SPAN = 8 << 20, /* bytes from rsp to rbp at most */
	PROLOGUE = 64,	      /* bytes of Sparkplug's code up to the call that sets up its frame */
	PROOF = 64,	      /* bytes of a copied builtin around an address that are compared */
};

int v8_steps_new(struct v8_steps **steps)
{
	*steps = calloc(1, sizeof(**steps));
	return *steps ? 0 : ERR_NOMEM;
}

void v8_steps_free(struct v8_steps *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->builtin_count; i++)
		v8_shapes_release(&s->builtins[i]);
	for (size_t i = 0; i < V8_SHAPES_KEPT; i++)
		v8_shapes_release(&s->kept[i].shapes);
	free(s->builtins);
	free(s);
}

void v8_steps_begin(struct v8_steps *s)
{
	memset(&s->callee, 0, sizeof(s->callee));
}

/* Does the process have at `copy` the code that the builtin has at the image address `addr`? */
static bool same_bytes(const struct v8_runtime *rt, const struct v8_builtin *b, uint64_t addr,
		       uint64_t copy)
{
	uint8_t here[PROOF], there[PROOF];
	uint64_t offset = addr - b->start, back = offset < PROOF / 2 ? offset : PROOF / 2,
		 len = b->size - (offset - back);

	if (len > PROOF)
		len = PROOF;
	return v8_bytes(rt, addr + rt->place.bias - back, there, len) &&
	       v8_bytes(rt, copy - back, here, len) && !memcmp(here, there, len);
}

/* Where an isolate's code is out of reach of the builtins, V8 maps their text a second time next to
 * it, or copies them (Isolate::MaybeRemapEmbeddedBuiltinsIntoCodeRange in V8's isolate.cc). A copy
 * begins its mapping with the first builtin. Its bytes prove that it is one. */
static const struct v8_builtin *copied_builtin(const struct v8_runtime *rt,
					       const struct mapping *range, uint64_t pc,
					       uint64_t *addr)
{
	const struct v8_builtins *all = &rt->builtins;
	const struct v8_builtin *first = all->all, *last, *b;

	if (!image_is_memory(range->image) || !all->count)
		return NULL;
	last = &first[all->count - 1];
	if (range->end - range->start < last->start + last->size - first->start)
		return NULL;
	*addr = first->start + (pc - range->start);
	b = v8_builtins_find(all, *addr);
	return b && same_bytes(rt, b, *addr, pc) ? b : NULL;
}

/* The builtin that holds an address in the process, and its image address. NULL: none does. */
static const struct v8_builtin *builtin_at(const struct v8_frame *p, uint64_t pc, uint64_t *addr)
{
	const struct mapping *range = modmap_find(p->w->maps, pc);

	if (!range)
		return NULL;
	if (range->image != p->rt->place.image)
		return copied_builtin(p->rt, range, pc, addr);
	*addr = pc - range->bias;
	return v8_builtins_find(&p->rt->builtins, *addr);
}

static bool find_builtin(struct v8_frame *p)
{
	uint64_t addr;
	const struct v8_builtin *b = builtin_at(p, p->pc, &addr);

	if (!p->exact && !(b && b->start == addr)) {
		b = builtin_at(p, p->pc - 1, &addr);
		addr++;
	}
	if (!b)
		return false;
	p->builtin = b;
	p->offset = addr - b->start;
	p->w->original.image = p->rt->place.image;
	p->w->original.addr = addr;
	return true;
}

/* Memory that was mapped since the maps were read may be code. */
static bool v8_step_find_code(struct v8_frame *p)
{
	const struct code *at = p->w->at;

	if ((at && !image_is_memory(at->image)) ||
	    !v8_code_find(p->rt, p->pc - !p->exact, &p->code))
		return false;
	p->offset = p->pc - p->code.start;
	return true;
}

/* Shapes. */

static const struct v8_shapes *builtin_shapes(struct v8_runtime *rt, const struct v8_builtin *b)
{
	struct v8_steps *s = rt->steps;
	size_t i = (size_t)(b - rt->builtins.all);
	uint8_t *code;

	if (!s->builtins) {
		s->builtins = calloc(rt->builtins.count, sizeof(*s->builtins));
		s->builtin_count = s->builtins ? rt->builtins.count : 0;
	}
	if (!s->builtins)
		return NULL;
	if (s->builtins[i].at)
		return &s->builtins[i];
	code = malloc(b->size);
	if (code && !rt->live->read(rt->live, b->start + rt->place.bias, code, b->size))
		v8_shapes_make(&s->builtins[i], code, b->size,
			       b->continues ? V8_ENTRY_SET_UP : V8_ENTRY_CALLED);
	free(code);
	return s->builtins[i].at ? &s->builtins[i] : NULL;
}

static bool same_code(const struct v8_code *a, const struct v8_code *b)
{
	return a->code == b->code && a->start == b->start && a->size == b->size &&
	       !memcmp(a->head, b->head, sizeof(a->head));
}

static const struct v8_shapes *code_shapes(struct v8_frame *p)
{
	struct v8_kept *kept = &p->rt->steps->kept[p->code.start >> 6 & (V8_SHAPES_KEPT - 1)];
	const uint8_t *bytes;

	if (kept->shapes.at && same_code(&kept->code, &p->code))
		return &kept->shapes;
	v8_shapes_release(&kept->shapes);
	bytes = v8_code_bytes(p->rt, &p->code);
	if (!bytes || v8_shapes_make(&kept->shapes, bytes, p->code.size,
				     p->code.kind == p->rt->t.kind_baseline ? V8_ENTRY_SPARKPLUG :
									      V8_ENTRY_CALLED))
		return NULL;
	kept->code = p->code;
	return &kept->shapes;
}

const struct v8_shape v8_shape_set_up = {
	.kind = V8_SHAPE_RBP, .reg = HW_NONE, .copy = HW_NONE, .unsure = true
};

/* Code that nothing leads to handles exceptions, or is a case of a switch. */
static void v8_step_find_shape(struct v8_frame *p)
{
	const struct v8_shapes *shapes = NULL;

	p->shape = v8_shape_set_up;
	if (p->builtin && (p->exact || p->offset))
		shapes = builtin_shapes(p->rt, p->builtin);
	else if (!p->builtin && (p->exact || (p->code.kind == p->rt->t.kind_baseline &&
					      p->offset < PROLOGUE && !p->rt->steps->callee.built)))
		shapes = code_shapes(p);
	if (shapes && !v8_shape_at(shapes, p->offset, !p->exact, &p->shape))
		p->shape = v8_shape_set_up;
}

/* The caller. */

/* Does a frame continue there that V8 has made itself when it gave up optimised code? It is to
 * begin a builtin, or is that of a constructor's call, in the middle. */
static bool v8_step_is_made_up(struct v8_frame *p, const struct v8_caller *c)
{
	uint64_t addr, marker;
	const struct v8_builtin *b = builtin_at(p, c->pc, &addr);
	const struct v8_shapes *shapes;
	struct v8_shape shape;

	if (!b || b->start == addr)
		return b;
	shapes = builtin_shapes(p->rt, b);
	return shapes && v8_shape_at(shapes, addr - b->start, false, &shape) &&
	       v8_frame_read(p, c->fp + (uint64_t)(int64_t)p->rt->t.fp_marker, &marker) ==
		       STEP_ON &&
	       marker == (uint64_t)p->rt->t.frames[V8_CONSTRUCT_FRAME] << 1;
}

/* Return addresses into code that was given up are replaced: by those of exits behind it, which are
 * calls. */
static bool v8_step_is_exit(struct v8_frame *p, uint64_t pc)
{
	uint8_t bytes[INSN_LENGTH_MAX];
	struct v8_code code;
	struct insn insn;
	size_t len;

	if (!v8_code_find(p->rt, pc, &code) || code.kind <= p->rt->t.kind_baseline)
		return false;
	len = codebytes_read(p->w->code, pc, bytes, sizeof(bytes));
	return !insn_decode(bytes, len, &insn) && insn_flow(&insn) == FLOW_CALL;
}

/* Can a frame continue at that address? */
static bool v8_step_is_return_address(struct v8_frame *p, const struct v8_caller *c)
{
	const struct mapping *range = modmap_find(p->w->maps, c->pc - 1);
	struct v8_code code;
	uint64_t target;

	if (!range) /* mapped since the maps were read */
		return v8_code_find(p->rt, c->pc - 1, &code);
	if (p->shape.kind == V8_SHAPE_THROWN && v8_code_find(p->rt, c->pc, &code))
		return true;
	return codebytes_behind_call(p->w->code, c->pc, &target) || v8_step_is_made_up(p, c) ||
	       v8_step_is_exit(p, c->pc);
}

static bool frame_is_near(const struct walk *w)
{
	uint64_t fp = w->regs.r[DWARF_RBP];

	return w->valid >> DWARF_RBP & 1 && fp % 8 == 0 && fp >= w->regs.r[DWARF_RSP] &&
	       fp - w->regs.r[DWARF_RSP] < FRAME_SPAN;
}

static int caller_by_rbp(struct v8_frame *p, struct v8_caller *c)
{
	uint64_t fp = p->w->regs.r[DWARF_RBP];
	int end;

	if (!frame_is_near(p->w))
		return STACK_RUNTIME_IN_DOUBT;
	end = v8_frame_read(p, fp, &c->fp);
	if (end == STEP_ON)
		end = v8_frame_read(p, fp + 8, &c->pc);
	c->sp = fp + 16;
	return end;
}

/* The frame that handles an exception. The isolate may have thrown another one since: it has to be
 * the frame that rbp has. */
static int handler_of_exception(struct v8_frame *p, struct v8_caller *c)
{
	const struct regs *regs = &p->w->regs;
	uint64_t root = regs->r[DWARF_R13];

	if (!p->exact || !(p->w->valid >> DWARF_R13 & 1) ||
	    !v8_word(p->rt, root + (uint64_t)(int64_t)p->shape.pushed, &c->fp) ||
	    !v8_word(p->rt, root + (uint64_t)(int64_t)p->shape.offset, &c->pc) ||
	    c->fp != regs->r[DWARF_RBP] || !frame_is_near(p->w))
		return STACK_RUNTIME_IN_DOUBT;
	c->sp = regs->r[DWARF_RSP];
	return STEP_ON;
}

int v8_frame_caller(struct v8_frame *p, struct v8_caller *c)
{
	const struct walk *w = p->w;
	unsigned reg;
	int end;

	reg = p->shape.kind == V8_SHAPE_RSP ? DWARF_RSP : emulator_dwarf(p->shape.reg & 15);
	if (p->shape.kind == V8_SHAPE_RBP)
		return caller_by_rbp(p, c);
	if (p->shape.kind == V8_SHAPE_THROWN)
		return handler_of_exception(p, c);
	if (p->shape.kind == V8_SHAPE_LOST || !(w->valid >> DWARF_RBP & w->valid >> reg & 1))
		return STACK_RUNTIME_IN_DOUBT;
	c->fp = w->regs.r[DWARF_RBP];
	if (p->shape.kind == V8_SHAPE_REGISTER) {
		c->pc = w->regs.r[reg];
		/* What it has pushed is its own, or of the frame that it sets up. */
		c->sp = w->regs.r[DWARF_RSP] +
			(p->shape.built ? 0 : (uint64_t)(int64_t)p->shape.offset);
		return STEP_ON;
	}
	c->sp = w->regs.r[reg] + (uint64_t)(int64_t)p->shape.offset + 8;
	end = v8_frame_read(p, c->sp - 8, &c->pc);
	/* Where the pointer leads, an argument may have been moved; then the address was,
	 * before. */
	if (p->shape.kind == V8_SHAPE_POINTER && end == STEP_ON &&
	    !v8_step_is_return_address(p, c)) {
		c->sp = w->regs.r[DWARF_RSP] + 8;
		end = v8_frame_read(p, c->sp - 8, &c->pc);
	}
	return end;
}

static bool v8_step_is_entry(const struct v8_tables *t, int marker)
{
	return marker >= 0 && (marker == t->frames[V8_ENTRY_FRAME] ||
			       marker == t->frames[V8_CONSTRUCT_ENTRY_FRAME]);
}

/* What JSEntry has pushed for the C++ function that called it. */
static int restore_callee_saved(struct v8_frame *p, struct regs *regs, uint32_t *valid)
{
	static const uint8_t saved[] = { DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15, DWARF_RBX };
	uint64_t fp = p->w->regs.r[DWARF_RBP];

	for (unsigned i = 0; i < sizeof(saved); i++) {
		int end = v8_frame_read(p, fp - 8 * (i + 3), &regs->r[saved[i]]);

		if (end != STEP_ON)
			return end;
		*valid |= 1u << saved[i];
	}
	return STEP_ON;
}

/* What the frame's registers tell of its caller. */
static void note_callee(struct v8_frame *p)
{
	struct v8_callee *c = &p->rt->steps->callee;
	const struct regs *regs = &p->w->regs;

	memset(c, 0, sizeof(*c));
	c->built = p->shape.built;
	if (!p->exact || !p->builtin || p->w->valid != REGS_ALL)
		return;
	if (p->shape.kind != V8_SHAPE_RBP)
		c->function = regs->r[DWARF_RDI];
	c->handler = p->pc - p->offset;
	c->bytecode = regs->r[DWARF_R12];
	c->offset = regs->r[DWARF_R9];
	c->table = regs->r[DWARF_R15];
}

int v8_frame_step(struct v8_frame *p, int marker, enum frame_kind *kind)
{
	struct walk *w = p->w;
	struct regs regs = w->regs;
	uint32_t valid = 1u << DWARF_RIP | 1u << DWARF_RSP | 1u << DWARF_RBP;
	struct v8_caller c = { 0 };
	int end = v8_frame_caller(p, &c);

	if (end == STEP_ON && !v8_step_is_return_address(p, &c))
		end = STACK_RUNTIME_IN_DOUBT;
	if (end == STEP_ON && p->builtin && v8_step_is_entry(&p->rt->t, marker))
		end = restore_callee_saved(p, &regs, &valid);
	if (end != STEP_ON)
		return end;
	note_callee(p);
	regs.r[DWARF_RIP] = c.pc;
	regs.r[DWARF_RSP] = c.sp;
	regs.r[DWARF_RBP] = c.fp;
	w->regs = regs;
	w->valid = valid;
	w->source = FRAME_BY_RUNTIME;
	*kind = FRAME_RETURN;
	return STEP_ON;
}

int v8_step(void *data, struct walk *w, enum frame_kind *kind, struct managed_frame *frame)
{
	struct v8_runtime *rt = data;
	struct v8_frame p = {
		.rt = rt, .w = w, .pc = w->regs.r[DWARF_RIP], .exact = *kind != FRAME_RETURN
	};
	int marker;

	if (!find_builtin(&p) && (v8_frame_is_wasm(&p) || !v8_step_find_code(&p)))
		return v8_frame_step_wasm(&p, kind, frame);
	v8_step_find_shape(&p);
	marker = v8_frame_marker(&p);
	v8_frame_note(&p, marker, frame);
	return v8_frame_step(&p, marker, kind);
}

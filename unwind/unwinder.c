/*
 * The walk.
 *
 * All registers are known in frame 0 and behind a signal frame; elsewhere those
 * that the ABI preserves. What stands at an address is known to the codemap, the
 * ways from one frame to the next are in step_*.c.
 */
#include "unwind/unwinder.h"

#include <stdlib.h>

#include "base/error.h"
#include "target/memory.h"
#include "target/modmap.h"
#include "unwind/codemap.h"
#include "unwind/regs.h"
#include "unwind/rule.h"
#include "unwind/stack.h"
#include "unwind/step.h"

enum {
	FRAMES_MAX = 1 << 20,
	SWITCHES_MAX = 64, /* signal frames in one walk whose caller lies not above */
	/* Further apart, two frames are on different stacks: the kernel puts a
	 * signal's frame right below what it interrupted, while a function may have
	 * large arrays. */
	SIGNAL_GAP_MAX = 1 << 20,
	CALL_GAP_MAX = 8 << 20,
};

struct unwinder {
	struct codemap code;
};

int unwinder_new(struct unwinder **u)
{
	*u = calloc(1, sizeof(**u));
	return *u ? 0 : ERR_NOMEM;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	codemap_release(&u->code);
	free(u);
}

/* An exact address where nothing is mapped: a call through a bad pointer. The
 * call has left its return address and nothing else has happened. */
static int step_from_nowhere(struct walk *w)
{
	uint64_t ra = w->regs.r[DWARF_RA];
	int rc = 0;

	if (RA_AT_CFA)
		rc = memory_read_u64(w->memory, w->regs.r[DWARF_SP], &ra);
	else if (!(w->valid >> DWARF_RA & 1))
		return STACK_NO_UNWIND_INFO;
	if (rc)
		return step_end_of_read(rc);
	w->regs.r[DWARF_SP] -= (uint64_t)(int64_t)RA_AT_CFA;
	step_arrive(w, ra);
	return STEP_ON;
}

static bool is_signal_frame(const struct code *code)
{
	return code && (code->is_sigreturn || (code->rule && code->rule->signal_frame));
}

/* The stack pointer of a caller is above its callee's, unless a call moves nothing and
 * the callee has not yet. */
static bool advances(const struct walk *w, uint64_t sp, bool exact)
{
	return w->regs.r[DWARF_SP] > sp || (!RA_AT_CFA && exact && w->regs.r[DWARF_SP] == sp);
}

static int step(struct walk *w, enum frame_kind *kind)
{
	uint64_t sp = w->regs.r[DWARF_SP];
	bool signal_frame = is_signal_frame(w->at), exact = *kind != FRAME_RETURN;
	int end;

	*kind = FRAME_RETURN;
	w->source = FRAME_BY_CFI;
	if (!w->at) {
		w->source = FRAME_BY_SCAN;
		end = exact ? step_from_nowhere(w) : STACK_NO_UNWIND_INFO;
	} else if (SIGFRAME_REGS && w->at->is_sigreturn) {
		end = step_by_sigframe(w);
	} else if (!w->at->rule) {
		end = w->at->is_entry ? STACK_OUTERMOST : STACK_NO_UNWIND_INFO;
	} else {
		end = step_by_cfi(w);
	}
	if (end != STEP_ON)
		return end;
	if (!w->regs.r[DWARF_PC])
		return STACK_OUTERMOST;
	if (signal_frame) {
		*kind = FRAME_SIGNAL;
		return w->regs.r[DWARF_SP] <= sp && ++w->switches > SWITCHES_MAX ?
			       STACK_NO_ADVANCE : STEP_ON;
	}
	return advances(w, sp, exact) ? STEP_ON : STACK_NO_ADVANCE;
}

/* A handler's return address is the first instruction of the trampoline, and no
 * call stands before it. */
static int push(struct walk *w, enum frame_kind kind, struct stack *out)
{
	uint64_t pc = w->regs.r[DWARF_PC];

	if (is_signal_frame(w->at))
		kind = FRAME_SIGNAL;
	if (stack_push(out, w->at ? w->at->image : NULL, w->at ? pc - w->at->bias : pc, kind))
		return ERR_NOMEM;
	out->frames[out->count - 1].source = w->source;
	return 0;
}

int unwinder_walk(struct unwinder *u, const struct modmap *maps, const struct regs *regs,
		  const struct memory *memory, struct stack *out)
{
	struct walk w = { .regs = *regs, .valid = REGS_ALL & ~regs->unknown,
			  .memory = memory };
	uint64_t first_sp = regs->r[DWARF_SP], last_sp = first_sp;
	enum frame_kind kind = FRAME_PC;
	int end = STEP_ON;

	u->code.generation = modmap_generation(maps);
	out->count = 0;
	out->used = 0;
	out->switched = false;
	while (end == STEP_ON) {
		w.at = codemap_find(&u->code, maps,
				    frame_code_address(w.regs.r[DWARF_PC], kind));
		if (push(&w, kind, out))
			return ERR_NOMEM;
		end = out->count < FRAMES_MAX ? step(&w, &kind) : STACK_TOO_MANY_FRAMES;
		/* How far this stack reaches; a signal's own stack ends where another
		 * begins. */
		out->switched |= w.regs.r[DWARF_SP] - last_sp >=
				 (kind == FRAME_SIGNAL ? SIGNAL_GAP_MAX : CALL_GAP_MAX);
		last_sp = w.regs.r[DWARF_SP];
		if (!out->switched)
			out->used = last_sp - first_sp;
	}
	out->end = (enum stack_end)end;
	out->lacked = regs->unknown && end == STACK_NO_UNWIND_INFO && w.at && w.at->rule;
	return 0;
}

void unwinder_table_info(const struct unwinder *u, const struct image *image,
			 struct unwind_table_info *info)
{
	codemap_table_info(&u->code, image, info);
}

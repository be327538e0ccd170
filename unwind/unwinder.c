/*
 * The walk.
 *
 * Frame 0 has the registers that were read, and a frame that a signal interrupted has all. In other
 * frames only the registers that the ABI preserves can be known. The codemap finds what is at an
 * address, and step_*.c have the ways from one frame to the next.
 *
 * CFI may be wrong: that of assembly which is one function for its maker, but has helpers in it
 * that call and return (LuaJIT's interpreter). So a step by CFI is in doubt if no call is in front
 * of the return address, or that is zero. Then the walk is made again, and at that frame the code
 * is read forward first. Only if that leads nowhere, what CFI says holds, for some return addresses
 * are made up (makecontext(3)). What was found at an address is kept, so that the check costs
 * nothing.
 */
#include "unwind/unwinder.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/room.h"
#include "unwind/code/codebytes.h"
#include "unwind/codemap.h"
#include "unwind/managed.h"
#include "unwind/prove.h"
#include "unwind/stack.h"
#include "unwind/step.h"
#include "unwind/step_fast.h"
#include "unwind/table/regs.h"
#include "unwind/table/rule.h"

enum {
	FRAMES_MAX = 1 << 20,
	/* Bytes, like CALL_GAP_MAX, but smaller: the kernel puts a signal's frame right below what
	 * it interrupted. */
	SIGNAL_GAP_MAX = 1 << 20,
	STACKS_APART = 4096, /* bytes between frames on two stacks, at least */
	DOUBTS_MOST = 8,     /* in one walk */
	STEP_IN_DOUBT = MANAGED_PASS + 1,
};

/* The frames of a walk whose CFI is in doubt. */
struct doubts {
	size_t frames[DOUBTS_MOST];
	unsigned count;
};

struct unwinder {
	struct codemap code;
	struct codebytes bytes;
	struct proofs proofs;
	struct doubts doubts; /* of the current walk */
};

int unwinder_new(struct unwinder **u)
{
	*u = calloc(1, sizeof(**u));
	if (*u && codemap_init(&(*u)->code) == 0)
		return 0;
	free(*u);
	return ERR_NOMEM;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	codemap_release(&u->code);
	free(u);
}

/* A step from an exact address where nothing is mapped: a call through a bad pointer. The call has
 * left its return address and nothing else has happened. */
static int step_from_nowhere(struct walk *w)
{
	uint64_t ra = w->regs.r[DWARF_RA];
	int rc = 0;

	if (RA_AT_CFA != 0)
		rc = memory_read_u64(w->memory, w->regs.r[DWARF_SP], &ra);
	else if (!(w->valid >> DWARF_RA & 1))
		return STACK_NO_UNWIND_INFO;
	if (rc)
		return step_end_of_read(rc);
	w->regs.r[DWARF_SP] -= (uint64_t)(int64_t)RA_AT_CFA;
	step_arrive(w, ra);
	return STEP_ON;
}

/* True at the first instruction of a function without a call before it: the code that made the
 * stack has put this address there for the outermost function to return to (makecontext(3)). */
static bool unwinder_is_made_up(const struct walk *w, uint64_t pc)
{
	const struct code *at;
	uint64_t target;

	if (codebytes_behind_call(w->code, pc, &target))
		return false;
	at = codemap_find(w->map, w->maps, pc);
	return at && code_has_cfi(at);
}

/* True for the address that a signal handler or a coroutine returns to: the first instruction of a
 * trampoline, which no call precedes. Go has more addresses of this kind. */
static bool is_trampoline(const struct walk *w, const struct code *at, uint64_t pc)
{
	if (at->kind == CODE_BY_PCLNTAB)
		return at->go.begins;
	if (code_has_cfi(at))
		return at->kind == CODE_BY_SIGNAL_RULE;
	return code_is_restorer(w->code, pc) || unwinder_is_made_up(w, pc);
}

/* glibc's vfork pops its return address into a register: the frame has nothing on the stack, and
 * the caller's frame begins where this one does. In a frame that made a call this is not
 * possible. */
static bool has_nothing_on_the_stack(const struct walk *w, bool exact)
{
	if (RA_AT_CFA == 0)
		return exact;
	return exact && w->at && w->at->kind == CODE_BY_LONG_RULE &&
	       w->at->long_rule->columns[DWARF_RA].kind == COLUMN_REGISTER;
}

static bool is_in_doubt(const struct doubts *d, size_t frame)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->frames[i] == frame)
			return true;
	return false;
}

/* May what led on from the last frame still be doubted? */
static bool may_doubt(const struct doubts *d, const struct stack *out)
{
	return d->count < DOUBTS_MOST && !is_in_doubt(d, out->count - 1);
}

/* Has a step of the last frame by CFI led to what cannot be a caller, as far as the code is not
 * known to make a call there? */
static __attribute__((noinline)) bool raises_doubt(struct unwinder *u, const struct code *at,
						   const struct walk *w, enum frame_kind kind,
						   const struct stack *out)
{
	if (w->source != FRAME_BY_CFI || kind != FRAME_RETURN)
		return false;
	if (at && (at->kind == CODE_BY_PCLNTAB || codemap_calls(&u->code, at, &u->bytes)))
		return false;
	return may_doubt(&u->doubts, out);
}

/* The step by CFI, unless the code says otherwise. */
static int step_in_doubt(struct walk *w)
{
	uint64_t addr = w->at->addr;

	if (step_by_reading(w) == STEP_ON)
		return STEP_ON;
	w->at = codemap_find(w->map, w->maps, addr); /* others were looked up */
	w->source = FRAME_BY_CFI;
	return step_by_cfi(w);
}

/* Has the frame kept its caller's stack pointer in another register, and made a stack above that
 * one (-fsplit-stack)? A call must have led there. */
static bool leaves_stack(struct walk *w, uint64_t sp)
{
	uint8_t reg = w->at && w->at->kind == CODE_BY_SHORT_RULE ? w->at->rule.cfa_reg : DWARF_SP;
	uint64_t target;

	if (w->source != FRAME_BY_CFI || reg == DWARF_SP ||
	    sp - w->regs.r[DWARF_SP] < STACKS_APART ||
	    !codebytes_behind_call(w->code, w->regs.r[DWARF_PC], &target) ||
	    ++w->switches > SWITCHES_MAX)
		return false;
	w->changed_stack = true;
	return true;
}

/* Steps to the caller; *kind becomes that of its frame. `in_doubt`: CFI was found to be wrong
 * here. */
static int unwinder_step(struct walk *w, enum frame_kind *kind, bool in_doubt)
{
	uint64_t sp = w->regs.r[DWARF_SP];
	bool signal_frame = false, exact = *kind != FRAME_RETURN;
	bool nothing_here = has_nothing_on_the_stack(w, exact);
	int end;

	w->changed_stack = false;
	w->kind = *kind;
	if (w->at && w->at->kind == CODE_BY_PCLNTAB)
		return step_by_pclntab(w, kind);
	*kind = FRAME_RETURN;
	if (!w->at) {
		w->source = FRAME_BY_SCAN;
		end = exact ? step_from_nowhere(w) : STACK_NO_UNWIND_INFO;
	} else if (w->at->kind == CODE_ENTRY) {
		end = STACK_OUTERMOST;
	} else if (!code_has_cfi(w->at) && exact && unwinder_is_made_up(w, w->regs.r[DWARF_PC])) {
		end = STACK_OUTERMOST;
	} else if (!code_has_cfi(w->at)) {
		signal_frame = exact && code_is_restorer(w->code, w->regs.r[DWARF_PC]);
		end = signal_frame ? step_from_restorer(w) : step_by_guess(w);
	} else {
		signal_frame = w->at->kind == CODE_BY_SIGNAL_RULE;
		w->source = FRAME_BY_CFI;
		end = in_doubt ? step_in_doubt(w) : step_by_cfi(w);
		if (end == STACK_NO_UNWIND_INFO && w->partial && !signal_frame)
			end = step_by_proof(w);
	}
	if (end != STEP_ON)
		return end;
	if (!w->regs.r[DWARF_PC])
		return STACK_OUTERMOST;
	if (signal_frame) {
		*kind = FRAME_SIGNAL;
		return w->regs.r[DWARF_SP] <= sp && ++w->switches > SWITCHES_MAX ?
			       STACK_NO_ADVANCE :
			       STEP_ON;
	}
	if (w->regs.r[DWARF_SP] > sp || (nothing_here && w->regs.r[DWARF_SP] == sp))
		return STEP_ON;
	return leaves_stack(w, sp) ? STEP_ON : STACK_NO_ADVANCE;
}

static inline int unwinder_push(const struct code *at, uint64_t pc, uint64_t sp,
				enum frame_kind kind, enum frame_source source, struct stack *out)
{
	if (out->count == out->room && stack_reserve(out))
		return ERR_NOMEM;
	out->pcs[out->count] = pc;
	out->sps[out->count] = sp;
	out->frames[out->count++] = (struct frame){
		.image = at ? at->image : NULL,
		.addr = at ? pc - at->bias : pc,
		.kind = kind,
		.source = source,
	};
	return 0;
}

/* Appends w's frame and its callers, up to the first one from which there is no fast step. STEP_ON,
 * STEP_IN_DOUBT or ERR_NOMEM. */
static int unwinder_push_frames(struct unwinder *u, const struct modmap *maps, struct walk *w,
				enum frame_kind *kind, struct stack *out)
{
	const struct code *at = NULL;
	uint64_t pc = w->regs.r[DWARF_PC];

	for (;;) {
		uint64_t addr = frame_code_address(pc, *kind);

		/* In a recursion the address is the same and needs no lookup. */
		if (!at || at->addr != addr)
			at = codemap_find(&u->code, maps, addr);
		if (at && at->kind != CODE_BY_SHORT_RULE) {
			*kind = is_trampoline(w, at, pc) ? FRAME_SIGNAL : *kind;
			at = codemap_find(&u->code, maps, addr); /* others were looked up */
		}
		if ((!at || at->calls != CODE_CALLS) && raises_doubt(u, at, w, *kind, out))
			return STEP_IN_DOUBT;
		if (unwinder_push(at, pc, w->regs.r[DWARF_SP], *kind, w->source, out))
			return ERR_NOMEM;
		if (!at || out->count == FRAMES_MAX ||
		    (u->doubts.count && is_in_doubt(&u->doubts, out->count - 1)) ||
		    !step_fast(w, at, &pc))
			break;
		*kind = FRAME_RETURN;
		w->source = FRAME_BY_CFI;
	}
	w->at = at;
	return STEP_ON;
}

/* The step of the runtime whose code this is, and its note of the frame. */
static int step_managed(struct walk *w, enum frame_kind *kind, struct stack *out)
{
	struct managed_frame frame = { 0 };
	uint64_t sp = w->regs.r[DWARF_SP];
	int end;

	if (!w->managed || (w->at && (code_has_cfi(w->at) || w->at->kind == CODE_BY_PCLNTAB)))
		return MANAGED_PASS;
	w->changed_stack = false;
	w->original.image = NULL;
	end = w->managed->step(w->managed, w, kind, &frame);
	if (w->original.image) {
		out->frames[out->count - 1].image = w->original.image;
		out->frames[out->count - 1].addr = w->original.addr;
	}
	if (end != MANAGED_PASS && frame.code) {
		if (room_for((void **)&out->managed, &out->managed_room, out->managed_count + 1,
			     sizeof(frame)))
			return ERR_NOMEM;
		frame.index = (uint32_t)(out->count - 1);
		out->managed[out->managed_count++] = frame;
	}
	if (end == STEP_ON && (w->changed_stack || w->regs.r[DWARF_SP] <= sp) &&
	    ++w->switches > SWITCHES_MAX)
		return STACK_NO_ADVANCE;
	return end;
}

/* Makes one step that is not fast, and measures how far the stack reaches. If the walk changes to
 * another stack, as from a signal handler's own, out->used stays the first stack's. */
static int step_measured(struct unwinder *u, struct walk *w, enum frame_kind *kind,
			 uint64_t first_sp, struct stack *out)
{
	uint64_t sp = w->regs.r[DWARF_SP], last_sp = sp;
	int end;

	if (!out->switched)
		out->used = sp - first_sp;
	end = out->count < FRAMES_MAX ? step_managed(w, kind, out) : STACK_TOO_MANY_FRAMES;
	if (end == MANAGED_PASS)
		end = unwinder_step(w, kind, is_in_doubt(&u->doubts, out->count - 1));
	if (end == STACK_OUTERMOST && w->source == FRAME_BY_CFI && !w->regs.r[DWARF_PC] &&
	    may_doubt(&u->doubts, out))
		end = STEP_IN_DOUBT;
	sp = w->regs.r[DWARF_SP];
	out->switched |= w->changed_stack ||
			 sp - last_sp >= (*kind == FRAME_SIGNAL ? SIGNAL_GAP_MAX : CALL_GAP_MAX);
	if (!out->switched)
		out->used = sp - first_sp;
	return end;
}

/* One way through the stack, up to its end or a step in doubt. */
static int walk_once(struct unwinder *u, const struct modmap *maps, const struct walk_from *from,
		     struct stack *out)
{
	struct walk w = { .regs = *from->regs,
			  .valid = REGS_ALL & ~from->regs->unknown,
			  .memory = from->memory,
			  .maps = maps,
			  .map = &u->code,
			  .code = &u->bytes,
			  .proofs = &u->proofs,
			  .partial = from->regs->unknown,
			  .managed = from->managed,
			  .go.stacks = from->stacks };
	uint64_t first_sp = w.regs.r[DWARF_SP];
	enum frame_kind kind = FRAME_PC;
	int end = STEP_ON;

	out->count = out->managed_count = 0;
	out->used = 0;
	out->switched = false;
	while (end == STEP_ON) {
		end = unwinder_push_frames(u, maps, &w, &kind, out);
		if (end == STEP_ON)
			end = step_measured(u, &w, &kind, first_sp, out);
	}
	out->made = w.made && end == STACK_OUTERMOST;
	out->lacked = w.partial && end == STACK_NO_UNWIND_INFO && w.at;
	return end;
}

int unwinder_walk(struct unwinder *u, const struct modmap *maps, const struct walk_from *from,
		  struct stack *out)
{
	int end;

	u->code.generation = modmap_generation(maps);
	codebytes_begin(&u->bytes, maps);
	u->doubts.count = 0;
	while ((end = walk_once(u, maps, from, out)) == STEP_IN_DOUBT)
		u->doubts.frames[u->doubts.count++] = out->count - 1;
	out->end = (enum stack_end)end;
	return end < 0 ? end : 0;
}

void unwinder_prepare(struct unwinder *u, const struct modmap *maps)
{
	size_t count;
	const struct mapping *ranges = modmap_ranges(maps, &count);

	u->code.generation = modmap_generation(maps);
	for (size_t i = 0; i < count; i++)
		codemap_find(&u->code, maps, ranges[i].start);
}

void unwinder_table_info(const struct unwinder *u, const struct image *image,
			 struct unwind_table_info *info)
{
	codemap_table_info(&u->code, image, info);
}

/*
 * How far above rsp a frame's return address is: the code is explored up to where the function
 * leaves its frame (unwind/code/explore.h).
 *
 * The compiler gives each instruction of a function one frame size, so any way to a return, or to a
 * tail call, shows it. A tail call jumps to a function's first instruction, or through the table of
 * code indices that all calls to other modules take. Ways that only raise an exception end without
 * an answer. So do calls of shared code that never returns, since what stands behind such a call
 * belongs to another way, with another frame size. Shared code returns if it has a return
 * (has_return).
 *
 * With frame pointers, `leave` ends a frame, wherever rsp is.
 *
 * Rejected: unwind/code/forward.h. It takes what is behind each call for reached, and
 * does not end at a function's first instruction: one in a thousand stacks was wrong.
 */
#include "runtimes/beam/depth.h"
#include "runtimes/beam/functions.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/emulator.h"
#include "unwind/code/explore.h"

enum { WAYS_MAX = 64, INSNS_MAX = 4096, VENEERS_MAX = 4, FRAME_MAX = 1 << 20 };

/* Stands for the stack pointer at the start. No number in code is near it. */
static const uint64_t START = 0x1111111100000000;

struct depth_way {
	uint64_t pc;		      /* first, as the explorer requires */
	struct emulator_distances at; /* rsp and rbp, as distances from START */
	int64_t saved_rbp; /* bytes above the stack pointer at the start, or BEAM_NOT_KNOWN */
	bool on_c;	   /* rsp is the scheduler's */
	bool wrote;	   /* it has written to the process's stack */
	uint8_t table;	   /* the register with the address of a table of jumps; HW_NONE: none */
	uint64_t jumps;	   /* the address of that table */
};

struct depth_reading {
	struct explorer explorer; /* must be first: its functions cast its address */
	struct depth_way ways[WAYS_MAX];
	struct beam_runtime *rt;
	struct codebytes *code;
	bool paused; /* a way led to the scheduler before it wrote to the stack */
};

/* The target of a `jmp` or `call` that ends at pc; 0: not known. */
static uint64_t target_of(struct depth_reading *r, const struct insn *i, uint64_t pc)
{
	uint64_t target = 0;

	if (insn_is(i, 0xe8) || insn_flow(i) == FLOW_JUMP)
		return insn_target(i, pc);
	if (insn_is(i, 0xff) && i->rip &&
	    !memory_read_u64(r->rt->memory, pc + (uint64_t)(int64_t)i->disp, &target))
		return target;
	return 0;
}

/* The end of a chain of veneers: a call to a distant target leads to a jump near by. */
static uint64_t behind_veneers(struct depth_reading *r, uint64_t target)
{
	uint8_t code[INSN_LENGTH_MAX];
	struct insn i;

	for (unsigned n = 0; n < VENEERS_MAX && target; n++) {
		if (beam_shared_at(r->rt, target) || beam_is_entry(r->rt, target) ||
		    insn_decode(code, codebytes_read(r->code, target, code, sizeof(code)), &i) ||
		    !(insn_flow(&i) == FLOW_JUMP || insn_is_digit(&i, 0xff, 4)))
			break;
		target = target_of(r, &i, target + i.len);
	}
	return target;
}

/* Does a call on the process's stack return? */
static bool returns(struct depth_reading *r, const struct insn *i, uint64_t pc)
{
	uint64_t target = target_of(r, i, pc);
	const struct beam_label *label;

	if (!target)
		return insn_is_digit(i, 0xff, 2) && !i->rip;
	target = behind_veneers(r, target);
	label = beam_shared_at(r->rt, target);
	return label ? label->returns : beam_is_entry(r->rt, target);
}

static void depth_set_rbp(struct depth_way *w, int64_t rbp)
{
	w->at.r[HW_RBP] = START + (uint64_t)rbp;
	w->at.known &= ~HW_BIT(HW_RBP);
	w->at.known |= rbp == BEAM_NOT_KNOWN ? 0 : HW_BIT(HW_RBP);
}

static int64_t depth_of(const struct depth_way *w)
{
	return (int64_t)(w->at.r[HW_RSP] - START);
}

/* The way leaves its frame. */
static enum explored depth_is_found(const struct depth_way *w)
{
	return explore_end(depth_of(w) >= 0 && depth_of(w) < FRAME_MAX && depth_of(w) % 8 == 0);
}

static enum explored depth_jump(struct depth_reading *r, struct depth_way *w, const struct insn *i)
{
	uint64_t target = behind_veneers(r, target_of(r, i, w->pc));
	bool by_index = !target && i->in_memory && i->index != HW_NONE;

	if (w->on_c && insn_is_digit(i, 0xff, 4))
		return EXPLORED_ENDED;
	if (by_index && i->index == HW_R12) /* another module's function */
		return depth_is_found(w);
	if (by_index && i->base == w->table && memory_read_u64(r->rt->memory, w->jumps, &target))
		return EXPLORED_ENDED;
	if (!target)
		return EXPLORED_ENDED;
	if (!w->on_c && beam_is_entry(r->rt, target))
		return depth_is_found(w);
	return explore_jump(&r->explorer, w, target);
}

/* Executes an instruction on the process's stack. With frame pointers, code reloads rbp from struct
 * process, where C has the frame pointer. */
static enum explored depth_execute(const struct depth_reading *r, struct depth_way *w,
				   const struct insn *i)
{
	bool frames = r->rt->at.frame_pointers;

	if (frames && insn_is(i, 0x8b) && i->reg == HW_RBP && insn_is_at(i, HW_R13) &&
	    i->disp == (int32_t)r->rt->at.stop + 8)
		depth_set_rbp(w, w->saved_rbp);
	else
		emulator_execute_distances(&w->at, i, w->pc);
	w->at.known &= HW_BIT(HW_RSP) | (frames ? HW_BIT(HW_RBP) : 0);
	return w->at.known >> HW_RSP & 1 ? EXPLORED_ON : EXPLORED_ENDED;
}

/* Does the instruction leave its operand in memory as it is? */
static bool depth_reads(const struct insn *i)
{
	switch (i->opcode) {
	case 0x8b: /* mov */
	case 0x63:
	case 0x8d: /* lea */
	case 0x3b: /* cmp */
	case 0x39:
	case 0x38:
	case 0x3a:
	case 0x85: /* test */
	case 0x84:
		return i->map == MAP_ONE;
	case 0x80:
	case 0x81:
	case 0x83:
		return i->map == MAP_ONE && (i->reg & 7) == 7; /* cmp */
	case 0xf6:
	case 0xf7:
		return i->map == MAP_ONE && (i->reg & 7) == 0; /* test */
	case 0x10:					       /* movups, movsd */
	case 0x28:					       /* movaps */
	case 0x6f:					       /* movdqu */
	case 0x7e:					       /* movq, with a prefix */
		return i->map == MAP_0F && (i->opcode != 0x7e || i->rep == 0xf3);
	}
	return false;
}

static void depth_note(struct depth_way *w, const struct insn *i)
{
	if (!w->on_c && i->in_memory && i->base == HW_RSP && !depth_reads(i))
		w->wrote = true;
	if (insn_is(i, 0x8d) && i->rip && i->reg != HW_RSP) {
		w->table = i->reg;
		w->jumps = w->pc + (uint64_t)(int64_t)i->disp;
	} else if (insn_changes(i) >> w->table & 1) {
		w->table = HW_NONE;
	}
}

static enum explored depth_pass(struct explorer *e, void *way, const struct insn *i,
				const uint8_t *code, size_t len)
{
	struct depth_reading *r = (struct depth_reading *)e;
	struct depth_way *w = way;
	uint64_t pc = w->pc - i->len;

	(void)code, (void)len;
	if (pc >= r->rt->at.jit_main && pc < r->rt->at.jit_main_end) {
		r->paused |= !w->wrote;
		return EXPLORED_ENDED;
	}
	depth_note(w, i);
	switch (insn_flow(i)) {
	case FLOW_BRANCH:
		return explore_branch(e, w, insn_target(i, w->pc));
	case FLOW_JUMP:
	case FLOW_AWAY:
	case FLOW_TABLE:
		return depth_jump(r, w, i);
	case FLOW_RETURN:
		return w->on_c ? EXPLORED_ENDED : depth_is_found(w);
	case FLOW_CALL:
		return w->on_c || returns(r, i, w->pc) ? EXPLORED_ON : EXPLORED_ENDED;
	case FLOW_HALT:
	case FLOW_LOST:
		return EXPLORED_ENDED;
	case FLOW_ON:
	case FLOW_SYSCALL:
		break;
	}
	if (w->on_c) {
		w->on_c = !beam_is_switch_back(r->rt, i);
		return EXPLORED_ON;
	}
	if (!insn_is(i, 0x8d) || i->reg != HW_RSP || i->base != HW_RBX)
		return depth_execute(r, w, i);
	w->saved_rbp = w->at.known >> HW_RBP & 1 ? (int64_t)(w->at.r[HW_RBP] - START) :
						   BEAM_NOT_KNOWN;
	w->on_c = true;
	return EXPLORED_ON;
}

static size_t depth_read(struct explorer *e, uint64_t pc, uint8_t *code, size_t len)
{
	return codebytes_read(((struct depth_reading *)e)->code, pc, code, len);
}

static void depth_begin(struct depth_reading *r, struct beam_runtime *rt, struct codebytes *code)
{
	r->explorer.read = depth_read;
	r->explorer.pass = depth_pass;
	explore_begin(&r->explorer, INSNS_MAX, r->ways, sizeof(*r->ways), WAYS_MAX);
	r->rt = rt;
	r->code = code;
	r->paused = false;
}

bool beam_is_switch_back(const struct beam_runtime *rt, const struct insn *i)
{
	if (!i->wide)
		return false;
	if (insn_is(i, 0x89))
		return !i->in_memory && i->rm == HW_RSP;
	return insn_is(i, 0x8b) && i->reg == HW_RSP &&
	       (!i->in_memory || (insn_is_at(i, HW_R13) && i->disp == (int32_t)rt->at.stop));
}

/* Shared code. */

enum { LABEL_BYTES = 4096 };

static bool has_return(const uint8_t *code, size_t len)
{
	struct insn i;

	for (size_t at = 0; at < len; at += i.len) {
		if (insn_decode(code + at, len - at, &i))
			return false;
		if (insn_flow(&i) == FLOW_RETURN)
			return true;
	}
	return false;
}

void beam_labels_read(struct beam_runtime *rt)
{
	uint8_t code[LABEL_BYTES];

	for (size_t i = 0; i < rt->label_count; i++) {
		struct beam_label *l = &rt->labels[i];
		uint64_t end = i + 1 < rt->label_count ? l[1].start : rt->at.shared_end;
		size_t len = end - l->start < sizeof(code) ? end - l->start : sizeof(code);

		l->returns = !rt->memory->read(rt->memory, l->start, code, len) &&
			     has_return(code, len);
	}
}

enum beam_exit beam_depth(struct beam_runtime *rt, struct codebytes *code,
			  const struct beam_from *from, int64_t *depth)
{
	struct depth_reading r;
	struct depth_way w = { .at = { .r[HW_RSP] = START, .known = HW_BIT(HW_RSP) },
			       .saved_rbp = from->saved_rbp,
			       .on_c = from->on_c,
			       .table = HW_NONE };

	depth_begin(&r, rt, code);
	if (rt->at.frame_pointers)
		depth_set_rbp(&w, from->rbp);
	explore_jump(&r.explorer, &w, from->pc);
	if (!explore(&r.explorer, &w))
		return r.paused ? BEAM_EXIT_PAUSE : BEAM_EXIT_UNKNOWN;
	*depth = depth_of(&w);
	return BEAM_EXIT_RETURN;
}

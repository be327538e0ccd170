/*
 * How far above rsp a frame's return address is: the code is read forward to where the function
 * leaves its frame.
 *
 * The compiler gives each instruction of a function one frame size, so any way to a return, or to a
 * tail call, tells it. A tail call jumps to a function's first instruction, or through the table of
 * code indices that all calls to other modules take. Ways that only raise an exception end without
 * an answer. So do calls of shared code that never returns: what stands behind them belongs to
 * another way, with another frame size. Whether shared code returns, its own code tells.
 *
 * With frame pointers, `leave` ends a frame, wherever rsp is.
 *
 * Rejected: unwind/code's forward reading. It takes what is behind each call for reached, and
 * does not end at a function's first instruction: one in a thousand stacks was wrong.
 */
#include <stdlib.h>

#include "base/error.h"
#include "runtimes/beam/depth.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/insn_x86_64.h"

enum { WAYS_MAX = 64, MET_MAX = 256, INSNS_MAX = 4096, VENEERS_MAX = 4 };

struct depth_way {
	uint64_t pc;
	int64_t depth, rbp, saved_rbp; /* bytes above the stack pointer at the start */
	bool on_c;
	bool wrote;	/* a variable on the stack */
	uint8_t table;	/* the register that has the address of a table of jumps, HW_NONE: none, */
	uint64_t jumps; /* and that address */
};

struct depth_reading {
	struct beam_runtime *rt;
	struct codebytes *code;
	struct depth_way ways[WAYS_MAX]; /* to be tried; the last first */
	unsigned count;
	uint64_t met[MET_MAX]; /* targets of jumps so far */
	unsigned met_count;
	unsigned left; /* instructions that may still be read */
	bool paused;
};

enum depth_flow { ON, ENDS, FOUND };

static bool read_insn(struct depth_reading *r, uint64_t pc, struct insn *i)
{
	uint8_t bytes[INSN_LENGTH_MAX];
	size_t len = codebytes_read(r->code, pc, bytes, sizeof(bytes));

	return !insn_decode(bytes, len, i);
}

static bool is_one(const struct insn *i, uint8_t opcode)
{
	return i->map == MAP_ONE && i->opcode == opcode;
}

static bool is_group(const struct insn *i, uint8_t opcode, unsigned which)
{
	return is_one(i, opcode) && (i->reg & 7) == which;
}

/* Where a `jmp` or `call` at the end of which pc is leads to; 0: it does not say. */
static uint64_t target_of(struct depth_reading *r, const struct insn *i, uint64_t pc)
{
	uint64_t target = 0;

	if (is_one(i, 0xe8) || is_one(i, 0xe9) || is_one(i, 0xeb))
		return pc + (uint64_t)i->imm;
	if (is_one(i, 0xff) && i->in_memory && i->rip &&
	    !memory_read_u64(r->rt->memory, pc + (uint64_t)(int64_t)i->disp, &target))
		return target;
	return 0;
}

/* Calls and jumps to what is far away go by a jump near by. */
static uint64_t behind_veneers(struct depth_reading *r, uint64_t target)
{
	struct insn i;

	for (unsigned n = 0; n < VENEERS_MAX && target; n++) {
		if (beam_shared_at(r->rt, target) || beam_is_entry(r->rt, target) ||
		    !read_insn(r, target, &i) ||
		    !(is_one(&i, 0xe9) || is_one(&i, 0xeb) || is_group(&i, 0xff, 4)))
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
		return is_group(i, 0xff, 2) && !i->rip;
	target = behind_veneers(r, target);
	label = beam_shared_at(r->rt, target);
	return label ? label->returns : beam_is_entry(r->rt, target);
}

static void depth_try_later(struct depth_reading *r, const struct depth_way *w, uint64_t pc)
{
	for (unsigned i = 0; i < r->met_count; i++)
		if (r->met[i] == pc)
			return;
	if (r->met_count == MET_MAX || r->count == WAYS_MAX)
		return;
	r->met[r->met_count++] = pc;
	r->ways[r->count] = *w;
	r->ways[r->count++].pc = pc;
}

static enum depth_flow depth_jump(struct depth_reading *r, struct depth_way *w,
				  const struct insn *i)
{
	uint64_t target = behind_veneers(r, target_of(r, i, w->pc));

	if (w->on_c && is_group(i, 0xff, 4))
		return ENDS;
	if (!target && i->in_memory && i->index == HW_R12) /* another module's function */
		return FOUND;
	if (!target && i->in_memory && i->index != HW_NONE && i->base == w->table &&
	    memory_read_u64(r->rt->memory, w->jumps, &target))
		return ENDS;
	if (!target)
		return ENDS;
	if (!w->on_c && beam_is_entry(r->rt, target))
		return FOUND;
	depth_try_later(r, w, target);
	return ENDS;
}

static bool is_load_of_rbp(const struct depth_reading *r, const struct insn *i)
{
	return is_one(i, 0x8b) && i->reg == HW_RBP && i->in_memory && i->base == HW_R13 &&
	       i->index == HW_NONE && i->disp == (int32_t)r->rt->at.stop + 8;
}

/* Frame pointers: the frame begins or ends. False: it is another instruction. */
static bool changes_frame(const struct depth_reading *r, struct depth_way *w, const struct insn *i)
{
	if (is_load_of_rbp(r, i)) {
		w->rbp = w->saved_rbp;
	} else if (!i->in_memory && i->wide &&
		   ((is_one(i, 0x89) && i->reg == HW_RSP && i->rm == HW_RBP) ||
		    (is_one(i, 0x8b) && i->reg == HW_RBP && i->rm == HW_RSP))) {
		w->rbp = w->depth;
	} else if (is_one(i, 0xc9) && w->rbp != BEAM_NOT_KNOWN) {
		w->depth = w->rbp + 8;
		w->rbp = BEAM_NOT_KNOWN;
	} else {
		return false;
	}
	return true;
}

/* rsp += *change. False: it is not known by how much, or the stack is changed. */
static bool changes_rsp(const struct insn *i, int64_t *change)
{
	*change = 0;
	if (i->map == MAP_ONE && i->opcode >= 0x50 && i->opcode <= 0x57)
		*change = -8;
	else if (i->map == MAP_ONE && i->opcode >= 0x58 && i->opcode <= 0x5f && i->opcode != 0x5c)
		*change = 8;
	else if (is_one(i, 0x68) || is_one(i, 0x6a) || is_group(i, 0xff, 6))
		*change = -8;
	else if (is_group(i, 0x8f, 0))
		*change = 8;
	else if ((is_group(i, 0x83, 5) || is_group(i, 0x81, 5)) && !i->in_memory && i->rm == HW_RSP)
		*change = -i->imm;
	else if ((is_group(i, 0x83, 0) || is_group(i, 0x81, 0)) && !i->in_memory && i->rm == HW_RSP)
		*change = i->imm;
	else if (is_one(i, 0x8d) && i->reg == HW_RSP && i->base == HW_RSP && i->index == HW_NONE)
		*change = i->disp;
	else
		return !is_one(i, 0xc9) && !is_one(i, 0xc8) && !(insn_changes(i) >> HW_RSP & 1);
	return true;
}

static bool depth_is_branch(const struct insn *i)
{
	return (i->map == MAP_0F && !i->vex && i->opcode >= 0x80 && i->opcode <= 0x8f) ||
	       (i->map == MAP_ONE && ((i->opcode >= 0x70 && i->opcode <= 0x7f) ||
				      (i->opcode >= 0xe0 && i->opcode <= 0xe3)));
}

static bool is_halt(const struct insn *i)
{
	return (i->map == MAP_0F && i->opcode == 0x0b) || is_one(i, 0xf4) || is_one(i, 0xcc);
}

/* Does it only read what its operand in memory is? */
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
	if (is_one(i, 0x8d) && i->rip && i->reg != HW_RSP) {
		w->table = i->reg;
		w->jumps = w->pc + (uint64_t)(int64_t)i->disp;
	} else if (insn_changes(i) >> w->table & 1) {
		w->table = HW_NONE;
	}
}

/* Executes one instruction; w->pc is behind it. */
static enum depth_flow depth_go_on(struct depth_reading *r, struct depth_way *w,
				   const struct insn *i)
{
	int64_t change;

	depth_note(w, i);
	if (depth_is_branch(i)) {
		depth_try_later(r, w, w->pc + (uint64_t)i->imm);
		return ON;
	}
	if (is_one(i, 0xe9) || is_one(i, 0xeb) || is_group(i, 0xff, 4))
		return depth_jump(r, w, i);
	if (is_one(i, 0xc3) || is_one(i, 0xc2))
		return w->on_c ? ENDS : FOUND;
	if (is_halt(i))
		return ENDS;
	if (is_one(i, 0xe8) || is_group(i, 0xff, 2))
		return w->on_c || returns(r, i, w->pc) ? ON : ENDS;
	if (w->on_c) {
		w->on_c = !beam_is_switch_back(r->rt, i);
		return ON;
	}
	if (is_one(i, 0x8d) && i->reg == HW_RSP && i->base == HW_RBX) {
		w->saved_rbp = w->rbp;
		w->on_c = true;
		return ON;
	}
	if (r->rt->at.frame_pointers && changes_frame(r, w, i))
		return ON;
	if (!changes_rsp(i, &change))
		return ENDS;
	w->depth += change;
	if (insn_changes(i) >> HW_RBP & 1 || is_one(i, 0x5d))
		w->rbp = BEAM_NOT_KNOWN;
	return ON;
}

static enum depth_flow depth_follow(struct depth_reading *r, struct depth_way *w)
{
	enum depth_flow flow = ON;
	struct insn i;

	while (flow == ON && r->left && read_insn(r, w->pc, &i)) {
		if (w->pc >= r->rt->at.jit_main && w->pc < r->rt->at.jit_main_end) {
			r->paused |= !w->wrote;
			return ENDS;
		}
		r->left--;
		w->pc += i.len;
		flow = depth_go_on(r, w, &i);
	}
	return flow;
}

bool beam_is_switch_back(const struct beam_runtime *rt, const struct insn *i)
{
	if (i->map != MAP_ONE || !i->wide || !i->has_modrm)
		return false;
	if (i->opcode == 0x89)
		return !i->in_memory && i->rm == HW_RSP;
	return i->opcode == 0x8b && i->reg == HW_RSP &&
	       (!i->in_memory ||
		(i->base == HW_R13 && i->index == HW_NONE && i->disp == (int32_t)rt->at.stop));
}

/* Shared code. */

enum { LABEL_BYTES = 4096 };

static bool has_return(const uint8_t *code, size_t len)
{
	struct insn i;

	for (size_t at = 0; at < len; at += i.len) {
		if (insn_decode(code + at, len - at, &i))
			return false;
		if (is_one(&i, 0xc3) || is_one(&i, 0xc2))
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
	struct depth_reading r = { .rt = rt, .code = code, .left = INSNS_MAX };
	struct depth_way w = { .pc = from->pc,
			       .rbp = from->rbp,
			       .saved_rbp = from->saved_rbp,
			       .on_c = from->on_c,
			       .table = HW_NONE };

	depth_try_later(&r, &w, from->pc);
	while (r.count) {
		w = r.ways[--r.count];
		if (depth_follow(&r, &w) == FOUND && w.depth >= 0 && w.depth % 8 == 0) {
			*depth = w.depth;
			return BEAM_EXIT_RETURN;
		}
	}
	return r.paused ? BEAM_EXIT_PAUSE : BEAM_EXIT_UNKNOWN;
}

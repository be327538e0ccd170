/* Ways that wait to be followed are on a stack, each with its shape. Each instruction is followed
 * once, so the first way decides; shapes are numbered, and a byte for each byte of code has the
 * number. */
#include "runtimes/v8/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "runtimes/v8/flow.h"
#include "unwind/code/insn_x86_64.h"

enum { PUSHED_MAX = 4096 };

/* A way that is still to be followed. */
struct shapes_way {
	uint32_t offset;
	struct v8_shape shape;
};

struct shapes_search {
	struct v8_shapes *s;
	const uint8_t *code;
	struct shapes_way *ways; /* owned */
	size_t count, room;
	enum v8_entry entry;
	int rc;
};

/* Shapes by number. */

/* 0: there are too many. */
static uint8_t shapes_number(struct v8_shapes *s, struct v8_shape *shape)
{
	if (s->count > 200 && shape->kind == V8_SHAPE_RBP)
		shape->unsure = true, shape->offset = 0;
	for (unsigned i = 1; i <= s->count; i++)
		if (!memcmp(&s->shapes[i], shape, sizeof(*shape)))
			return (uint8_t)i;
	if (s->count == 255)
		return 0;
	s->shapes[++s->count] = *shape;
	return (uint8_t)s->count;
}

static void add_way(struct shapes_search *x, int64_t offset, const struct v8_shape *shape)
{
	if (offset < 0 || (uint64_t)offset >= x->s->len || x->s->at[offset] || x->rc)
		return;
	x->rc = room_for((void **)&x->ways, &x->room, x->count + 1, sizeof(*x->ways));
	if (!x->rc)
		x->ways[x->count++] = (struct shapes_way){ (uint32_t)offset, *shape };
}

/* What an instruction does. */

static void to_kind(struct v8_shape *h, enum v8_shape_kind kind, uint8_t built)
{
	*h = (struct v8_shape){ .kind = kind, .reg = HW_NONE, .copy = HW_NONE, .built = built };
}

static void shapes_lose(struct v8_shape *h)
{
	to_kind(h, V8_SHAPE_LOST, false);
}

static void to_rsp(struct v8_shape *h, uint8_t built)
{
	to_kind(h, V8_SHAPE_RSP, built);
}

/* The function's own frame is given up. */
static void shapes_leave(struct v8_shape *h)
{
	to_rsp(h, h->built);
	h->leaving = true;
}

static void set_up(struct v8_shape *h)
{
	to_kind(h, V8_SHAPE_RBP, false);
	h->unsure = true;
}

/* The return address is moved, and the frames are what they were. */
static void move_address(struct v8_shape *h, enum v8_shape_kind kind)
{
	bool leaving = h->leaving;

	to_kind(h, kind, h->built);
	h->leaving = leaving;
}

static void to_register(struct v8_shape *h, uint8_t reg, bool unsure)
{
	move_address(h, V8_SHAPE_REGISTER);
	h->reg = reg;
	h->unsure = unsure;
}

/* rsp moves down by so many bytes; up, if less than 0. */
static void move_rsp(struct v8_shape *h, int64_t down)
{
	int64_t offset = h->offset + down;

	if (h->kind == V8_SHAPE_RSP && offset == -8)
		to_rsp(h,
		       false); /* it has dropped the return address: this goes on as the caller */
	else if (h->kind == V8_SHAPE_RSP && (offset < 0 || offset > PUSHED_MAX))
		shapes_lose(h);
	else if (h->kind == V8_SHAPE_RSP)
		h->offset = (int16_t)offset;
	else if (h->unsure || offset < 0 || offset > PUSHED_MAX)
		h->unsure = true, h->offset = 0;
	else
		h->offset = (int16_t)offset;
}

/* rsp becomes something that is not known. A call with fewer arguments than the function has makes
 * room for them below, and then moves the others and the return address down, from where rsp was
 * (MacroAssembler::InvokePrologue). */
static void scatter_rsp(struct v8_shape *h)
{
	uint8_t copy_of_rsp = h->reg;

	if (h->kind == V8_SHAPE_RSP && copy_of_rsp != HW_NONE) {
		to_kind(h, V8_SHAPE_POINTER, h->built);
		h->reg = copy_of_rsp;
	} else if (h->kind != V8_SHAPE_POINTER) {
		move_rsp(h, PUSHED_MAX + 1);
	}
}

/* A register is overwritten. */
static void overwrite(struct v8_shape *h, unsigned reg)
{
	if (reg == h->copy)
		h->copy = HW_NONE;
	if (h->reg == HW_NONE || reg != h->reg)
		return;
	if (h->kind == V8_SHAPE_POINTER)
		to_rsp(h, h->built); /* all is moved down */
	else if (h->kind == V8_SHAPE_REGISTER)
		shapes_lose(h);
	h->reg = HW_NONE;
}

static void do_push(struct v8_shape *h, unsigned reg)
{
	if (h->kind == V8_SHAPE_REGISTER && reg == h->reg) {
		move_address(h, V8_SHAPE_RSP);
		return;
	}
	move_rsp(h, 8);
	if (reg == HW_RBP && (h->kind == V8_SHAPE_RSP || h->kind == V8_SHAPE_REGISTER))
		h->pushed = (int16_t)-h->offset;
}

static void do_pop(struct v8_shape *h, unsigned reg)
{
	if (h->kind == V8_SHAPE_RBP && reg == HW_RBP) {
		shapes_leave(h);
	} else if (h->kind == V8_SHAPE_RSP && h->offset == 0) {
		to_register(h, (uint8_t)reg, false);
	} else {
		move_rsp(h, -8);
		overwrite(h, reg);
	}
}

/* mov rbp, rsp: a frame is set up, the function's own or, with the return address in a register,
 * that which its caller will have. */
static void set_rbp(struct v8_shape *h)
{
	if (h->kind == V8_SHAPE_RSP && h->offset == 8 && h->pushed == -8)
		to_kind(h, V8_SHAPE_RBP, h->built);
	else if (h->kind == V8_SHAPE_REGISTER)
		h->built = true;
	else
		shapes_lose(h);
}

static bool is_slot(const struct insn *insn, unsigned base, int32_t disp)
{
	return insn_is_at(insn, base) && insn->disp == disp;
}

/* mov rbp, [rbp]: it becomes the caller's again, and rsp stays as it was. What is below rbp cannot
 * be counted from its pushes, because functions pop their arguments. */
static void restore_rbp(struct v8_shape *h, const uint8_t *code, size_t len)
{
	int64_t at;

	if (h->copy != HW_NONE) {
		to_register(h, h->copy, true);
	} else if (v8_flow_epilogue(code, len, &at) && at <= PUSHED_MAX) {
		shapes_leave(h);
		h->offset = (int16_t)at;
	} else {
		shapes_lose(h);
	}
}

/* The way of an exception: rsp and rbp become those of the frame that handles it, and then the code
 * jumps there. */
static bool throws(struct v8_shape *h, const struct insn *insn, const uint8_t *code, size_t len)
{
	int32_t disp;

	if (h->kind != V8_SHAPE_RBP || !v8_flow_loads_root(insn, HW_RBP) ||
	    !v8_flow_jumps_to(code, len, &disp) || disp != (int16_t)disp ||
	    insn->disp != (int16_t)insn->disp)
		return false;
	to_kind(h, V8_SHAPE_THROWN, false);
	h->offset = (int16_t)disp;
	h->pushed = (int16_t)insn->disp;
	return true;
}

static bool restores_rbp(const struct v8_shape *h, const struct insn *insn)
{
	return h->kind == V8_SHAPE_RBP && insn_is(insn, 0x8b) && insn->wide &&
	       insn->reg == HW_RBP && is_slot(insn, HW_RBP, 0);
}

static void do_load(struct v8_shape *h, const struct insn *insn)
{
	bool is_rbp = insn->reg == HW_RBP,
	     same_rbp = h->kind == V8_SHAPE_RSP && is_slot(insn, HW_RSP, h->offset + h->pushed);

	if (is_rbp && !same_rbp) {
		shapes_lose(h);
	} else if (!is_rbp) {
		overwrite(h, insn->reg);
		if ((h->kind == V8_SHAPE_RBP && is_slot(insn, HW_RBP, 8)) ||
		    (h->kind == V8_SHAPE_RSP && is_slot(insn, HW_RSP, h->offset)))
			h->copy = insn->reg;
	}
}

/* A call that replaces this one moves the return address to where its arguments begin. `from`: what
 * is stored at that distance from rsp; HW_NONE: a word of memory. */
static void do_store(struct v8_shape *h, unsigned from, int64_t disp)
{
	bool is_address = h->kind == V8_SHAPE_REGISTER ? from == h->reg : from == h->copy;

	if (from != HW_NONE && is_address && disp >= 0 && disp <= PUSHED_MAX &&
	    (h->kind == V8_SHAPE_RSP || h->kind == V8_SHAPE_REGISTER)) {
		move_address(h, V8_SHAPE_RSP);
		h->offset = (int16_t)disp;
		h->copy = (uint8_t)from;
	} else if (h->kind == V8_SHAPE_RSP && disp == h->offset) {
		if (h->copy == HW_NONE)
			shapes_lose(h);
		else
			to_register(h, h->copy, true);
	}
}

static void do_move(struct v8_shape *h, unsigned to, unsigned from)
{
	if (to == HW_RBP && from == HW_RSP) {
		set_rbp(h);
	} else if (to == HW_RBP) {
		shapes_lose(h);
	} else if (to == HW_RSP && from == HW_RBP && h->kind == V8_SHAPE_RBP) {
		h->offset = 0;
		h->unsure = true; /* what is below is as it was */
	} else if (to == HW_RSP) {
		scatter_rsp(h);
	} else if (from == HW_RSP && h->kind == V8_SHAPE_RSP && h->offset == 0) {
		h->reg = (uint8_t)to;
	} else {
		overwrite(h, to);
	}
}

static void do_lea(struct v8_shape *h, const struct insn *insn)
{
	if (insn->reg == HW_RSP && insn_is_at(insn, HW_RSP))
		move_rsp(h, -(int64_t)insn->disp);
	else if (insn->reg == HW_RSP)
		scatter_rsp(h);
	else if (insn->reg == HW_RBP)
		shapes_lose(h);
	else
		overwrite(h, insn->reg);
}

/* add, sub and and of a number to rsp. */
static bool do_arithmetic(struct v8_shape *h, const struct insn *insn)
{
	if (insn->in_memory || insn->rm != HW_RSP)
		return false;
	if ((insn->reg & 7) == INSN_ADD)
		move_rsp(h, -insn->imm);
	else if ((insn->reg & 7) == INSN_SUB)
		move_rsp(h, insn->imm);
	else if ((insn->reg & 7) == INSN_AND)
		scatter_rsp(h);
	return true;
}

/* Any other instruction: only what it overwrites matters. */
static void do_other(struct v8_shape *h, uint32_t changed)
{
	if (changed >> HW_RBP & 1)
		shapes_lose(h);
	else if (changed >> HW_RSP & 1)
		scatter_rsp(h);
	if (h->reg != HW_NONE && changed >> h->reg & 1)
		overwrite(h, h->reg);
	if (h->copy != HW_NONE && changed >> h->copy & 1)
		h->copy = HW_NONE;
}

/* A call that replaces this one moves the return address below its arguments. */
static void push_memory(struct v8_shape *h, const struct insn *insn)
{
	if (h->kind == V8_SHAPE_RSP && is_slot(insn, HW_RSP, h->offset))
		to_rsp(h, h->built);
	else
		do_push(h, HW_NONE);
}

static bool shapes_execute_wide(struct v8_shape *h, const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x81:
	case 0x83:
		return do_arithmetic(h, insn);
	case 0x89:
		if (insn_is_at(insn, HW_RSP))
			do_store(h, insn->reg, insn->disp);
		else if (!insn->in_memory)
			do_move(h, insn->rm, insn->reg);
		return true;
	case 0x8b:
		if (insn->in_memory)
			do_load(h, insn);
		else
			do_move(h, insn->reg, insn->rm);
		return true;
	case 0x8d:
		do_lea(h, insn);
		return true;
	}
	return false;
}

static void shapes_after_call(struct v8_shape *h)
{
	if (h->kind == V8_SHAPE_REGISTER || h->kind == V8_SHAPE_POINTER)
		shapes_lose(h);
	h->reg = h->copy = HW_NONE;
}

static bool shapes_execute_any(struct v8_shape *h, const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x50 ... 0x57:
		do_push(h, insn->reg);
		return true;
	case 0x58 ... 0x5f:
		do_pop(h, insn->reg);
		return true;
	case 0x68:
	case 0x6a:
	case 0x9c:
		do_push(h, HW_NONE);
		return true;
	case 0x9d:
		do_pop(h, HW_NONE);
		return true;
	case 0x8f:
		do_pop(h, insn->in_memory ? HW_NONE : insn->rm);
		if (insn_is_at(insn, HW_RSP))
			do_store(h, HW_NONE, insn->disp);
		return true;
	case 0xc9:
		if (h->kind == V8_SHAPE_RBP)
			shapes_leave(h);
		else
			shapes_lose(h);
		return true;
	case 0xe8:
		shapes_after_call(h);
		return true;
	case 0xff:
		if ((insn->reg & 7) == 2)
			shapes_after_call(h);
		else if ((insn->reg & 7) == 6)
			push_memory(h, insn);
		else
			return false;
		return true;
	}
	return false;
}

static void shapes_execute(struct v8_shape *h, const struct insn *insn)
{
	if (insn->map != MAP_ONE ||
	    (!(insn->wide && shapes_execute_wide(h, insn)) && !shapes_execute_any(h, insn)))
		do_other(h, insn_changes(insn));
}

/* Follows one way to its end, or to where another one has been. */
static void shapes_follow(struct shapes_search *x, size_t offset, struct v8_shape h)
{
	struct v8_shapes *s = x->s;
	enum flow flow;
	struct insn insn;

	while (offset < s->len && !s->at[offset] &&
	       !insn_decode(x->code + offset, s->len - offset, &insn)) {
		uint8_t n = shapes_number(s, &h);

		s->at[offset] = n;
		offset += insn.len;
		if (!n)
			return;
		flow = insn_flow(&insn);
		if (flow == FLOW_CALL)
			s->after[offset] = n;
		if (flow == FLOW_BRANCH || flow == FLOW_JUMP)
			add_way(x, (int64_t)offset + insn.imm, &h);
		if (!insn_goes_on(&insn))
			return;
		if (h.kind == V8_SHAPE_THROWN ||
		    throws(&h, &insn, x->code + offset, s->len - offset))
			continue;
		if (restores_rbp(&h, &insn))
			restore_rbp(&h, x->code + offset, s->len - offset);
		else
			shapes_execute(&h, &insn);
		if (flow == FLOW_CALL && x->entry == V8_ENTRY_SPARKPLUG)
			set_up(&h);
	}
}

int v8_shapes_make(struct v8_shapes *s, const uint8_t *code, size_t len, enum v8_entry how)
{
	struct shapes_search x = { .s = s, .code = code, .entry = how };
	struct v8_shape entry;

	memset(s, 0, sizeof(*s));
	s->at = calloc(2, len + 1);
	if (!s->at)
		return ERR_NOMEM;
	s->after = s->at + len + 1;
	s->len = len;
	to_rsp(&entry, false);
	if (how == V8_ENTRY_SET_UP)
		set_up(&entry);
	add_way(&x, 0, &entry);
	while (x.count && !x.rc) {
		struct shapes_way way = x.ways[--x.count];

		shapes_follow(&x, way.offset, way.shape);
	}
	free(x.ways);
	if (x.rc)
		v8_shapes_release(s);
	return x.rc;
}

void v8_shapes_release(struct v8_shapes *s)
{
	free(s->at);
	memset(s, 0, sizeof(*s));
}

bool v8_shape_at(const struct v8_shapes *s, size_t offset, bool returned, struct v8_shape *shape)
{
	uint8_t n = offset > s->len ? 0 : returned ? s->after[offset] : s->at[offset];

	*shape = s->shapes[n];
	return n;
}

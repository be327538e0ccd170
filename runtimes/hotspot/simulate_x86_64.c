/* Each way is an emulator of its own; those that a branch opens wait on a stack. A place that was
 * jumped to is followed once, so loops end. */

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/simulate.h"
#include "unwind/code/emulator.h"
#include "unwind/step.h"

enum {
	WAYS_MAX = 16,
	JOINS_MAX = 256,
	ARGUMENTS_MAX = 8 << 16, /* bytes */
	RAISING_INSNS = 40,
	THREAD_BYTES = 1 << 13, /* of a JavaThread */
};

/* The stack as it was copied, and the JavaThread as it is now. */
struct both {
	struct memory memory;
	const struct memory *stack, *now;
	uint64_t thread; /* address; 0: not known */
};

static int read_both(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const struct both *b = (const struct both *)m;

	if (b->thread && addr - b->thread < THREAD_BYTES)
		return b->now->read(b->now, addr, buf, len);
	return b->stack->read(b->stack, addr, buf, len);
}

static void open_both(struct both *b, const struct simulation *s)
{
	const struct walk *w = s->w;

	*b = (struct both){ .memory.read = read_both, .stack = w->memory, .now = s->hs->seen };
	if (w->valid >> DWARF_R15 & 1)
		b->thread = w->regs.r[DWARF_R15];
}

struct simulate_run {
	const struct simulation *s;
	struct both memory;
	struct emulator ways[WAYS_MAX]; /* to be tried; the last first */
	unsigned way_count;
	uint64_t joins[JOINS_MAX]; /* targets of jumps so far */
	unsigned join_count, left;
	bool exhausted; /* a return address was beyond the copy */
	struct emulator found;
};

enum simulate_way { WAY_ON, WAY_LOST, WAY_RETURNED };

static bool simulate_join(struct simulate_run *r, uint64_t pc)
{
	for (unsigned i = 0; i < r->join_count; i++)
		if (r->joins[i] == pc)
			return false;
	if (r->join_count == JOINS_MAX)
		return false;
	r->joins[r->join_count++] = pc;
	return true;
}

static void simulate_try_later(struct simulate_run *r, const struct emulator *m, uint64_t pc)
{
	if (r->s->straight || r->way_count == WAYS_MAX || !simulate_join(r, pc))
		return;
	r->ways[r->way_count] = *m;
	r->ways[r->way_count++].pc = pc;
}

/* The caller goes on at `addr`, with rsp moved up by `drop`. */
static enum simulate_way simulate_arrive(struct simulate_run *r, const struct emulator *m,
					 uint64_t addr, uint64_t drop)
{
	if (!emulator_knows(m, HW_RSP) || m->r[HW_RSP] + drop < r->s->lowest ||
	    !r->s->accepts(r->s->ctx, addr))
		return WAY_LOST;
	r->found = *m;
	r->found.pc = addr;
	r->found.r[HW_RSP] += drop;
	return WAY_RETURNED;
}

/* Where another method begins: r13 is the caller's rsp, in front of the arguments. */
static enum simulate_way with_r13(struct simulate_run *r, const struct emulator *m,
				  enum simulate_way way)
{
	if (way == WAY_RETURNED && r->s->by_r13 && emulator_knows(m, HW_R13) &&
	    m->r[HW_R13] - m->r[HW_RSP] < ARGUMENTS_MAX)
		r->found.r[HW_RSP] = m->r[HW_R13];
	return way;
}

/* Reads the return address. */
static bool read_return(struct simulate_run *r, const struct emulator *m, uint64_t slot,
			uint64_t *addr)
{
	int rc = emulator_read(m, slot, addr);

	r->exhausted |= rc == ERR_SHORT;
	return !rc;
}

static enum simulate_way arrive_by_stack(struct simulate_run *r, const struct emulator *m,
					 uint64_t dropped)
{
	uint64_t addr;

	if (!emulator_knows(m, HW_RSP) || !read_return(r, m, m->r[HW_RSP], &addr))
		return WAY_LOST;
	return simulate_arrive(r, m, addr, 8 + dropped);
}

/* The frame is complete: rbp is below the return address. */
static enum simulate_way arrive_by_size(struct simulate_run *r, struct emulator *m)
{
	uint64_t slot = m->r[HW_RSP] + r->s->frame_size - 8, addr, rbp;

	if (!emulator_knows(m, HW_RSP) || !read_return(r, m, slot, &addr) ||
	    emulator_read(m, slot - 8, &rbp))
		return WAY_LOST;
	m->r[HW_RBP] = rbp;
	m->known |= 1u << HW_RBP;
	return simulate_arrive(r, m, addr, r->s->frame_size);
}

/* A jump to an address that a register holds: of the caller, of another function, or of an
 * exception handler, with the address of the caller in rdx. */
static enum simulate_way jump_by_register(struct simulate_run *r, const struct emulator *m,
					  unsigned reg)
{
	enum simulate_way way = WAY_LOST;

	if (emulator_knows(m, reg))
		way = simulate_arrive(r, m, m->r[reg], 0);
	if (way == WAY_LOST && !r->s->by_r13 && emulator_knows(m, HW_RDX))
		way = simulate_arrive(r, m, m->r[HW_RDX], 0);
	return way == WAY_LOST && r->s->through == THROUGH_ALL ? arrive_by_stack(r, m, 0) : way;
}

static enum simulate_way simulate_jump(struct simulate_run *r, struct emulator *m, uint64_t target)
{
	if (target < r->s->start || target >= r->s->end)
		return r->s->until_call ? arrive_by_size(r, m) : arrive_by_stack(r, m, 0);
	if (!simulate_join(r, target))
		return WAY_LOST;
	m->pc = target;
	return WAY_ON;
}

static bool simulate_is_mov_rbp_rsp(const struct insn *insn)
{
	if (insn->map != MAP_ONE || !insn->wide || insn->in_memory)
		return false;
	return (insn->opcode == 0x89 && insn->reg == HW_RSP && insn->rm == HW_RBP) ||
	       (insn->opcode == 0x8b && insn->reg == HW_RBP && insn->rm == HW_RSP);
}

/* At push rbp; mov rbp, rsp the top of the stack is the return address. */
static bool simulate_frame_begins(const struct insn *insn, const uint8_t *code, size_t len)
{
	struct insn after;

	return insn->map == MAP_ONE && insn->opcode == 0x55 && !insn->rex &&
	       insn_decode(code + insn->len, len - insn->len, &after) == 0 &&
	       simulate_is_mov_rbp_rsp(&after);
}

static bool reads_r15(const struct insn *insn)
{
	return insn->in_memory && insn->base == HW_R15 && insn->index == HW_NONE;
}

static bool simulate_is_branch(const struct insn *insn)
{
	if (insn->map == MAP_0F)
		return !insn->vex && insn->opcode >= 0x80 && insn->opcode <= 0x8f;
	return insn->map == MAP_ONE && insn->opcode >= 0x70 && insn->opcode <= 0x7f;
}

/* What stands between a compiled method's removal of its frame and its return: pop rbp, leave,
 * vzeroupper; in a native method's wrapper, a look whether an exception is pending; and a poll: a
 * read of the polling page, of a flag of the JavaThread's, or a comparison of rsp; and what that
 * jumps to: the address of the poll is kept in the JavaThread. */
static bool ends_method(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	if (simulate_is_branch(insn))
		return true;
	if (insn->map != MAP_ONE)
		return insn->map == MAP_0F && insn->vex && op == 0x77;
	switch (op) {
	case 0x5d: /* pop rbp */
		return !insn->rex;
	case 0xc3:
	case 0xc2:
	case 0xc9:
	case 0xe9:
	case 0xeb:
		return true;
	case 0x85: /* test [r10 or rip + ...], eax */
		return insn->in_memory &&
		       (insn->rip || insn->base == HW_R10 || insn->base == HW_RCX);
	case 0x8b: /* mov r10, [r15 + ...] */
		return reads_r15(insn) && insn->reg != HW_RSP && insn->reg != HW_RBP;
	case 0x89: /* mov [r15 + ...], r10 */
		return reads_r15(insn) && insn->reg == HW_R10;
	case 0x3b: /* cmp rsp, [r15 + ...] */
		return reads_r15(insn) && insn->reg == HW_RSP;
	case 0x81: /* cmp [r15 + ...], 0 */
	case 0x83:
		return reads_r15(insn) && (insn->reg & 7) == 7;
	case 0xf6: /* test [r15 + ...], 1 */
		return reads_r15(insn) && (insn->reg & 7) == 0;
	case 0x8d: /* lea r10, [rip + ...] */
		return insn->rip && insn->reg == HW_R10;
	case 0xba: /* mov r10, ... */
		return insn->reg == HW_R10;
	case 0xbb: /* mov rbx, Method: a stub in which a static call goes to the interpreter */
		return insn->reg == HW_RBX;
	}
	return false;
}

/* What the interpreter ends a method with: leave; pop; mov rsp, rbx; jmp; from 21 on with a mark of
 * the JavaThread's between them. If the method throws, it asks for the caller's handler, by a call
 * with the caller's pc and the exception on the stack. */
static bool ends_activation(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	if (simulate_is_branch(insn))
		return true;
	if (insn->map != MAP_ONE)
		return false;
	switch (op) {
	case 0xeb:
	case 0xc9:
	case 0x50 ... 0x5f:
	case 0xe8:
		return true;
	case 0x89:
	case 0x8b:
		return !insn->in_memory && insn->wide;
	case 0x83: /* add, sub rsp; cmp [r15 + ...], 0 */
		return insn->in_memory ? reads_r15(insn) && (insn->reg & 7) == 7 :
					 insn->rm == HW_RSP;
	case 0xf6:
	case 0xf7: /* test spl, 15; test [r15 + ...], 1 */
		return (insn->in_memory ? reads_r15(insn) : insn->rm == HW_RSP) && !(insn->reg & 7);
	case 0x3b: /* cmp rsp, [r15 + ...] */
	case 0x39:
		return reads_r15(insn) && insn->reg == HW_RSP;
	case 0x80: /* cmp [r15 + ...], 0 */
	case 0x81:
		return reads_r15(insn) && (insn->reg & 7) == 7;
	case 0xc6: /* mov [r15 + ...], 0 */
	case 0xc7:
		return reads_r15(insn);
	case 0xff:
		return (insn->reg & 7) == 4 && !insn->in_memory;
	}
	return false;
}

static bool simulate_is_call(const struct insn *insn)
{
	return insn->map == MAP_ONE &&
	       (insn->opcode == 0xe8 || (insn->opcode == 0xff && (insn->reg & 7) == 2));
}

/* True at add rsp, and nearly all of the frame. */
static bool removes_frame(const struct simulate_run *r, const struct insn *insn)
{
	return insn_is_of_rsp(insn, INSN_ADD) && (uint64_t)insn->imm + 16 >= r->s->frame_size;
}

static bool is_way_through(const struct simulate_run *r, const struct insn *insn)
{
	switch (r->s->through) {
	case THROUGH_ALL:
		return true;
	case THROUGH_END:
		return ends_method(insn);
	case THROUGH_ACTIVATION:
		return ends_activation(insn);
	}
	return false;
}

/* Executes one instruction; m->pc is already behind it. */
static enum simulate_way simulate_go_on(struct simulate_run *r, struct emulator *m,
					const struct insn *insn)
{
	uint64_t target = m->pc + (uint64_t)insn->imm;
	uint8_t op = insn->opcode, digit = insn->reg & 7;

	if (insn->map == MAP_0F && !insn->vex) {
		if (op >= 0x80 && op <= 0x8f) {
			simulate_try_later(r, m, target);
			return WAY_ON;
		}
		if (op == 0x0b || op == 0xb9 || op == 0xff)
			return WAY_LOST;
	}
	if (insn->map == MAP_ONE) {
		if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3)) {
			simulate_try_later(r, m, target);
			return WAY_ON;
		}
		switch (op) {
		case 0xc2:
		case 0xc3:
			return arrive_by_stack(r, m, op == 0xc2 ? (uint16_t)insn->imm : 0);
		case 0xe9:
		case 0xeb:
			return simulate_jump(r, m, target);
		case 0xf4:
		case 0xcc:
		case 0xca:
		case 0xcb:
		case 0xcf:
			return WAY_LOST;
		case 0xff:
			if (digit == 4 && !insn->in_memory)
				return with_r13(r, m, jump_by_register(r, m, insn->rm));
			if (digit == 4)
				return with_r13(r, m, arrive_by_stack(r, m, 0));
			if (digit == 5)
				return WAY_LOST;
			break;
		}
	}
	return emulator_execute(m, insn) ? WAY_ON : WAY_LOST;
}

static size_t simulate_read_code(const struct simulate_run *r, uint64_t pc, uint8_t *code,
				 size_t room)
{
	size_t len = pc < r->s->end && r->s->end - pc < room ? r->s->end - pc : room;

	if (pc < r->s->start || pc >= r->s->end ||
	    r->s->hs->seen->read(r->s->hs->seen, pc, code, len))
		return 0;
	return len;
}

/* A method has more variables on its stack than the emulator keeps. They are not needed. */
static void forget_stores(const struct simulate_run *r, struct emulator *m)
{
	unsigned kept = 0;

	if (!r->s->lowest || m->store_count + 2 < EMULATOR_STORES)
		return;
	for (unsigned i = 0; i < m->store_count; i++)
		if (m->stores[i].addr + 16 >= r->s->lowest)
			m->stores[kept++] = m->stores[i];
	m->store_count = kept;
}

static enum simulate_way simulate_follow(struct simulate_run *r, struct emulator *m)
{
	enum simulate_way way = WAY_ON;

	while (way == WAY_ON) {
		uint8_t code[2 * INSN_LENGTH_MAX];
		size_t len = r->left ? simulate_read_code(r, m->pc, code, sizeof(code)) : 0;
		struct insn insn;

		if (r->s->goal && m->pc == r->s->goal)
			return arrive_by_size(r, m);
		if (!len || insn_decode(code, len, &insn) || !is_way_through(r, &insn))
			return WAY_LOST;
		r->left--;
		if (r->s->until_call && (simulate_is_call(&insn) || removes_frame(r, &insn)))
			return arrive_by_size(r, m);
		if (!r->s->frame_size && r->s->through == THROUGH_ALL &&
		    simulate_frame_begins(&insn, code, len) &&
		    arrive_by_stack(r, m, 0) == WAY_RETURNED)
			return with_r13(r, m, WAY_RETURNED);
		forget_stores(r, m);
		m->pc += insn.len;
		way = simulate_go_on(r, m, &insn);
	}
	return way;
}

enum simulation_end simulate(const struct simulation *s, struct regs *regs, uint32_t *valid)
{
	struct simulate_run r = { .s = s, .left = s->most, .way_count = 1 };
	enum simulate_way way = WAY_LOST;

	open_both(&r.memory, s);
	emulator_load(&r.ways[0], &s->w->regs, s->w->valid, &r.memory.memory);
	while (way == WAY_LOST && r.way_count) {
		struct emulator m = r.ways[--r.way_count];

		way = simulate_follow(&r, &m);
	}
	if (way == WAY_LOST)
		return r.exhausted ? SIMULATED_EXHAUSTED : SIMULATED_NOTHING;
	*valid = emulator_unload(&r.found, regs) | 1u << DWARF_RIP;
	regs->r[DWARF_RIP] = r.found.pc;
	return SIMULATED_RETURN;
}

/* Does code straight ahead go on behind the instruction? A jump that leads forward is followed.
 * Behind one that leads back, code goes on that a jump from within the loop leads to. */
static bool simulate_goes_on(const struct simulation *s, struct emulator *m,
			     const struct insn *insn)
{
	uint8_t op = insn->map == MAP_ONE ? insn->opcode : 0;

	if (op == 0xe9 || op == 0xeb) {
		uint64_t target = m->pc + (uint64_t)insn->imm;

		if (target < s->start || target >= s->end)
			return false;
		m->pc = insn->imm > 0 ? target : m->pc;
		return true;
	}
	return op != 0xc3 && op != 0xc2 && op != 0xf4 && op != 0xcc &&
	       !(op == 0xff && ((insn->reg & 7) == 4 || (insn->reg & 7) == 5)) &&
	       !(insn->map == MAP_0F && !insn->vex && insn->opcode == 0x0b);
}

/* An epilogue: add rsp, and all of the frame but what it has pushed; pop rbp. */
static bool begins_epilogue(const struct simulation *s, const struct insn *insn,
			    const uint8_t *code, size_t len)
{
	return insn_is_of_rsp(insn, INSN_ADD) && (uint64_t)insn->imm + 16 == s->frame_size &&
	       insn->len < len && code[insn->len] == 0x5d;
}

enum simulation_ahead simulate_ahead(const struct simulation *s, uint64_t *rsp)
{
	struct simulate_run r = { .s = s };
	struct emulator m;
	uint64_t sp = s->w->regs.r[DWARF_RSP];

	*rsp = sp;
	open_both(&r.memory, s);
	emulator_load(&m, &s->w->regs, s->w->valid, &r.memory.memory);
	/* What raises rsp is read to its end. */
	for (unsigned i = 0; i < s->most + (*rsp > sp ? RAISING_INSNS : 0); i++) {
		uint8_t code[2 * INSN_LENGTH_MAX];
		size_t len = simulate_read_code(&r, m.pc, code, sizeof(code));
		struct insn insn;

		if (!len || insn_decode(code, len, &insn))
			break;
		if (begins_epilogue(s, &insn, code, len)) {
			*rsp = m.r[HW_RSP];
			return AHEAD_LEVEL;
		}
		m.pc += insn.len;
		if (!simulate_goes_on(s, &m, &insn)) {
			/* Or the frame is still there, as at a jump to the stub for exceptions. */
			if (m.r[HW_RSP] >= sp && m.r[HW_RSP] - sp >= s->frame_size - 8) {
				*rsp = m.r[HW_RSP];
				return AHEAD_RETURN;
			}
			break;
		}
		if (!emulator_execute(&m, &insn) || !emulator_knows(&m, HW_RSP))
			break;
		*rsp = m.r[HW_RSP] > *rsp ? m.r[HW_RSP] : *rsp;
	}
	/* As far as an epilogue moves it. */
	if (*rsp - sp == s->frame_size - 8 || *rsp - sp == s->frame_size - 16)
		return *rsp == sp ? AHEAD_LEVEL : AHEAD_UNCLEAR;
	return AHEAD_LEVEL;
}

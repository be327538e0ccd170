/* The ways are an explorer's (unwind/code/explore.h), with an emulator as the state of each. */

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/simulate.h"
#include "unwind/code/emulator.h"
#include "unwind/code/explore.h"
#include "unwind/step.h"

enum {
	WAYS_MAX = 16,
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
	struct explorer explorer; /* must be first: its functions cast its address */
	struct emulator ways[WAYS_MAX];
	const struct simulation *s;
	struct both memory;
	bool exhausted; /* a return address was beyond the copy */
};

/* The caller goes on at `addr`, with rsp moved up by `drop`. */
static bool simulate_arrive(struct simulate_run *r, struct emulator *m, uint64_t addr,
			    uint64_t drop)
{
	if (!emulator_knows(m, HW_RSP) || m->r[HW_RSP] + drop < r->s->lowest ||
	    !r->s->accepts(r->s->ctx, addr))
		return false;
	m->pc = addr;
	m->r[HW_RSP] += drop;
	return true;
}

/* Reads the return address. */
static bool read_return(struct simulate_run *r, const struct emulator *m, uint64_t slot,
			uint64_t *addr)
{
	int rc = emulator_read(m, slot, addr);

	r->exhausted |= rc == ERR_SHORT;
	return !rc;
}

static bool arrive_by_stack(struct simulate_run *r, struct emulator *m, uint64_t dropped)
{
	uint64_t addr;

	return emulator_knows(m, HW_RSP) && read_return(r, m, m->r[HW_RSP], &addr) &&
	       simulate_arrive(r, m, addr, 8 + dropped);
}

/* The frame is complete: rbp is below the return address. */
static bool arrive_by_size(struct simulate_run *r, struct emulator *m)
{
	uint64_t slot = m->r[HW_RSP] + r->s->frame_size - 8, addr, rbp;

	if (!emulator_knows(m, HW_RSP) || !read_return(r, m, slot, &addr) ||
	    emulator_read(m, slot - 8, &rbp))
		return false;
	m->r[HW_RBP] = rbp;
	m->known |= HW_BIT(HW_RBP);
	return simulate_arrive(r, m, addr, r->s->frame_size);
}

/* A jump to an address that a register holds: of the caller, of another function, or of an
 * exception handler, with the address of the caller in rdx. */
static bool arrive_by_register(struct simulate_run *r, struct emulator *m, unsigned reg)
{
	return (emulator_knows(m, reg) && simulate_arrive(r, m, m->r[reg], 0)) ||
	       (!r->s->by_r13 && emulator_knows(m, HW_RDX) &&
		simulate_arrive(r, m, m->r[HW_RDX], 0)) ||
	       (r->s->through == THROUGH_ALL && arrive_by_stack(r, m, 0));
}

/* To another method's beginning, where r13 is the caller's rsp, in front of the arguments. */
static bool arrive_at_method(struct simulate_run *r, struct emulator *m, const struct insn *jump)
{
	uint64_t rsp = m->r[HW_RSP];

	if (!(jump && !jump->in_memory ? arrive_by_register(r, m, jump->rm) :
					 arrive_by_stack(r, m, 0)))
		return false;
	if (r->s->by_r13 && emulator_knows(m, HW_R13) && m->r[HW_R13] - rsp < ARGUMENTS_MAX)
		m->r[HW_RSP] = m->r[HW_R13];
	return true;
}

static bool is_in_blob(const struct simulation *s, uint64_t addr)
{
	return addr >= s->start && addr < s->end;
}

/* A poll: a flag of the JavaThread is compared or tested, or rsp is compared with a word of it. */
static bool polls_thread(const struct insn *insn)
{
	if (insn->map != MAP_ONE || !insn_is_at(insn, HW_R15))
		return false;
	switch (insn->opcode) {
	case 0x39:
	case 0x3b:
		return insn->reg == HW_RSP;
	case 0x80:
	case 0x81:
	case 0x83:
		return (insn->reg & 7) == INSN_CMP;
	case 0xf6:
	case 0xf7: /* test */
		return (insn->reg & 7) == 0;
	}
	return false;
}

/* What stands between a compiled method's removal of its frame and its return: pop rbp, leave,
 * vzeroupper; in a native method's wrapper, a look whether an exception is pending; a poll, or a
 * read of the polling page; and what that jumps to: the address of the poll is kept in the
 * JavaThread. */
static bool ends_method(const struct insn *insn)
{
	bool of_thread = insn_is_at(insn, HW_R15);

	if (insn_flow(insn) == FLOW_BRANCH || polls_thread(insn))
		return true;
	if (insn->map != MAP_ONE)
		return insn->map == MAP_0F && insn->vex && insn->opcode == 0x77;
	switch (insn->opcode) {
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
		return of_thread && insn->reg != HW_RSP && insn->reg != HW_RBP;
	case 0x89: /* mov [r15 + ...], r10 */
		return of_thread && insn->reg == HW_R10;
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
	if (insn_flow(insn) == FLOW_BRANCH || polls_thread(insn))
		return true;
	if (insn->map != MAP_ONE)
		return false;
	switch (insn->opcode) {
	case 0xeb:
	case 0xc9:
	case 0x50 ... 0x5f:
	case 0xe8:
		return true;
	case 0x89:
	case 0x8b:
		return !insn->in_memory && insn->wide;
	case 0x83: /* add, sub rsp */
		return !insn->in_memory && insn->rm == HW_RSP;
	case 0xf6:
	case 0xf7: /* test spl, 15 */
		return !insn->in_memory && insn->rm == HW_RSP && !(insn->reg & 7);
	case 0xc6: /* mov [r15 + ...], 0 */
	case 0xc7:
		return insn_is_at(insn, HW_R15);
	case 0xff: /* jmp to a register */
		return (insn->reg & 7) == 4 && !insn->in_memory;
	}
	return false;
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

static enum explored simulate_jump(struct simulate_run *r, struct emulator *m, uint64_t target)
{
	if (is_in_blob(r->s, target))
		return explore_jump(&r->explorer, m, target);
	return explore_end(r->s->until_call ? arrive_by_size(r, m) : arrive_by_stack(r, m, 0));
}

static enum explored simulate_execute(struct simulate_run *r, struct emulator *m,
				      const struct insn *insn)
{
	switch (insn_flow(insn)) {
	case FLOW_BRANCH:
		return r->s->straight ? EXPLORED_ON :
					explore_branch(&r->explorer, m, insn_target(insn, m->pc));
	case FLOW_JUMP:
		return simulate_jump(r, m, insn_target(insn, m->pc));
	case FLOW_RETURN:
		return explore_end(arrive_by_stack(r, m, insn_dropped(insn)));
	case FLOW_AWAY:
	case FLOW_TABLE:
		return explore_end(arrive_at_method(r, m, insn));
	case FLOW_HALT:
	case FLOW_LOST:
		return EXPLORED_ENDED;
	default:
		return emulator_execute(m, insn) ? EXPLORED_ON : EXPLORED_ENDED;
	}
}

static size_t simulate_read(const struct simulation *s, uint64_t pc, uint8_t *code, size_t room)
{
	size_t len = is_in_blob(s, pc) && s->end - pc < room ? s->end - pc : room;

	return is_in_blob(s, pc) && !s->hs->seen->read(s->hs->seen, pc, code, len) ? len : 0;
}

static size_t simulate_read_code(struct explorer *e, uint64_t pc, uint8_t *code, size_t len)
{
	return simulate_read(((struct simulate_run *)e)->s, pc, code, len);
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

/* At push rbp; mov rbp, rsp the top of the stack is the return address. */
static enum explored simulate_pass(struct explorer *e, void *way, const struct insn *insn,
				   const uint8_t *code, size_t len)
{
	struct simulate_run *r = (struct simulate_run *)e;
	const struct simulation *s = r->s;
	struct emulator *m = way;
	bool complete = (s->goal && m->pc - insn->len == s->goal) ||
			(s->until_call && (insn_flow(insn) == FLOW_CALL || removes_frame(r, insn)));

	if (complete)
		return explore_end(arrive_by_size(r, m));
	if (!is_way_through(r, insn))
		return EXPLORED_ENDED;
	if (!s->frame_size && s->through == THROUGH_ALL && insn_makes_frame(code, len) &&
	    arrive_at_method(r, m, NULL))
		return EXPLORED_FOUND;
	forget_stores(r, m);
	return simulate_execute(r, m, insn);
}

enum simulation_end simulate(const struct simulation *s, struct regs *regs, uint32_t *valid)
{
	struct simulate_run r = { .explorer = { .read = simulate_read_code,
						.pass = simulate_pass,
						.left = s->most,
						.waiting = r.ways,
						.size = sizeof(*r.ways),
						.room = WAYS_MAX },
				  .s = s };
	struct emulator m;

	open_both(&r.memory, s);
	emulator_load(&m, &s->w->regs, s->w->valid, &r.memory.memory);
	if (!explore(&r.explorer, &m))
		return r.exhausted ? SIMULATED_EXHAUSTED : SIMULATED_NOTHING;
	*valid = emulator_unload(&m, regs) | 1u << DWARF_RIP;
	regs->r[DWARF_RIP] = m.pc;
	return SIMULATED_RETURN;
}

/* Does code straight ahead go on behind the instruction? A jump that leads forward is followed.
 * Behind one that leads back, code goes on that a jump from within the loop leads to. */
static bool simulate_goes_on(const struct simulation *s, struct emulator *m,
			     const struct insn *insn)
{
	uint64_t target = insn_target(insn, m->pc);

	if (insn_flow(insn) != FLOW_JUMP)
		return insn_goes_on(insn);
	if (insn->imm > 0 && is_in_blob(s, target))
		m->pc = target;
	return is_in_blob(s, target);
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
	struct emulator m;
	struct both memory;
	uint64_t sp = s->w->regs.r[DWARF_RSP];

	*rsp = sp;
	open_both(&memory, s);
	emulator_load(&m, &s->w->regs, s->w->valid, &memory.memory);
	/* What raises rsp is read to its end. */
	for (unsigned i = 0; i < s->most + (*rsp > sp ? RAISING_INSNS : 0); i++) {
		uint8_t code[2 * INSN_LENGTH_MAX];
		size_t len = simulate_read(s, m.pc, code, sizeof(code));
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

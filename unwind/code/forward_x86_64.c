/*
 * The ways that are still to be tried are kept in a small stack. A place that a jump has led to is
 * not entered twice, so loops end. When few registers are known, a way may lead nowhere (rsp is
 * lost); then the next way is tried.
 */
#include "unwind/code/forward.h"

#include <sys/syscall.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/emulator.h"
#include "unwind/code/flow.h"
#include "unwind/table/regs.h"
#include "unwind/table/rule.h"

enum { WAYS_MAX = 12, JOINS_MAX = 64 };

struct forward_search {
	struct codebytes *code;
	forward_accepts *accepts; /* NULL: the search is for goal, not for a return */
	void *ctx;
	struct emulator ways[WAYS_MAX]; /* to be tried; the last first */
	unsigned way_count;
	uint64_t joins[JOINS_MAX]; /* targets of jumps so far */
	unsigned join_count;
	unsigned left;		/* instructions that may still be read */
	bool exits, traps;	/* a way ended so, */
	bool calls_last;	/* or so behind a call */
	bool lost;		/* a way could not be followed to its end */
	bool exhausted;		/* a return address was beyond the copy, */
	bool unread;		/* or where nothing was copied */
	uint64_t goal, goal_sp; /* the pc that is searched for, and its rsp */
	struct emulator found;
};

/* True when no earlier jump led to `pc`. */
static bool forward_join(struct forward_search *s, uint64_t pc)
{
	for (unsigned i = 0; i < s->join_count; i++)
		if (s->joins[i] == pc)
			return false;
	if (s->join_count == JOINS_MAX) {
		s->lost = true;
		return false;
	}
	s->joins[s->join_count++] = pc;
	return true;
}

static void forward_try_later(struct forward_search *s, const struct emulator *m, uint64_t pc)
{
	if (!forward_join(s, pc))
		return;
	if (s->way_count == WAYS_MAX) {
		s->lost = true;
		return;
	}
	s->ways[s->way_count] = *m;
	s->ways[s->way_count++].pc = pc;
}

/* Is the word at rsp + `above` a return address? If so, s->found becomes the caller: rsp is moved
 * past the return address and `dropped` more bytes. */
static bool returns_by(struct forward_search *s, struct emulator *m, uint64_t above,
		       uint64_t dropped)
{
	uint64_t addr;
	int rc;

	if (!s->accepts || !emulator_knows(m, HW_RSP))
		return false;
	rc = emulator_read(m, m->r[HW_RSP] + above, &addr);
	s->exhausted |= rc == ERR_SHORT;
	s->unread |= rc == ERR_IO;
	if (rc || !s->accepts(s->ctx, addr))
		return false;
	s->found = *m;
	s->found.pc = addr;
	s->found.r[HW_RSP] += above + 8 + dropped;
	return true;
}

static bool forward_is_mov_rbp_rsp(const struct insn *insn)
{
	if (insn->map != MAP_ONE || !insn->wide || insn->in_memory)
		return false;
	return (insn->opcode == 0x89 && insn->reg == HW_RSP && insn->rm == HW_RBP) ||
	       (insn->opcode == 0x8b && insn->reg == HW_RBP && insn->rm == HW_RSP);
}

/* At push rbp; mov rbp, rsp the top of the stack is the return address, however long the function
 * may be. */
static bool forward_frame_begins(struct forward_search *s, struct emulator *m,
				 const struct insn *insn, const uint8_t *code, size_t len)
{
	struct insn after;

	return insn->map == MAP_ONE && insn->opcode == 0x55 && !insn->rex &&
	       insn_decode(code + insn->len, len - insn->len, &after) == 0 &&
	       forward_is_mov_rbp_rsp(&after) && returns_by(s, m, 0, 0);
}

/* True at a system call that does not return. */
static bool exits(const struct emulator *m)
{
	uint64_t number = m->r[HW_RAX];

	return emulator_knows(m, HW_RAX) && (number == SYS_exit || number == SYS_exit_group);
}

enum forward_way { WAY_ON, WAY_FOUND, WAY_ENDED };

static enum forward_way forward_lose(struct forward_search *s)
{
	s->lost = true;
	return WAY_ENDED;
}

static enum forward_way halt(struct forward_search *s, const struct emulator *m, bool *how)
{
	*(m->called ? &s->calls_last : how) = true;
	return WAY_ENDED;
}

/* Bytes between rsp and the return address at a jump out of this function. They are 0 except at the
 * head of a PLT (push GOT[1]; jmp GOT[2]): the PLT entry has pushed its index and the head the link
 * map, and the resolver removes both (System V ABI, 5.2, "Procedure Linkage Table"). GNU ld makes
 * CFI for the head, lld does not. */
static uint64_t left_to_resolver(struct forward_search *s, const struct emulator *m,
				 const struct insn *jump)
{
	enum { PUSH_LENGTH = 6 };
	uint8_t code[PUSH_LENGTH];
	uint64_t push_end = m->pc - jump->len;
	struct insn push;

	if (!jump->rip ||
	    codebytes_read(s->code, push_end - PUSH_LENGTH, code, PUSH_LENGTH) < PUSH_LENGTH ||
	    insn_decode(code, PUSH_LENGTH, &push) || push.map != MAP_ONE || push.opcode != 0xff ||
	    (push.reg & 7) != 6 || !push.rip)
		return 0;
	return m->pc + (uint64_t)jump->disp == push_end + (uint64_t)push.disp + 8 ? 16 : 0;
}

/* Executes one instruction; m->pc is already behind it. */
static enum forward_way forward_go_on(struct forward_search *s, struct emulator *m,
				      const struct insn *insn)
{
	uint64_t target = m->pc + (uint64_t)insn->imm;

	switch (insn_flow(insn)) {
	case FLOW_SYSCALL:
		if (exits(m))
			return halt(s, m, &s->exits);
		break;
	case FLOW_ON:
		break;
	case FLOW_BRANCH:
		forward_try_later(s, m, target);
		return WAY_ON;
	case FLOW_JUMP:
		m->pc = target;
		return forward_join(s, target) ? WAY_ON : WAY_ENDED;
	case FLOW_RETURN:
		return returns_by(s, m, 0, insn->opcode == 0xc2 ? (uint16_t)insn->imm : 0) ?
			       WAY_FOUND :
			       forward_lose(s);
	case FLOW_AWAY:
		if (returns_by(s, m, left_to_resolver(s, m, insn), 0))
			return WAY_FOUND;
		/* fall through */
	case FLOW_TABLE: /* the code behind it is a case of the same switch */
		forward_lose(s);
		return forward_join(s, m->pc) ? WAY_ON : WAY_ENDED;
	case FLOW_HALT:
		return halt(s, m, &s->traps);
	case FLOW_LOST:
		return forward_lose(s);
	}
	return emulator_execute(m, insn) ? WAY_ON : forward_lose(s);
}

static bool forward_is_there(struct forward_search *s, const struct emulator *m)
{
	if (s->accepts || m->pc != s->goal || !emulator_knows(m, HW_RSP) ||
	    m->r[HW_RSP] != s->goal_sp)
		return false;
	s->found = *m;
	return true;
}

static bool forward_follow(struct forward_search *s, struct emulator *m)
{
	enum forward_way way = WAY_ON;

	while (way == WAY_ON) {
		uint8_t code[2 * INSN_LENGTH_MAX];
		size_t len = s->left ? codebytes_read(s->code, m->pc, code, sizeof(code)) : 0;
		struct insn insn;

		if (forward_is_there(s, m))
			return true;
		if (!len || insn_decode(code, len, &insn)) {
			forward_lose(s);
			return false;
		}
		s->left--;
		if (forward_frame_begins(s, m, &insn, code, len))
			return true;
		m->pc += insn.len;
		way = forward_go_on(s, m, &insn);
	}
	return way == WAY_FOUND;
}

/* True between push rbp and mov rbp, rsp; s->found is then the caller. */
static bool stands_in_prologue(struct forward_search *s, struct emulator *m)
{
	uint8_t code[1 + INSN_LENGTH_MAX];
	size_t len = codebytes_read(s->code, m->pc - 1, code, sizeof(code));
	struct insn insn;
	uint64_t rbp;

	if (len < 2 || code[0] != 0x55 || insn_decode(code + 1, len - 1, &insn) ||
	    !forward_is_mov_rbp_rsp(&insn) || !emulator_knows(m, HW_RSP) ||
	    emulator_read(m, m->r[HW_RSP], &rbp) || !returns_by(s, m, 8, 0))
		return false;
	s->found.r[HW_RBP] = rbp;
	s->found.known |= 1 << HW_RBP;
	return true;
}

static void forward_begin(struct forward_search *s, struct codebytes *code, unsigned most)
{
	s->code = code;
	s->left = most;
	s->join_count = 0;
	s->lost = s->exhausted = s->unread = s->exits = s->traps = s->calls_last = false;
	s->way_count = 1;
}

static bool forward_search(struct forward_search *s)
{
	while (s->way_count) {
		struct emulator m = s->ways[--s->way_count];

		if (forward_follow(s, &m))
			return true;
	}
	return false;
}

enum forward_end forward_to_return(struct codebytes *code, const struct memory *memory,
				   struct regs *regs, uint32_t *valid, unsigned most,
				   forward_accepts *accepts, void *ctx)
{
	struct forward_search s;

	forward_begin(&s, code, most);
	s.accepts = accepts;
	s.ctx = ctx;
	emulator_load(&s.ways[0], regs, *valid, memory);
	if (stands_in_prologue(&s, &s.ways[0]) || forward_search(&s)) {
		*valid = (emulator_unload(&s.found, regs) & (CALLEE_SAVED | 1u << DWARF_RSP)) |
			 1u << DWARF_RIP;
		regs->r[DWARF_RIP] = s.found.pc;
		return FORWARD_FOUND;
	}
	if (s.exhausted)
		return FORWARD_EXHAUSTED;
	if (s.unread)
		return FORWARD_UNREADABLE;
	if (s.lost)
		return FORWARD_UNKNOWN;
	if (s.calls_last)
		return FORWARD_CALLS_LAST;
	return s.exits ? FORWARD_EXITS : s.traps ? FORWARD_TRAPS : FORWARD_UNKNOWN;
}

/* From the entry: the registers start with marked values, by which they are recognized later. */

static const uint64_t MARK = 0xdead5eed00000000; /* neither an address nor a likely number */

static int forward_read_nothing(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)m, (void)addr, (void)buf, (void)len;
	return ERR_FORMAT;
}

/* The value of a callee-saved register at the entry: it is still in the register, or it was saved
 * on the stack. False when it is not known. */
static bool value_at_entry(const struct emulator *m, unsigned reg, const struct memory *memory,
			   const struct regs *now, uint32_t valid, uint64_t *value)
{
	if (emulator_knows(m, reg) && m->r[reg] == MARK + reg) {
		*value = now->r[emulator_dwarf(reg)];
		return valid >> emulator_dwarf(reg) & 1;
	}
	for (unsigned i = 0; i < m->store_count; i++)
		if (m->stores[i].known && m->stores[i].value == MARK + reg)
			return memory_read_u64(memory, m->stores[i].addr, value) == 0;
	return false;
}

bool forward_from_entry(struct codebytes *code, const struct memory *memory, uint64_t entry,
			uint64_t slot, struct regs *regs, uint32_t *valid, unsigned most)
{
	static const struct memory nothing = { .read = forward_read_nothing };
	struct regs marked = { .r = { [DWARF_RIP] = entry } }, caller = { .unknown = 0 };
	uint32_t known = 1u << DWARF_RSP | 1u << DWARF_RIP;
	struct forward_search s;

	forward_begin(&s, code, most);
	s.accepts = NULL;
	s.goal = regs->r[DWARF_RIP];
	s.goal_sp = regs->r[DWARF_RSP];
	for (unsigned i = 0; i < HW_COUNT; i++)
		marked.r[emulator_dwarf(i)] = i == HW_RSP ? slot : MARK + i;
	emulator_load(&s.ways[0], &marked, CALLEE_SAVED | 1u << DWARF_RSP, &nothing);
	if (!forward_search(&s) || memory_read_u64(memory, slot, &caller.r[DWARF_RIP]))
		return false;
	caller.r[DWARF_RSP] = slot + 8;
	for (unsigned i = 0; i < HW_COUNT; i++)
		if (CALLEE_SAVED >> emulator_dwarf(i) & 1 &&
		    value_at_entry(&s.found, i, memory, regs, *valid, &caller.r[emulator_dwarf(i)]))
			known |= 1u << emulator_dwarf(i);
	*regs = caller;
	*valid = known;
	return true;
}

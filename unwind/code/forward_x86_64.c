/*
 * The ways are an explorer's (explore.h), with an emulator as the state of each. When few registers
 * are known, a way may lead nowhere (rsp is lost); then the next way is tried.
 */
#include "unwind/code/forward.h"

#include <sys/syscall.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/emulator.h"
#include "unwind/code/explore.h"
#include "unwind/table/regs.h"
#include "unwind/table/rule.h"

enum { WAYS_MAX = 12 };

struct forward_search {
	struct explorer explorer; /* must be first: its functions cast its address */
	struct emulator ways[WAYS_MAX];
	struct codebytes *code;
	forward_accepts *accepts; /* NULL: the search is for goal, not for a return */
	void *ctx;
	bool exits, traps;	/* a way ended so, */
	bool calls_last;	/* or so behind a call */
	bool exhausted;		/* a return address was beyond the copy, */
	bool unread;		/* or where nothing was copied */
	uint64_t goal, goal_sp; /* the pc that is searched for, and its rsp */
};

/* Is the word at rsp + `above` a return address? If so, *m becomes the caller: rsp is moved past
 * the return address and `dropped` more bytes. */
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
	m->pc = addr;
	m->r[HW_RSP] += above + 8 + dropped;
	return true;
}

/* True at a system call that does not return. */
static bool exits(const struct emulator *m)
{
	uint64_t number = m->r[HW_RAX];

	return emulator_knows(m, HW_RAX) && (number == SYS_exit || number == SYS_exit_group);
}

static enum explored halt(struct forward_search *s, const struct emulator *m, bool *how)
{
	*(m->called ? &s->calls_last : how) = true;
	return EXPLORED_ENDED;
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
	    insn_decode(code, PUSH_LENGTH, &push) || !insn_is_digit(&push, 0xff, 6) || !push.rip)
		return 0;
	return m->pc + (uint64_t)jump->disp == push_end + (uint64_t)push.disp + 8 ? 16 : 0;
}

static bool forward_is_there(const struct forward_search *s, const struct emulator *m, uint64_t pc)
{
	return !s->accepts && pc == s->goal && emulator_knows(m, HW_RSP) &&
	       m->r[HW_RSP] == s->goal_sp;
}

/* At push rbp; mov rbp, rsp the top of the stack is the return address, however long the function
 * may be. */
static enum explored forward_pass(struct explorer *e, void *way, const struct insn *insn,
				  const uint8_t *code, size_t len)
{
	struct forward_search *s = (struct forward_search *)e;
	struct emulator *m = way;

	if (forward_is_there(s, m, m->pc - insn->len) ||
	    (insn_makes_frame(code, len) && returns_by(s, m, 0, 0)))
		return EXPLORED_FOUND;
	switch (insn_flow(insn)) {
	case FLOW_SYSCALL:
		if (exits(m))
			return halt(s, m, &s->exits);
		break;
	case FLOW_ON:
	case FLOW_CALL:
		break;
	case FLOW_BRANCH:
		return explore_branch(e, m, insn_target(insn, m->pc));
	case FLOW_JUMP:
		return explore_jump(e, m, insn_target(insn, m->pc));
	case FLOW_RETURN:
		return returns_by(s, m, 0, insn_dropped(insn)) ? EXPLORED_FOUND : explore_lose(e);
	case FLOW_AWAY:
		if (returns_by(s, m, left_to_resolver(s, m, insn), 0))
			return EXPLORED_FOUND;
		/* fall through */
	case FLOW_TABLE: /* the code behind it is a case of the same switch */
		explore_lose(e);
		return explore_jump(e, m, m->pc);
	case FLOW_HALT:
		return halt(s, m, &s->traps);
	case FLOW_LOST:
		return explore_lose(e);
	}
	return emulator_execute(m, insn) ? EXPLORED_ON : explore_lose(e);
}

/* True between push rbp and mov rbp, rsp; *m is then the caller. */
static bool stands_in_prologue(struct forward_search *s, struct emulator *m)
{
	uint8_t code[1 + INSN_LENGTH_MAX];
	size_t len = codebytes_read(s->code, m->pc - 1, code, sizeof(code));
	uint64_t rbp;

	if (!insn_makes_frame(code, len) || !emulator_knows(m, HW_RSP) ||
	    emulator_read(m, m->r[HW_RSP], &rbp) || !returns_by(s, m, 8, 0))
		return false;
	m->r[HW_RBP] = rbp;
	m->known |= HW_BIT(HW_RBP);
	return true;
}

static size_t forward_read(struct explorer *e, uint64_t pc, uint8_t *code, size_t len)
{
	return codebytes_read(((struct forward_search *)e)->code, pc, code, len);
}

static void forward_begin(struct forward_search *s, struct codebytes *code, unsigned most)
{
	s->explorer.read = forward_read;
	s->explorer.pass = forward_pass;
	explore_begin(&s->explorer, most, s->ways, sizeof(*s->ways), WAYS_MAX);
	s->code = code;
	s->exhausted = s->unread = s->exits = s->traps = s->calls_last = false;
}

enum forward_end forward_to_return(struct codebytes *code, const struct memory *memory,
				   struct regs *regs, uint32_t *valid, unsigned most,
				   forward_accepts *accepts, void *ctx)
{
	struct forward_search s;
	struct emulator m;

	forward_begin(&s, code, most);
	s.accepts = accepts;
	s.ctx = ctx;
	emulator_load(&m, regs, *valid, memory);
	if (stands_in_prologue(&s, &m) || explore(&s.explorer, &m)) {
		*valid = (emulator_unload(&m, regs) & (CALLEE_SAVED | 1u << DWARF_RSP)) |
			 1u << DWARF_RIP;
		regs->r[DWARF_RIP] = m.pc;
		return FORWARD_FOUND;
	}
	if (s.exhausted)
		return FORWARD_EXHAUSTED;
	if (s.unread)
		return FORWARD_UNREADABLE;
	if (s.explorer.lost)
		return FORWARD_UNKNOWN;
	if (s.calls_last)
		return FORWARD_CALLS_LAST;
	return s.exits ? FORWARD_EXITS : s.traps ? FORWARD_TRAPS : FORWARD_UNKNOWN;
}

/* From the entry: the registers start with marked values, by which they are recognized later. */

static const uint64_t MARK = 0xdead5eed00000000; /* neither an address nor a likely number */

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
	struct regs marked = { .r = { [DWARF_RIP] = entry } }, caller = { .unknown = 0 };
	uint32_t known = 1u << DWARF_RSP | 1u << DWARF_RIP;
	struct forward_search s;
	struct emulator m;

	forward_begin(&s, code, most);
	s.accepts = NULL;
	s.goal = regs->r[DWARF_RIP];
	s.goal_sp = regs->r[DWARF_RSP];
	for (unsigned i = 0; i < HW_COUNT; i++)
		marked.r[emulator_dwarf(i)] = i == HW_RSP ? slot : MARK + i;
	emulator_load(&m, &marked, CALLEE_SAVED | 1u << DWARF_RSP, NULL);
	if (!explore(&s.explorer, &m) || memory_read_u64(memory, slot, &caller.r[DWARF_RIP]))
		return false;
	caller.r[DWARF_RSP] = slot + 8;
	for (unsigned i = 0; i < HW_COUNT; i++)
		if (CALLEE_SAVED >> emulator_dwarf(i) & 1 &&
		    value_at_entry(&m, i, memory, regs, *valid, &caller.r[emulator_dwarf(i)]))
			known |= 1u << emulator_dwarf(i);
	*regs = caller;
	*valid = known;
	return true;
}

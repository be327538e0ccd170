/* Calls, branches and ends are told by opcode. An epilogue is executed on distances from the first
 * rsp, since it may move the return address below the arguments that it drops. */
#include "runtimes/v8/flow.h"

enum {
	EPILOGUE = 24, /* instructions */
	MOVES_MAX = 16,
	NOWHERE = -1,
};

bool v8_flow_is_call(const struct insn *insn)
{
	return insn->map == MAP_ONE &&
	       (insn->opcode == 0xe8 || (insn->opcode == 0xff && (insn->reg & 7) == 2));
}

bool v8_flow_is_branch(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	return (insn->map == MAP_ONE && ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3) ||
					 op == 0xe9 || op == 0xeb)) ||
	       (insn->map == MAP_0F && !insn->vex && op >= 0x80 && op <= 0x8f);
}

bool v8_flow_ends(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	if (insn->map == MAP_0F && !insn->vex)
		return op == 0x0b || op == 0xb9 || op == 0xff;
	return insn->map == MAP_ONE &&
	       (op == 0xc2 || op == 0xc3 || op == 0xe9 || op == 0xeb || op == 0xcc || op == 0xf4 ||
		(op == 0xff && (insn->reg & 7) >= 4 && (insn->reg & 7) <= 5));
}

/* Epilogues. Words of the stack are told by their distance from the first rsp. */

struct epilogue {
	int64_t sp;
	int64_t loaded[HW_COUNT]; /* where the word was at first that a register has; NOWHERE */
	struct {
		int64_t to, from;
	} moves[MOVES_MAX];
	unsigned move_count;
};

static bool v8_flow_is_stack_operand(const struct insn *insn)
{
	return insn->in_memory && insn->base == HW_RSP && insn->index == HW_NONE;
}

/* Where the word was at first that is at `word` now. */
static int64_t origin(const struct epilogue *e, int64_t word)
{
	for (unsigned i = e->move_count; i-- > 0;)
		if (e->moves[i].to == word)
			return e->moves[i].from;
	return word;
}

static bool v8_flow_move(struct epilogue *e, int64_t to, int64_t from)
{
	if (e->move_count == MOVES_MAX)
		return false;
	e->moves[e->move_count].to = to;
	e->moves[e->move_count++].from = from;
	return true;
}

static bool v8_flow_push(struct epilogue *e, int64_t from)
{
	e->sp -= 8;
	return v8_flow_move(e, e->sp, from);
}

static bool v8_flow_execute_wide(struct epilogue *e, const struct insn *insn)
{
	int64_t word = v8_flow_is_stack_operand(insn) ? e->sp + insn->disp : NOWHERE;

	switch (insn->opcode) {
	case 0x81:
	case 0x83:
		if (!insn->in_memory && insn->rm == HW_RSP && (insn->reg & 7) == 0)
			e->sp += insn->imm;
		break;
	case 0x89:
		return word == NOWHERE || v8_flow_move(e, word, e->loaded[insn->reg & 15]);
	case 0x8b:
		e->loaded[insn->reg & 15] = word == NOWHERE ? NOWHERE : origin(e, word);
		return insn->reg != HW_RSP;
	}
	return true;
}

/* False: it does what no epilogue does. */
static bool v8_flow_execute(struct epilogue *e, const struct insn *insn)
{
	bool is_group_5 = insn->map == MAP_ONE && insn->opcode == 0xff;

	if (insn->map == MAP_ONE && insn->opcode >= 0x50 && insn->opcode <= 0x57)
		return v8_flow_push(e, e->loaded[insn->reg & 15]);
	if (is_group_5 && (insn->reg & 7) == 6)
		return v8_flow_push(e, v8_flow_is_stack_operand(insn) ?
					       origin(e, e->sp + insn->disp) :
					       NOWHERE);
	if (insn->map == MAP_ONE && insn->opcode == 0x8f && v8_flow_is_stack_operand(insn)) {
		int64_t from = origin(e, e->sp);

		e->sp += 8; /* before the operand's address is made */
		return v8_flow_move(e, e->sp + insn->disp, from);
	}
	if (insn->map == MAP_ONE && insn->opcode >= 0x58 && insn->opcode <= 0x5f) {
		e->loaded[insn->reg & 15] = origin(e, e->sp);
		e->sp += 8;
		return true;
	}
	if (insn->map == MAP_ONE && insn->wide &&
	    (insn->opcode == 0x81 || insn->opcode == 0x83 || insn->opcode == 0x89 ||
	     insn->opcode == 0x8b))
		return v8_flow_execute_wide(e, insn);
	for (unsigned i = 0, changed = insn_changes(insn); i < HW_COUNT; i++)
		if (changed >> i & 1)
			e->loaded[i] = NOWHERE;
	return !(insn_changes(insn) >> HW_RSP & 1);
}

bool v8_flow_epilogue(const uint8_t *code, size_t len, int64_t *offset)
{
	struct epilogue e = { .sp = 0 };
	struct insn insn;

	for (unsigned i = 0; i < HW_COUNT; i++)
		e.loaded[i] = NOWHERE;
	for (int i = 0; i < EPILOGUE && !insn_decode(code, len, &insn); i++) {
		if (v8_flow_ends(&insn) || (v8_flow_is_branch(&insn) && e.sp)) {
			*offset = origin(&e, e.sp);
			return *offset >= 0;
		}
		if (v8_flow_is_call(&insn) || v8_flow_is_branch(&insn) ||
		    !v8_flow_execute(&e, &insn))
			return false;
		code += insn.len;
		len -= insn.len;
	}
	return false;
}

bool v8_flow_loads_root(const struct insn *insn, unsigned reg)
{
	return insn->map == MAP_ONE && insn->wide && insn->opcode == 0x8b && insn->in_memory &&
	       !insn->rip && insn->base == HW_R13 && insn->index == HW_NONE && insn->reg == reg;
}

bool v8_flow_jumps_to(const uint8_t *code, size_t len, int32_t *disp)
{
	unsigned loaded = HW_NONE;
	struct insn insn;

	for (int i = 0; i < EPILOGUE && !insn_decode(code, len, &insn); i++) {
		if (insn.map == MAP_ONE && insn.opcode == 0xff && (insn.reg & 7) == 4)
			return !insn.in_memory && insn.rm == loaded;
		if (v8_flow_ends(&insn) || v8_flow_is_call(&insn))
			return false;
		if (insn.reg < HW_COUNT && v8_flow_loads_root(&insn, insn.reg)) {
			loaded = insn.reg;
			*disp = insn.disp;
		}
		code += insn.len;
		len -= insn.len;
	}
	return false;
}

/* A stack machine with a bounded stack and a bounded number of steps: an
 * expression may branch backward, and comes from a file that may be hostile. */
#include "unwind/expr.h"

#include <dwarf.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/table/regs.h"

enum { STACK_SIZE = 64, STEPS_MAX = 1000 };

struct expr_machine {
	struct cursor code;
	const struct expr_context *context;
	uint64_t stack[STACK_SIZE];
	unsigned depth;
	int rc; /* error of a memory read, or 0 */
};

static void expr_push(struct expr_machine *m, uint64_t v)
{
	if (m->depth == STACK_SIZE)
		cursor_fail(&m->code, "expression stack is full");
	else
		m->stack[m->depth++] = v;
}

static uint64_t expr_pop(struct expr_machine *m)
{
	if (!m->depth) {
		cursor_fail(&m->code, "expression stack is empty");
		return 0;
	}
	return m->stack[--m->depth];
}

/* Returns the stack entry `n` below the top. */
static uint64_t expr_pick(struct expr_machine *m, uint64_t n)
{
	if (n >= m->depth) {
		cursor_fail(&m->code, "expression stack is too short");
		return 0;
	}
	return m->stack[m->depth - 1 - n];
}

static uint64_t reg(struct expr_machine *m, uint64_t n)
{
	if (n >= DWARF_COUNT || !(m->context->valid >> n & 1)) {
		cursor_fail(&m->code, "register is not known");
		return 0;
	}
	return m->context->regs->r[n];
}

static void deref(struct expr_machine *m, uint64_t size)
{
	uint64_t addr = expr_pop(m), v = 0;

	if (size == 0 || size > 8) {
		cursor_fail(&m->code, "size of no use");
		return;
	}
	if (!m->code.failed)
		m->rc = m->context->memory->read(m->context->memory, addr, &v, size);
	expr_push(m, v);
}

static void expr_branch(struct expr_machine *m)
{
	int16_t delta = (int16_t)cursor_uint(&m->code, 2);

	if (m->code.failed)
		return;
	if (delta < m->code.start - m->code.pos || delta > m->code.end - m->code.pos)
		cursor_fail(&m->code, "branch leaves the expression");
	else
		m->code.pos += delta;
}

/* DW_OP_const1u to DW_OP_const8s: of 1, 2, 4 and 8 bytes, each unsigned and then signed (DWARF 5,
 * table 7.9). */
static uint64_t take_constant(struct expr_machine *m, unsigned number)
{
	unsigned bytes = 1u << number / 2, unused = 64 - 8 * bytes;
	uint64_t value = cursor_uint(&m->code, bytes);

	return number & 1 ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static bool run_constant(struct expr_machine *m, uint8_t op)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		expr_push(m, op - DW_OP_lit0);
	else if (op >= DW_OP_const1u && op <= DW_OP_const8s)
		expr_push(m, take_constant(m, op - DW_OP_const1u));
	else if (op == DW_OP_addr)
		expr_push(m, cursor_uint(&m->code, 8) + m->context->bias);
	else if (op == DW_OP_constu)
		expr_push(m, cursor_uleb(&m->code));
	else if (op == DW_OP_consts)
		expr_push(m, (uint64_t)cursor_sleb(&m->code));
	else
		return false;
	return true;
}

static bool run_register(struct expr_machine *m, uint8_t op)
{
	bool based = op == DW_OP_bregx || (op >= DW_OP_breg0 && op <= DW_OP_breg31);
	uint64_t value;

	if (op == DW_OP_regx || op == DW_OP_bregx)
		value = reg(m, cursor_uleb(&m->code));
	else if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
		value = reg(m, op - DW_OP_reg0);
	else if (based)
		value = reg(m, op - DW_OP_breg0);
	else
		return false;
	expr_push(m, based ? value + (uint64_t)cursor_sleb(&m->code) : value);
	return true;
}

static bool run_stack(struct expr_machine *m, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case DW_OP_dup:
		expr_push(m, expr_pick(m, 0));
		return true;
	case DW_OP_over:
		expr_push(m, expr_pick(m, 1));
		return true;
	case DW_OP_pick:
		expr_push(m, expr_pick(m, cursor_uint(&m->code, 1)));
		return true;
	case DW_OP_drop:
		expr_pop(m);
		return true;
	case DW_OP_swap:
		a = expr_pop(m);
		b = expr_pop(m);
		expr_push(m, a);
		expr_push(m, b);
		return true;
	case DW_OP_rot:
		a = expr_pop(m);
		b = expr_pop(m);
		c = expr_pop(m);
		expr_push(m, a);
		expr_push(m, c);
		expr_push(m, b);
		return true;
	}
	return false;
}

static bool run_unary(struct expr_machine *m, uint8_t op)
{
	uint64_t v;

	switch (op) {
	case DW_OP_abs:
		v = expr_pop(m);
		expr_push(m, (int64_t)v < 0 ? -v : v);
		return true;
	case DW_OP_neg:
		expr_push(m, -expr_pop(m));
		return true;
	case DW_OP_not:
		expr_push(m, ~expr_pop(m));
		return true;
	case DW_OP_plus_uconst:
		v = expr_pop(m);
		expr_push(m, v + cursor_uleb(&m->code));
		return true;
	case DW_OP_deref:
		deref(m, 8);
		return true;
	case DW_OP_deref_size:
		deref(m, cursor_uint(&m->code, 1));
		return true;
	case DW_OP_skip:
		expr_branch(m);
		return true;
	case DW_OP_bra:
		if (expr_pop(m))
			expr_branch(m);
		else
			cursor_bytes(&m->code, 2);
		return true;
	case DW_OP_nop:
		return true;
	}
	return false;
}

static uint64_t divide(struct expr_machine *m, uint64_t a, uint64_t b)
{
	if (!b || (a == (uint64_t)INT64_MIN && b == UINT64_MAX)) {
		cursor_fail(&m->code, "division that has no result");
		return 0;
	}
	return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t modulo(struct expr_machine *m, uint64_t a, uint64_t b)
{
	if (!b) {
		cursor_fail(&m->code, "division that has no result");
		return 0;
	}
	return a % b;
}

static void run_binary(struct expr_machine *m, uint8_t op)
{
	uint64_t b = expr_pop(m), a = expr_pop(m);
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	/* clang-format off */
	switch (op) {
	case DW_OP_and:   expr_push(m, a & b); break;
	case DW_OP_or:    expr_push(m, a | b); break;
	case DW_OP_xor:   expr_push(m, a ^ b); break;
	case DW_OP_plus:  expr_push(m, a + b); break;
	case DW_OP_minus: expr_push(m, a - b); break;
	case DW_OP_mul:   expr_push(m, a * b); break;
	case DW_OP_div:   expr_push(m, divide(m, a, b)); break;
	case DW_OP_mod:   expr_push(m, modulo(m, a, b)); break;
	case DW_OP_shl:   expr_push(m, b < 64 ? a << b : 0); break;
	case DW_OP_shr:   expr_push(m, b < 64 ? a >> b : 0); break;
	case DW_OP_shra:  expr_push(m, (uint64_t)(sa >> (b < 63 ? b : 63))); break;
	case DW_OP_eq:    expr_push(m, a == b); break;
	case DW_OP_ne:    expr_push(m, a != b); break;
	case DW_OP_lt:    expr_push(m, sa < sb); break;
	case DW_OP_le:    expr_push(m, sa <= sb); break;
	case DW_OP_gt:    expr_push(m, sa > sb); break;
	case DW_OP_ge:    expr_push(m, sa >= sb); break;
	default:
		cursor_fail(&m->code, "operation of no use in CFI");
	}
	/* clang-format on */
}

int expr_evaluate(const uint8_t *code, size_t len, const struct expr_context *context,
		  const uint64_t *initial, uint64_t *value)
{
	struct expr_machine m;
	unsigned steps = 0;

	cursor_init(&m.code, code, len, "DWARF expression");
	m.context = context;
	m.depth = 0;
	m.rc = 0;
	if (initial)
		expr_push(&m, *initial);
	while (cursor_left(&m.code) && !m.rc && steps++ < STEPS_MAX) {
		uint8_t op = cursor_byte(&m.code);

		if (!run_constant(&m, op) && !run_register(&m, op) && !run_stack(&m, op) &&
		    !run_unary(&m, op))
			run_binary(&m, op);
	}
	if (m.rc)
		return m.rc;
	*value = expr_pop(&m);
	return m.code.failed || cursor_left(&m.code) ? ERR_FORMAT : 0;
}

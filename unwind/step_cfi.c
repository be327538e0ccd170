/*
 * A step by CFI (DWARF 5, section 6.4.3, "Call Frame Instruction Usage"), any.
 * Nearly all are made by step_fast.h instead.
 *
 * A register that is not known is not used: the walk ends and says so, because a
 * wrong frame is worse than none.
 */
#include "base/error.h"
#include "target/memory.h"
#include "unwind/expr.h"
#include "unwind/rule.h"
#include "unwind/step.h"
#include "unwind/table.h"

enum stack_end step_end_of_read(int rc)
{
	if (rc == ERR_SHORT)
		return STACK_COPY_EXHAUSTED;
	return rc == ERR_IO ? STACK_MEMORY_UNREADABLE : STACK_NO_UNWIND_INFO;
}

static int evaluate(const struct walk *w, int32_t place, const uint64_t *initial, uint64_t *value)
{
	struct expr_context context = { &w->regs, w->valid, w->memory, w->at->bias };
	size_t len;
	const uint8_t *code = cfi_table_expression(w->at->table, place, &len);

	return expr_evaluate(code, len, &context, initial, value);
}

static int find_cfa(const struct walk *w, const struct cfi_rule *rule, uint64_t *cfa)
{
	if (rule->cfa_reg == CFA_EXPRESSION)
		return evaluate(w, rule->cfa_value, NULL, cfa);
	if (!(w->valid >> rule->cfa_reg & 1))
		return ERR_FORMAT;
	*cfa = w->regs.r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	return 0;
}

/* One register of the caller. 0 with *known telling whether there is a value. */
static int find_column(const struct walk *w, const struct cfi_rule *rule, unsigned n, uint64_t cfa,
		       uint64_t *value, bool *known)
{
	const struct column *col = &rule->columns[n];
	uint64_t at = cfa + (uint64_t)(int64_t)col->value;
	int rc = 0;

	*known = true;
	switch ((enum column_kind)col->kind) {
	case COLUMN_DEFAULT:
		if (n == DWARF_SP) {
			*value = cfa;
			return 0;
		}
		*known = (CALLEE_SAVED & w->valid) >> n & 1;
		*value = w->regs.r[n];
		return 0;
	case COLUMN_UNDEFINED:
		*known = false;
		return 0;
	case COLUMN_SAME:
		*known = w->valid >> n & 1;
		*value = w->regs.r[n];
		return 0;
	case COLUMN_SAVED:
		return memory_read_u64(w->memory, at, value);
	case COLUMN_IS:
		*value = at;
		return 0;
	case COLUMN_REGISTER:
		*known = w->valid >> col->value & 1;
		*value = w->regs.r[col->value];
		return 0;
	case COLUMN_SAVED_EXPR:
		rc = evaluate(w, col->value, &cfa, &at);
		return rc ? rc : memory_read_u64(w->memory, at, value);
	case COLUMN_IS_EXPR:
		return evaluate(w, col->value, &cfa, value);
	}
	return ERR_FORMAT;
}

/* To the caller, by any rule. */
static int step_any(struct walk *w, const struct cfi_rule *rule)
{
	struct regs caller = { .unknown = 0 };
	uint32_t valid = 0;
	uint64_t cfa;
	int rc = find_cfa(w, rule, &cfa);

	for (unsigned n = 0; !rc && n < DWARF_COUNT; n++) {
		bool known = false;

		rc = find_column(w, rule, n, cfa, &caller.r[n], &known);
		/* A saved register that cannot be read matters only when it is the
		 * return address or the stack pointer. */
		if (rc && n != DWARF_RA && n != DWARF_SP)
			rc = known = 0;
		valid |= (uint32_t)known << n;
	}
	if (rc)
		return step_end_of_read(rc);
	/* A return address in a register that is not known is no end of the stack. */
	if (!(valid >> DWARF_RA & 1))
		return rule->columns[DWARF_RA].kind == COLUMN_REGISTER ? STACK_NO_UNWIND_INFO :
									  STACK_OUTERMOST;
	if (!(valid >> DWARF_SP & 1))
		return STACK_NO_UNWIND_INFO;
	w->regs = caller;
	w->valid = valid;
	return STEP_ON;
}

/* To the caller, by a short rule, word by word: where not all of the frame is at hand
 * or not all registers are known. */
static int step_words(struct walk *w, const struct short_rule *rule)
{
	uint64_t cfa, pc;
	int rc;

	if (!(w->valid >> rule->cfa_reg & 1))
		return STACK_NO_UNWIND_INFO;
	cfa = w->regs.r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	rc = memory_read_u64(w->memory, cfa + RA_AT_CFA, &pc);
	if (rc)
		return step_end_of_read(rc);
	w->valid = (w->valid & CALLEE_SAVED) | 1u << DWARF_SP | 1u << DWARF_PC;
	for (unsigned i = 0; i < SHORT_SLOTS; i++) {
		unsigned n = short_rule_columns[i];

		if (rule->slots[i] == NOT_SAVED)
			continue;
		rc = memory_read_u64(w->memory, cfa + (uint64_t)(SLOT_BYTES * rule->slots[i]),
				     &w->regs.r[n]);
		w->valid = rc ? w->valid & ~(1u << n) : w->valid | 1u << n;
	}
	w->regs.r[DWARF_SP] = cfa;
	w->regs.r[DWARF_PC] = pc;
	return STEP_ON;
}

int step_by_cfi(struct walk *w)
{
	return w->at->kind == CODE_BY_SHORT_RULE ? step_words(w, &w->at->rule) :
						   step_any(w, w->at->long_rule);
}

/*
 * A step by any rule of CFI (DWARF 5, section 6.4.3, "Call Frame Instruction Usage"). Nearly all
 * steps are made by step_fast.h instead.
 *
 * A register that is not known is not used: the walk ends and says so, because a wrong frame is
 * worse than none.
 */
#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/expr.h"
#include "unwind/step.h"
#include "unwind/table/rule.h"
#include "unwind/table/table.h"

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

/* Finds one register of the caller. On success *known tells whether it has a value. */
static int step_cfi_find_column(const struct walk *w, const struct cfi_rule *rule, unsigned n,
				uint64_t cfa, uint64_t *value, bool *known)
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
		*known = (KEPT & w->valid) >> n & 1;
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

/* Why a walk ends at a frame without a return address: if its rule says that the address is
 * undefined, the frame has no caller. */
static int end_without_return(const struct cfi_rule *rule)
{
	unsigned kind = rule->columns[DWARF_RA].kind;

	if (kind == COLUMN_UNDEFINED || (RA_AT_CFA != 0 && kind == COLUMN_DEFAULT))
		return STACK_OUTERMOST;
	return STACK_NO_UNWIND_INFO;
}

/*
 * True when a rule saves the return address at or above the CFA, where no callee can save anything.
 * glibc has two such rules on aarch64: __longjmp uses the jmp_buf as its CFA, and
 * _dl_runtime_resolve does not count the 16 bytes that the code before it has pushed
 * (sysdeps/aarch64/dl-trampoline.S).
 */
static bool saves_return_above(const struct cfi_rule *rule)
{
	const struct column *ra = &rule->columns[DWARF_RA];

	return ra->kind == COLUMN_SAVED && ra->value >= 0;
}

/* Corrects the caller's sp for the rule of _dl_runtime_resolve. False for any other rule. */
static bool mend_sp(const struct cfi_rule *rule, uint64_t *sp)
{
	*sp += 16;
	return rule->cfa_reg == DWARF_SP && rule->columns[DWARF_RA].value == 8;
}

/* A slot below sp that cannot be read, since a copy of the stack begins at sp
 * (sampler/capture/events.h). gcc's and clang's rules still name it after the register was
 * popped. */
static bool was_popped(const struct walk *w, uint64_t slot)
{
	return slot < w->regs.r[DWARF_SP] && code_is_leaving(w->code, w->regs.r[DWARF_PC]);
}

static int step_any(struct walk *w, const struct cfi_rule *rule)
{
	struct regs caller = { .unknown = 0 };
	uint32_t valid = 0;
	uint64_t cfa;
	int rc;

	if (end_without_return(rule) == STACK_OUTERMOST)
		return STACK_OUTERMOST;
	rc = find_cfa(w, rule, &cfa);
	for (unsigned n = 0; !rc && n < DWARF_COUNT; n++) {
		bool known = false;

		rc = step_cfi_find_column(w, rule, n, cfa, &caller.r[n], &known);
		/* An unreadable saved register matters only when it is the return address or the
		 * stack pointer. */
		if (rc && n != DWARF_RA && n != DWARF_SP) {
			known = rule->columns[n].kind == COLUMN_SAVED && w->valid >> n & 1 &&
				was_popped(w, cfa + (uint64_t)(int64_t)rule->columns[n].value);
			caller.r[n] = w->regs.r[n];
			rc = 0;
		}
		valid |= (uint32_t)known << n;
	}
	if (rc)
		return step_end_of_read(rc);
	if (RA_AT_CFA == 0 && saves_return_above(rule) && !mend_sp(rule, &caller.r[DWARF_SP]))
		return STACK_NO_UNWIND_INFO;
	if (!(valid >> DWARF_RA & 1))
		return end_without_return(rule);
	if (!(valid >> DWARF_SP & 1))
		return STACK_NO_UNWIND_INFO;
	for (unsigned n = DWARF_COUNT; n < REGS_COUNT; n++)
		caller.r[n] = w->regs.r[n];
	w->regs = caller;
	w->valid = valid;
	step_arrive(w, caller.r[DWARF_RA]);
	return STEP_ON;
}

/* A step by a short rule, word by word: for frames that are not entirely in the copied bytes, or
 * where not all registers are known. */
static int step_words(struct walk *w, const struct short_rule *rule)
{
	uint64_t cfa, slot, ra = 0;
	int rc = 0;

	if (!(w->valid >> rule->cfa_reg & 1))
		return STACK_NO_UNWIND_INFO;
	cfa = w->regs.r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	if (RA_AT_CFA != 0)
		rc = memory_read_u64(w->memory, cfa + RA_AT_CFA, &ra);
	if (rc)
		return step_end_of_read(rc);
	w->valid = (w->valid & KEPT) | CALLER_KNOWS;
	for (unsigned i = 0; i < SHORT_SLOTS; i++) {
		unsigned n = short_rule_columns[i];

		if (rule->slots[i] == NOT_SAVED)
			continue;
		slot = cfa + (uint64_t)(SLOT_BYTES * rule->slots[i]);
		rc = memory_read_u64(w->memory, slot, &w->regs.r[n]);
		if (rc && n == DWARF_RA)
			return step_end_of_read(rc);
		if (rc && was_popped(w, slot))
			continue;
		w->valid = rc ? w->valid & ~(1u << n) : w->valid | 1u << n;
	}
	if (!RA_AT_CFA && !(w->valid >> DWARF_RA & 1))
		return STACK_NO_UNWIND_INFO;
	w->regs.r[DWARF_SP] = cfa;
	step_arrive(w, RA_AT_CFA != 0 ? ra : w->regs.r[DWARF_RA]);
	return STEP_ON;
}

int step_by_cfi(struct walk *w)
{
	if (w->at->kind == CODE_BY_SHORT_RULE)
		return step_words(w, &w->at->rule);
	return step_any(w, w->at->long_rule);
}

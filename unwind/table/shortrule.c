/* A column's slot is its distance from the CFA in words, in a signed byte. A rule with anything
 * else (an expression, a signal frame, a register in another one) has no short form. */
#include "unwind/table/shortrule.h"

#include "unwind/table/rule.h"

#define COLUMN_OF(slot, column) [slot] = column,

const uint8_t short_rule_columns[SHORT_SLOTS] = { ARCH_SLOTS(COLUMN_OF) };

/* The slot of a saved register: its distance from the CFA in words. False when it does not fit. */
static bool make_slot(const struct column *col, int8_t *slot)
{
	if (col->kind != COLUMN_SAVED || col->value >= 0 || col->value % SLOT_BYTES ||
	    col->value < SLOT_BYTES * INT8_MIN)
		return false;
	*slot = (int8_t)(col->value / SLOT_BYTES);
	return true;
}

static bool is_where_calls_leave_it(const struct column *ra)
{
	return ra->kind == COLUMN_SAVED && ra->value == RA_AT_CFA;
}

bool short_rule_make(struct short_rule *to, const struct cfi_rule *rule)
{
	uint32_t left = rule->said & ~(RA_AT_CFA != 0 ? 1u << DWARF_RA : 0);

	*to = (struct short_rule){ .cfa_reg = rule->cfa_reg,
				   .deepest = NOT_SAVED,
				   .cfa_value = rule->cfa_value };
	if (rule->cfa_reg == CFA_EXPRESSION || rule->signal_frame ||
	    (RA_AT_CFA != 0 && !is_where_calls_leave_it(&rule->columns[DWARF_RA])))
		return false;
	for (unsigned i = 0; i < SHORT_SLOTS; i++) {
		int8_t slot = NOT_SAVED;

		if (left >> short_rule_columns[i] & 1 &&
		    (!make_slot(&rule->columns[short_rule_columns[i]], &slot) || slot == NOT_SAVED))
			return false;
		left &= ~(1u << short_rule_columns[i]);
		to->slots[i] = slot;
		to->deepest = slot < to->deepest ? slot : to->deepest;
	}
	return !left;
}

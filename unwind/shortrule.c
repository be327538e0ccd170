#include "unwind/shortrule.h"

#include <string.h>

#include "unwind/rule.h"

static const uint8_t columns[SHORT_SLOTS] = SHORT_RULE_COLUMNS;

/* In words from the CFA. */
static bool make_slot(const struct column *col, int8_t *slot)
{
	if (col->kind != COLUMN_SAVED || col->value >= 0 || col->value % SLOT_BYTES ||
	    col->value < SLOT_BYTES * INT8_MIN)
		return false;
	*slot = (int8_t)(col->value / SLOT_BYTES);
	return true;
}

bool short_rule_make(struct short_rule *to, const struct cfi_rule *rule)
{
	uint32_t left = rule->said & ~(1u << DWARF_RIP);

	*to = (struct short_rule){ .cfa_reg = rule->cfa_reg, .cfa_value = rule->cfa_value };
	if (rule->cfa_reg == CFA_EXPRESSION || rule->signal_frame ||
	    !make_slot(&rule->columns[DWARF_RIP], &to->deepest) || to->deepest != -1)
		return false;
	for (unsigned i = 0; i < SHORT_SLOTS; i++) {
		int8_t slot = NOT_SAVED;

		if (left >> columns[i] & 1 &&
		    (!make_slot(&rule->columns[columns[i]], &slot) || slot == NOT_SAVED))
			return false;
		left &= ~(1u << columns[i]);
		to->slots[i] = slot;
		to->deepest = slot < to->deepest ? slot : to->deepest;
	}
	return !left;
}

void short_rule_expand(struct cfi_rule *to, const struct short_rule *from)
{
	memset(to, 0, sizeof(*to));
	to->cfa_reg = from->cfa_reg;
	to->cfa_value = from->cfa_value;
	to->said = 1u << DWARF_RIP;
	to->columns[DWARF_RIP] = (struct column){ COLUMN_SAVED, -SLOT_BYTES };
	for (unsigned i = 0; i < SHORT_SLOTS; i++)
		if (from->slots[i] != NOT_SAVED) {
			to->said |= 1u << columns[i];
			to->columns[columns[i]] =
				(struct column){ COLUMN_SAVED, SLOT_BYTES * from->slots[i] };
		}
}

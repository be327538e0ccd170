/* A table's rule at an address, in the long form whatever form the table has it in. */
#ifndef TESTS_UNIT_UNWIND_RULE_AT_H
#define TESTS_UNIT_UNWIND_RULE_AT_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/table/rule.h"
#include "unwind/table/shortrule.h"
#include "unwind/table/table.h"

static inline void expand(struct cfi_rule *to, const struct short_rule *from)
{
	*to = (struct cfi_rule){ .cfa_reg = from->cfa_reg, .cfa_value = from->cfa_value };
	if (RA_AT_CFA != 0) {
		to->said = 1u << DWARF_RA;
		to->columns[DWARF_RA] = (struct column){ COLUMN_SAVED, RA_AT_CFA };
	}
	for (unsigned i = 0; i < SHORT_SLOTS; i++)
		if (from->slots[i] != NOT_SAVED) {
			to->said |= 1u << short_rule_columns[i];
			to->columns[short_rule_columns[i]] = (struct column){
				COLUMN_SAVED, SLOT_BYTES * from->slots[i]
			};
		}
}

/* False where no CFI covers the address. */
static inline bool copy_rule_at(const struct cfi_table *t, uint64_t addr, struct cfi_rule *rule)
{
	const struct short_rule *found = cfi_table_find(t, addr);

	if (found && found->cfa_reg == RULE_IS_LONG)
		*rule = *cfi_table_long_rule(t, found);
	else if (found)
		expand(rule, found);
	return found;
}

#endif

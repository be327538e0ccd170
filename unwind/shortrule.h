/*
 * Nearly every rule of compiled code is plain: CFA is register + offset, the return
 * address is where a call leaves it, right below the CFA or in a register, and what else
 * is said is where callee-saved registers, or that one, are: not far below the CFA. Such
 * a rule is kept in twelve bytes instead of eighty (twenty instead of 140 on aarch64),
 * and a step by it is a handful of loads.
 */
#ifndef UNWIND_SHORTRULE_H
#define UNWIND_SHORTRULE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/regs.h"

struct cfi_rule;

enum {
	SLOT_BYTES = 8,
	/* As a slot: that of the return address's own, or the CFA, where nothing is saved. */
	NOT_SAVED = RA_AT_CFA / SLOT_BYTES,
	RULE_IS_LONG = 255 /* as cfa_reg: not plain, the number of the long rule is in cfa_value */
};

struct short_rule {
	uint8_t cfa_reg; /* CFA = this register + cfa_value */
	int8_t deepest;	 /* the least slot, at most NOT_SAVED */
	int8_t slots[SHORT_SLOTS]; /* saved at CFA + 8 * slot, or NOT_SAVED: still there */
	int32_t cfa_value;	   /* bytes */
};

/* The column that a slot is for. */
extern const uint8_t short_rule_columns[SHORT_SLOTS];

/* False when the rule is not plain. */
bool short_rule_make(struct short_rule *to, const struct cfi_rule *rule);

/* The same in the long form; `from` is not RULE_IS_LONG. */
void short_rule_expand(struct cfi_rule *to, const struct short_rule *from);

#endif

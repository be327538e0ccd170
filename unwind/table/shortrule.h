/*
 * The short form of a rule.
 *
 * Nearly every rule of compiled code is plain: the CFA is register + offset, the return address is
 * where a call puts it (right below the CFA, or in a register), and the other columns only say that
 * callee-saved registers, or that register, are saved not far below the CFA. A plain rule is kept
 * in twelve bytes instead of eighty (twenty instead of 140 on aarch64), and a step by it is a
 * handful of loads.
 */
#ifndef UNWIND_TABLE_SHORTRULE_H
#define UNWIND_TABLE_SHORTRULE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/table/regs.h"

struct cfi_rule;

enum {
	SLOT_BYTES = 8,
	/* The slot value of a register that is not saved: the slot of the return address, or of the
	 * CFA, in which no register can be saved. */
	NOT_SAVED = RA_AT_CFA / SLOT_BYTES,
	RULE_IS_LONG = 255 /* as cfa_reg: not plain; cfa_value is the number of the long rule */
};

struct short_rule {
	uint8_t cfa_reg;	   /* CFA = this register + cfa_value */
	int8_t deepest;		   /* the lowest slot value, at most NOT_SAVED */
	int8_t slots[SHORT_SLOTS]; /* saved at CFA + 8 * slot; NOT_SAVED: still in the register */
	int32_t cfa_value;	   /* bytes */
};

/* The column that each slot is for. */
extern const uint8_t short_rule_columns[SHORT_SLOTS];

/* Converts a rule to the short form. False when it is not plain; then *to is not valid. */
bool short_rule_make(struct short_rule *to, const struct cfi_rule *rule);

#endif

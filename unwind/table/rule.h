/*
 * What CFI says at one address: how to get from a frame's registers to its caller's (DWARF 5,
 * section 6.4.1, "Structure of Call Frame Information").
 */
#ifndef UNWIND_TABLE_RULE_H
#define UNWIND_TABLE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/table/regs.h"

enum column_kind {
	COLUMN_DEFAULT,	   /* no rule: preserved if the ABI says callee-saved, else lost */
	COLUMN_UNDEFINED,  /* lost */
	COLUMN_SAME,	   /* preserved */
	COLUMN_SAVED,	   /* saved at CFA + value */
	COLUMN_IS,	   /* is CFA + value */
	COLUMN_REGISTER,   /* is in register `value` */
	COLUMN_SAVED_EXPR, /* saved at the address that the expression at `value` computes */
	COLUMN_IS_EXPR,	   /* is the result of the expression at `value` */
};

/* Only four bytes, because a rule is read for each row and each frame. */
struct column {
	uint32_t kind : 3;  /* enum column_kind */
	int32_t value : 29; /* bytes, a register, or an expression's place (table.h) */
};

enum { COLUMN_VALUE_MAX = (1 << 28) - 1 };

enum { CFA_EXPRESSION = DWARF_COUNT }; /* as cfa_reg: cfa_value is the place of an expression */

struct cfi_rule {
	uint8_t cfa_reg;   /* CFA = this register + cfa_value */
	bool signal_frame; /* the caller was interrupted, it did not call */
	uint8_t pad[2];	   /* always 0: rules are compared as bytes */
	int32_t cfa_value;
	uint32_t said; /* bit n: column n is not COLUMN_DEFAULT */
	struct column columns[DWARF_COUNT];
};

/* Mask of the registers that are preserved where a rule does not mention them. */
enum { KEPT = CALLEE_SAVED | (RA_AT_CFA != 0 ? 0 : 1 << DWARF_RA) };

#endif

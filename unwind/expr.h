/* DWARF expressions as CFI uses them (DWARF 5, sections 2.5 and 6.4.2). */
#ifndef UNWIND_EXPR_H
#define UNWIND_EXPR_H

#include <stddef.h>
#include <stdint.h>

struct memory;
struct regs;

struct expr_context {
	const struct regs *regs;
	uint32_t valid; /* bit n: register n is known */
	const struct memory *memory;
	uint64_t bias; /* address in the process - image address, for DW_OP_addr */
};

/* Evaluates `len` bytes at `code`. `initial` is pushed first unless it is NULL (the CFA, for
 * register rules). The value on top of the stack goes to *value. ERR_FORMAT: the expression is
 * broken, takes too many steps, or needs a register that is not known; or the error of a failed
 * memory read. */
int expr_evaluate(const uint8_t *code, size_t len, const struct expr_context *context,
		  const uint64_t *initial, uint64_t *value);

#endif

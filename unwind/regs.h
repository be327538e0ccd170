/* The registers that CFI speaks of, by their DWARF numbers (System V ABI,
 * AMD64 supplement, figure 3.36). */
#ifndef UNWIND_REGS_H
#define UNWIND_REGS_H

#include <stdint.h>

enum {
	REG_RAX,
	REG_RDX,
	REG_RCX,
	REG_RBX,
	REG_RSI,
	REG_RDI,
	REG_RBP,
	REG_RSP,
	REG_R8, /* to r15 in order */
	REG_R9,
	REG_R10,
	REG_R11,
	REG_R12,
	REG_R13,
	REG_R14,
	REG_R15,
	REG_RIP, /* the return address column */
	REG_COUNT
};

struct regs {
	uint64_t r[REG_COUNT];
};

#endif

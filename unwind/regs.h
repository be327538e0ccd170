/* The registers that CFI speaks of, by their DWARF numbers (System V ABI, AMD64
 * supplement, figure 3.36). REG_ is taken by sys/ucontext.h, which counts
 * otherwise. */
#ifndef UNWIND_REGS_H
#define UNWIND_REGS_H

#include <stdint.h>

enum {
	DWARF_RAX,
	DWARF_RDX,
	DWARF_RCX,
	DWARF_RBX,
	DWARF_RSI,
	DWARF_RDI,
	DWARF_RBP,
	DWARF_RSP,
	DWARF_R8, /* to r15 in order */
	DWARF_R9,
	DWARF_R10,
	DWARF_R11,
	DWARF_R12,
	DWARF_R13,
	DWARF_R14,
	DWARF_R15,
	DWARF_RIP, /* the return address column */
	DWARF_COUNT
};

struct regs {
	uint64_t r[DWARF_COUNT];
	uint32_t unknown; /* bit n: what r[n] holds means nothing */
};

#endif

/* x86-64 (System V ABI, AMD64 supplement). See arch.h. The prefix is DWARF_ because sys/ucontext.h
 * uses REG_, with other numbers. */
#ifndef UNWIND_TABLE_ARCH_X86_64_H
#define UNWIND_TABLE_ARCH_X86_64_H

#include <stdbool.h>
#include <stdint.h>

/* Figure 3.36, "DWARF Register Number Mapping". */
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
	DWARF_COUNT,
	DWARF_FP = DWARF_RBP,
	DWARF_SP = DWARF_RSP,
	DWARF_RA = DWARF_RIP,
	DWARF_PC = DWARF_RIP,
	DWARF_GO_G = DWARF_R14,
	REGS_COUNT = DWARF_COUNT,
	REGS_ALL = (1 << DWARF_COUNT) - 1,
	CFA_BASES = DWARF_RIP,
	CALLER_KNOWS = 1 << DWARF_SP | 1 << DWARF_PC,
};

enum {
	CALLEE_SAVED = 1 << DWARF_RBX | 1 << DWARF_RBP | 1 << DWARF_R12 | 1 << DWARF_R13 |
		       1 << DWARF_R14 | 1 << DWARF_R15, /* figure 3.4 */
	RA_AT_CFA = -8,
	RED_ZONE = 128, /* 3.2.2 */
	CFI_KNOWS_SIGNALS = true,
	KNOWS_GO = true,
	SHORT_SLOTS = 6,
	RA_SLOT = 0, /* not used */
};

#define ARCH_SLOTS(f) \
	f(0, DWARF_RBX) f(1, DWARF_RBP) f(2, DWARF_R12) f(3, DWARF_R13) f(4, DWARF_R14) \
		f(5, DWARF_R15)

#define ARCH_SYSCALL "\x0f\x05"
enum {
	ARCH_SYSCALL_BYTES = 2,
	ARCH_TEST_BYTES = 8, /* test, jl, je, ret */
};

static inline uint64_t arch_unsigned(const uint64_t *r, uint64_t addr)
{
	(void)r;
	return addr;
}

static inline bool arch_cfa_notes(uint8_t op)
{
	(void)op;
	return false;
}

#endif

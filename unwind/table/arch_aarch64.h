/*
 * AArch64 ("ELF for the Arm 64-bit Architecture" and "DWARF for the Arm 64-bit Architecture", both
 * IHI 2024Q3). See arch.h.
 *
 * A call puts the return address in x30, and the callee may leave it there. So the pc of a frame is
 * not a column: the CFI rule of x30 gives the address at which the caller continues.
 *
 * A return address may be signed (PAC): the bits that an address does not use hold a signature. CFI
 * says where addresses are signed (DW_CFA_AARCH64_negate_ra_state), but this is not needed to
 * remove the signature: the bits of an unsigned address are 0.
 */
#ifndef UNWIND_TABLE_ARCH_AARCH64_H
#define UNWIND_TABLE_ARCH_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

/* aadwarf64, 4.1, "DWARF register names". */
enum {
	DWARF_X0, /* to x30 in order */
	DWARF_X19 = 19,
	DWARF_X29 = 29,
	DWARF_X30,
	DWARF_SP,
	DWARF_COUNT,
	DWARF_GO_G = 28,
	DWARF_FP = DWARF_X29,
	DWARF_RA = DWARF_X30,
	DWARF_PC = DWARF_COUNT,
	REGS_SIGNATURE, /* not a register: mask of the address bits that a signature may use */
	REGS_COUNT,
	CFA_BASES = DWARF_COUNT,
};

#define REGS_ALL UINT32_MAX
#define CALLER_KNOWS (1u << DWARF_SP)

enum {
	CALLEE_SAVED = ((1 << (DWARF_X29 - DWARF_X19 + 1)) - 1) << DWARF_X19, /* aapcs64, 6.1.1 */
	RA_AT_CFA = 0,
	RED_ZONE = 0,
	CFI_KNOWS_SIGNALS = false, /* the vDSO's CFI does not */
	KNOWS_GO = false,
	SHORT_SLOTS = 12,
	RA_SLOT = 11,
};

#define ARCH_SLOTS(f) \
	f(0, DWARF_X19) f(1, 20) f(2, 21) f(3, 22) f(4, 23) f(5, 24) f(6, 25) f(7, 26) f(8, 27) \
		f(9, 28) f(10, DWARF_X29) f(11, DWARF_X30)

#define ARCH_SYSCALL "\x01\0\0\xd4" /* svc #0 */
enum {
	ARCH_SYSCALL_BYTES = 4,
	ARCH_TEST_BYTES = 16, /* cmp, b.eq, b.lt, ret */
};

static inline uint64_t arch_unsigned(const uint64_t *r, uint64_t addr)
{
	return addr & ~r[REGS_SIGNATURE];
}

/* DW_CFA_AARCH64_negate_ra_state and negate_ra_state_with_pc (aadwarf64, 4.2): they tell whether
 * the return address is signed from this instruction on. */
static inline bool arch_cfa_notes(uint8_t op)
{
	return op == 0x2d || op == 0x2c;
}

#endif

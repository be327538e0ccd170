/*
 * What the unwinder must know of an architecture, chosen at compile time: we look at
 * processes of the machine that we run on, and the walk's innermost loop is no place
 * to ask which one that is.
 *
 * Each arch_NAME.h defines
 *
 *   DWARF_COUNT     columns of CFI that are kept; those numbered higher are nobody's
 *   DWARF_SP        the stack pointer; the caller's is the CFA unless a rule says otherwise
 *   DWARF_FP        the frame pointer, where code keeps one
 *   DWARF_RA        the return address column
 *   DWARF_PC        where struct regs keeps the pc, which need not be a column
 *   DWARF_GO_G      where Go's code keeps its g, mostly (cmd/compile/abi-internal.md)
 *   REGS_COUNT      what struct regs holds
 *   REGS_ALL        a mask: every column is known
 *   CFA_BASES       registers numbered below can be what a CFA is an offset from
 *   CALLEE_SAVED    a mask: what a callee preserves
 *   CALLER_KNOWS    a mask: what a step to the caller always gives
 *   RA_AT_CFA       where a call leaves the return address, from the CFA, in bytes; 0:
 *                   nowhere, it is in register DWARF_RA, and a callee saves it or not
 *   ARCH_SLOTS(f)   f(number, column) for each column that a short rule has a slot for
 *                   (unwind/shortrule.h), and SHORT_SLOTS, how many; RA_SLOT, that of
 *                   DWARF_RA, where a call does not leave it in memory
 *   RED_ZONE        bytes below sp that a leaf function may use without moving sp
 *   CFI_KNOWS_SIGNALS  does CFI tell all of the registers that a signal interrupted?
 *   ARCH_SYSCALL    a system call's instruction, as bytes, and ARCH_SYSCALL_BYTES
 *   KNOWS_GO        whether Go is unwound by pclntab (step_go_NAME.c)
 *   ARCH_TEST_BYTES the longest code in which a system call's result is tested at once
 *   arch_unsigned   a return address without its signature
 *   arch_cfa_notes  is this a CFI instruction of the architecture's own, of which a walk
 *                   needs nothing?
 *
 * Rejected: a table of functions for each architecture, so that stacks of another
 * machine could be walked: nobody has such stacks, and each frame would pay for it.
 */
#ifndef UNWIND_ARCH_H
#define UNWIND_ARCH_H

#if defined(__x86_64__)
#include "unwind/arch_x86_64.h"
#elif defined(__aarch64__)
#include "unwind/arch_aarch64.h"
#else
#error "sampler knows x86-64 and aarch64"
#endif

#endif

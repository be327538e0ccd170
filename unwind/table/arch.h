/*
 * Architecture parameters of the unwinder, chosen at compile time: the targets are processes of the
 * machine that sampler runs on, and a run-time choice would cost time in the innermost loop of a
 * walk.
 *
 * Each arch_NAME.h defines
 *
 *   DWARF_COUNT     CFI columns that are kept; columns with higher numbers are ignored
 *   DWARF_SP        the stack pointer; the caller's is the CFA unless a rule says otherwise
 *   DWARF_FP        the frame pointer, where code keeps one
 *   DWARF_RA        the return address column
 *   DWARF_PC        index of the pc in struct regs, which need not be a column
 *   DWARF_GO_G      the register in which Go code usually keeps its g
 *                   (cmd/compile/abi-internal.md)
 *   REGS_COUNT      number of values in struct regs
 *   REGS_ALL        a mask: every column is known
 *   CFA_BASES       only registers with lower numbers can be the base of a CFA
 *   CALLEE_SAVED    a mask: the registers that a callee preserves
 *   CALLER_KNOWS    a mask: the registers that are always known after a step to the caller
 *   RA_AT_CFA       where a call puts the return address, in bytes from the CFA; 0: a call puts it
 *                   in register DWARF_RA, and the callee may save it
 *   ARCH_SLOTS(f)   f(number, column) for each column that a short rule has a slot for
 *                   (unwind/table/shortrule.h)
 *   SHORT_SLOTS     the number of slots
 *   RA_SLOT         the slot of DWARF_RA, where a call does not put the return address in memory
 *   RED_ZONE        bytes below sp that a leaf function may use without moving sp
 *   CFI_KNOWS_SIGNALS  whether CFI describes all registers of the code that a signal interrupted
 *   ARCH_SYSCALL    the system call instruction, as bytes, and ARCH_SYSCALL_BYTES, its length
 *   KNOWS_GO        whether Go is unwound by pclntab (step_go_NAME.c)
 *   ARCH_TEST_BYTES bytes of the longest code that tests a system call's result right after the
 *                   call
 *   arch_unsigned   returns a return address without its signature
 *   arch_cfa_notes  whether a CFI instruction is specific to the architecture and not needed for a
 *                   walk
 *
 * Rejected: a table of functions for each architecture, so that stacks of another machine could be
 * walked. There are no such stacks, and each frame would pay for it.
 */
#ifndef UNWIND_TABLE_ARCH_H
#define UNWIND_TABLE_ARCH_H

#if defined(__x86_64__)
#include "unwind/table/arch_x86_64.h"
#elif defined(__aarch64__)
#include "unwind/table/arch_aarch64.h"
#else
#error "sampler is for x86-64 and aarch64"
#endif

#endif

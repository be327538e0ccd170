/*
 * What a function's code has done to its frame when execution is at one place in it, whichever way
 * it came there: which registers lie at a known distance from the CFA. x86-64 only.
 *
 * The function is followed from its first instruction on, along all ways, in the emulator of
 * emulator.h, whose registers hold distances from the CFA here. Where ways meet, a register remains
 * known if it is equal on all of them. So a stack pointer that was moved by an amount which is
 * known only at run time (alloca, a VLA) is not known behind that.
 *
 * What no jump in the function names is the case of a switch, or, if its CFI names such places,
 * where an exception lands. It is entered with the frame that jumps through tables leave, and
 * calls. So a register is known there if it is equal at all of these that have the rule of CFI that
 * holds there. At each of these places and at each target of a jump CFI says one register's
 * distance from the CFA; if it contradicts, nothing is known.
 *
 * Where a function aligns its stack pointer, distances are then from the aligned address.
 *
 * Rejected: one way that leads to the place, as forward.h takes it. Another way may have moved the
 * stack pointer by another amount.
 */
#ifndef UNWIND_CODE_FRAMESTATE_H
#define UNWIND_CODE_FRAMESTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/table/regs.h"

struct cfi_table;
struct codebytes;

struct framestate_place {
	const struct cfi_table *table;
	uint64_t bias;	     /* address in the process - image address */
	uint64_t start, end; /* the function's addresses in the process */
	bool lands;	     /* exceptions may land in it */
	uint64_t pc;	     /* the instruction there is next, */
	bool behind_call;    /* or the one that ends there is being executed */
};

/* Registers by their DWARF numbers. */
struct framestate {
	uint32_t from_cfa;     /* bit n: register n is the CFA + distance[n] */
	uint32_t from_aligned; /* bit n: it is the aligned address + distance[n] */
	uint32_t alignment;    /* bytes, a power of two: the aligned address is a multiple, */
	int32_t unaligned; /* that which is next below the CFA + unaligned; 0: none is aligned */
	int32_t distance[DWARF_COUNT]; /* bytes */
};

/* False: nothing is known, or there is no memory. */
bool framestate_find(struct codebytes *code, const struct framestate_place *place,
		     struct framestate *state);

#endif

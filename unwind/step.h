/*
 * One step of a walk: from a frame's registers to its caller's.
 *
 * The walk (unwinder.c) knows what stands at the frame's address and picks the
 * way; each way has a file of its own and knows nothing of the others.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/regs.h"
#include "unwind/stack.h"

struct cfi_rule;
struct cfi_table;
struct image;
struct memory;

/* What is known about a code address in a process. */
struct code {
	uint64_t addr;
	uint64_t generation; /* of the maps for which it holds; 0: nothing is known */
	const struct image *image;
	const struct cfi_table *table;
	const struct cfi_rule *rule; /* NULL: no CFI there */
	uint64_t bias; /* address in the process - image address */
	bool is_sigreturn; /* SIGFRAME_REGS say what no CFI does */
	bool is_entry; /* the kernel enters the file here, and no CFI says so */
};

struct walk {
	struct regs regs;
	uint32_t valid; /* bit n: regs.r[n] is known */
	const struct memory *memory;
	const struct code *at; /* the frame's; NULL where nothing is mapped */
	enum frame_source source; /* what led to this frame */
	unsigned switches; /* signal frames whose caller did not lie above */
};

/* Beside enum stack_end, as which a step returns why it cannot be made: the
 * walk goes on, and its registers are the caller's. */
enum { STEP_ON = STACK_ENDS };

/* By the rule of CFI at w->at, which must have one. Whoever picks the way sets
 * w->source. */
int step_by_cfi(struct walk *w);

/* From the trampoline of a signal handler, with the registers that the kernel saved.
 * Only where SIGFRAME_REGS is not 0. */
int step_by_sigframe(struct walk *w);

/* The caller goes on at this return address. What it had in the register that calls
 * leave theirs in, it has saved. */
static inline void step_arrive(struct walk *w, uint64_t ra)
{
	w->regs.r[DWARF_PC] = arch_unsigned(w->regs.r, ra);
	if (!RA_AT_CFA)
		w->valid &= ~(1u << DWARF_RA);
}

/* Why a read of the stack that failed ends the walk. */
enum stack_end step_end_of_read(int rc);

#endif

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

#include "unwind/gocode.h"
#include "unwind/regs.h"
#include "unwind/shortrule.h"
#include "unwind/stack.h"

struct cfi_rule;
struct cfi_table;
struct go_stacks;
struct codebytes;
struct codemap;
struct image;
struct memory;
struct modmap;

/* What is known about a code address in a process; a cache line. */
struct code {
	uint64_t addr;
	uint64_t generation; /* of the maps for which it holds; 0: nothing is known */
	const struct image *image;
	uint64_t bias; /* address in the process - image address */
	const struct cfi_table *table;
	union {
		const struct cfi_rule *long_rule; /* of the two last kinds */
		const struct go_image *go_image;  /* of CODE_BY_PCLNTAB */
	};
	union {
		struct short_rule rule; /* of CODE_BY_SHORT_RULE */
		struct go_code go;	/* of CODE_BY_PCLNTAB */
	};
	enum code_kind {
		CODE_UNKNOWN,	    /* no CFI there */
		CODE_ENTRY,	    /* neither, but the kernel enters the file here */
		CODE_BY_PCLNTAB,    /* Go's */
		CODE_BY_SHORT_RULE, /* plain */
		CODE_BY_LONG_RULE,
		CODE_BY_SIGNAL_RULE /* the caller was interrupted, it did not call */
	} kind;
};

static inline bool code_has_cfi(const struct code *code)
{
	return code->kind >= CODE_BY_SHORT_RULE;
}

struct walk {
	struct regs regs;
	uint32_t valid; /* bit n: regs.r[n] is known */
	const struct memory *memory;
	const struct code *at; /* the frame's; NULL where nothing is mapped */
	enum frame_source source; /* what led to this frame */
	unsigned switches; /* signal frames whose caller did not lie above */
	bool changed_stack;/* the last step led to another of a Go thread's stacks */
	struct go_walk {
		const struct go_stacks *stacks; /* NULL: not a thread that runs Go */
		uint64_t left_g0, left_goroutine; /* stack pointers at which the walk left them */
		uint64_t g0_sp; /* where C called Go, the next time on the way out; 0: g0's */
		bool recovering;/* the goroutine goes on at its g.sched.pc, which is exact */
		bool scheduling;/* the thread has left the goroutine that called what follows */
	} go;
	/* What a guess looks at beside. */
	enum frame_kind kind;
	const struct modmap *maps;
	struct codemap *map;
	struct codebytes *code;
	bool partial; /* the thread was not asked for all its registers */
};

/* Beside enum stack_end, as which a step returns why it cannot be made: the
 * walk goes on, and its registers are the caller's. */
enum { STEP_ON = STACK_ENDS };

enum { SWITCHES_MAX = 64 }; /* signal frames in one walk whose caller lies not above */

/* By the rule of CFI at w->at, which must have one. Whoever picks the way sets
 * w->source. */
int step_by_cfi(struct walk *w);

/* By Go's pclntab, at an address that w->at->go covers. `kind` is the frame's, and then
 * its caller's. */
int step_by_pclntab(struct walk *w, enum frame_kind *kind);
/* The caller goes on at this return address. What it had in the register that calls
 * leave theirs in, it has saved. */
static inline void step_arrive(struct walk *w, uint64_t ra)
{
	w->regs.r[DWARF_PC] = arch_unsigned(w->regs.r, ra);
	if (!RA_AT_CFA)
		w->valid &= ~(1u << DWARF_RA);
}

/* By what the code does and how the stack looks, where w->at has no rule
 * (step_guess_NAME.c); sets w->source. w->at is not valid after it. */
int step_by_guess(struct walk *w);

/* Is this where a signal's handler returns to, without CFI that says so? musl's is. */
bool code_is_restorer(struct codebytes *code, uint64_t pc);

/* From there to what was interrupted. */
int step_from_restorer(struct walk *w);

/* Why a read of the stack that failed ends the walk. */
enum stack_end step_end_of_read(int rc);

#endif

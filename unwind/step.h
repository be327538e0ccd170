/*
 * One step of a walk: from a frame's registers to its caller's.
 *
 * The walk (unwinder.c) finds out what is at the frame's address and picks the kind of step. Each
 * kind has a file of its own and does not depend on the others.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/gocode.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/table/shortrule.h"

struct cfi_rule;
struct cfi_table;
struct go_stacks;
struct codebytes;
struct codemap;
struct image;
struct managed_walker;
struct memory;
struct modmap;
struct proofs;

/* What is known about a code address in a process. Takes a cache line on x86-64. */
struct code {
	uint64_t addr;
	uint64_t generation; /* of the maps for which this holds; 0: empty */
	const struct image *image;
	uint64_t bias; /* address in the process - image address */
	const struct cfi_table *table;
	union {
		const struct cfi_rule *long_rule; /* of CODE_BY_LONG_RULE and CODE_BY_SIGNAL_RULE */
		const struct go_image *go_image;  /* of CODE_BY_PCLNTAB */
	};
	union {
		struct short_rule rule; /* of CODE_BY_SHORT_RULE */
		struct go_code go;	/* of CODE_BY_PCLNTAB */
	};
	enum code_kind {
		CODE_UNKNOWN,	    /* no CFI there */
		CODE_ENTRY,	    /* a stack begins here: as the kernel enters the file */
		CODE_BY_PCLNTAB,    /* Go code */
		CODE_BY_SHORT_RULE, /* a plain rule */
		CODE_BY_LONG_RULE,
		CODE_BY_SIGNAL_RULE /* the caller was interrupted, it did not call */
	} kind : 8;
	enum code_calls {
		CODE_CALLS_NOT_ASKED,
		CODE_CALLS, /* a call ends right behind the address */
		CODE_CALLS_NOT
	} calls : 8;
};

static inline bool code_has_cfi(const struct code *code)
{
	return code->kind >= CODE_BY_SHORT_RULE;
}

struct walk {
	struct regs regs;
	uint32_t valid; /* bit n: regs.r[n] is known */
	const struct memory *memory;
	const struct code *at; /* what is known about the frame's address; NULL: nothing mapped */
	enum frame_source source; /* how this frame was found */
	unsigned switches;	  /* steps so far that did not go up: signal frames and gogo */
	struct managed_walker *managed; /* NULL: no runtime that walks its own code */
	struct {			/* set by its step: the frame's place in an image's text, */
		const struct image *image; /* of which its code may be a copy; NULL: that of `at` */
		uint64_t addr;
	} original;
	bool made;	    /* the stack, as stack.made */
	bool changed_stack; /* the last step changed to another stack of a Go thread */
	struct go_walk {
		const struct go_stacks *stacks;	  /* NULL: the thread does not run Go */
		uint64_t left_g0, left_goroutine; /* sp at which the walk left each stack */
		uint64_t g0_sp;	 /* sp on g0's stack for the next cgocallback; 0: g0.sp */
		bool recovering; /* the goroutine continues at g.sched.pc, which is exact */
		bool scheduling; /* the goroutine further out is no longer this thread's */
	} go;
	/* Used by guesses only. */
	enum frame_kind kind;
	const struct modmap *maps;
	struct codemap *map;
	struct codebytes *code;
	struct proofs *proofs; /* used where partial */
	bool partial;	       /* not all registers of the thread were read */
};

/* A step returns STEP_ON when it was made: the registers are then the caller's. Otherwise it
 * returns the enum stack_end that tells why it was not possible. */
enum { STEP_ON = STACK_ENDS };

enum { SWITCHES_MAX = 64 }; /* bound on walk.switches */

/* A step by the CFI rule at w->at, which must have one. The caller sets w->source. */
int step_by_cfi(struct walk *w);

/* A step by reading the code forward to its return, where the rule at w->at is in doubt. STEP_ON,
 * or STACK_NO_UNWIND_INFO with nothing changed. Sets w->source. */
int step_by_reading(struct walk *w);

/* A step by Go's pclntab, at an address that w->at->go covers. *kind is the frame's kind and
 * becomes its caller's. Sets w->source. */
int step_by_pclntab(struct walk *w, enum frame_kind *kind);

/* Sets the caller's pc to the return address `ra`. Where calls put the return address in a
 * register, the caller's own value of that register is lost. */
static inline void step_arrive(struct walk *w, uint64_t ra)
{
	w->regs.r[DWARF_PC] = arch_unsigned(w->regs.r, ra);
	if (!RA_AT_CFA)
		w->valid &= ~(1u << DWARF_RA);
}

/* A step by what the code does and how the stack looks, where w->at has no rule
 * (step_guess_NAME.c). Sets w->source. w->at is not valid afterwards. */
int step_by_guess(struct walk *w);

/* True at the instruction that a signal handler returns to, where no CFI says so, as in musl. */
bool code_is_restorer(struct codebytes *code, uint64_t pc);

/* Do only pops follow, and the return? Then what was popped already lies below sp, and is in its
 * register. */
bool code_is_leaving(struct codebytes *code, uint64_t pc);

/* A step from the address that a signal handler returns to, to the interrupted code. Sets
 * w->source. */
int step_from_restorer(struct walk *w);

/* The reason for which a read of the stack that failed with `rc` ends the walk. */
enum stack_end step_end_of_read(int rc);

#endif

/*
 * Registers of a thread that was not stopped.
 *
 * Of a thread that waits, the kernel shows pc and sp only. Where a rule of CFI needs another
 * register that no callee has saved, mostly rbp, it is proven by the code of the frame's function:
 * on all ways to the pc the register lies at one distance from sp (code/framestate.h). The return
 * address that is found with it must be one: behind a call, and not behind the call of another
 * function.
 *
 * Not proven, so that the walk ends: a frame whose size is known only at run time (alloca, a VLA);
 * a function's cold part, which has CFI of its own and whose frame was made elsewhere; the cases of
 * a switch in a function where exceptions land and calls push different amounts.
 */
#ifndef UNWIND_PROVE_H
#define UNWIND_PROVE_H

#include <stdint.h>

#include "unwind/step.h"

#if defined(__x86_64__)
#include "unwind/code/framestate.h"
#include "unwind/table/starts.h"

enum { PROOFS = 256 }; /* power of two */

/* What was found out about places in code. A zeroed one is empty. */
struct proofs {
	struct proof {
		uint64_t pc, generation;  /* generation 0: empty */
		struct cfi_extent extent; /* the function */
		bool behind_call, known;
		struct framestate state;
	} at[PROOFS];
};

/* A step by the CFI at w->at, which could not be made for lack of a register. Returns STEP_ON,
 * STACK_OUTERMOST, or STACK_NO_UNWIND_INFO: there is no proof. w->at is not valid afterwards. */
int step_by_proof(struct walk *w);
#else
struct proofs {
	char none;
};

/* There is no reading of a function's code (code/framestate.h). A frame record could be found in
 * the same way; as it is, the walk ends. */
static inline int step_by_proof(struct walk *w)
{
	(void)w;
	return STACK_NO_UNWIND_INFO;
}
#endif

/* Is it where signal handlers return to? */
bool prove_signal_returns_to(struct walk *w, uint64_t addr);

#endif

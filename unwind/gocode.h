/* What Go's pclntab says about an address, as far as a walk needs it. */
#ifndef UNWIND_GOCODE_H
#define UNWIND_GOCODE_H

#include <stdbool.h>
#include <stdint.h>

struct gopclntab;

enum go_kind {
	GO_NONE,      /* no Go code: another way must be found */
	GO_ORDINARY,  /* caller's frame: stack pointer + depth + 8 */
	GO_OUTERMOST, /* goexit, mstart, rt0_go: Go's word for "nobody called this" */
	GO_UNSAFE,    /* it moves the stack pointer in ways that are not written down */
	GO_INJECTED,  /* sigpanic, asyncPreempt: its caller was interrupted, it did not call */
	GO_SIGNAL_RETURN, /* a signal handler returns to here */
	/* Functions that change stacks, see step_go.c. */
	GO_SYSTEMSTACK, GO_MCALL, GO_MORESTACK, GO_ASMCGOCALL, GO_CGOCALLBACK, GO_GOGO,
	GO_SP_IN_R12, /* nanotime1, walltime, now, vgetrandom1, racecall */
	GO_SP_IN_RBX, /* sigfwd, callCgoMmap, … */
	GO_CROSSCALL, /* C's way into Go: it has saved the registers that C preserves */
	GO_RECOVERY,  /* where its goroutine goes on after a panic, no call stands before */
	GO_SCHEDULE,  /* whoever stands below it has left its goroutine */
};

struct go_code {
	uint8_t kind;	    /* enum go_kind */
	bool begins;	    /* it is the next address that is meant: see gocode_learn */
	bool assembly;	    /* perhaps without the frame pointer in its place */
	int32_t depth;	    /* bytes on the stack beside the return address */
	int16_t saved[6];   /* GO_CROSSCALL: where rbx, rbp, r12 to r15 stand, bytes from the
			     * caller's frame. GO_ASMCGOCALL: GO_LEFT_G. 0: not known */
};

enum {
	GO_SAVED_RBX, GO_SAVED_RBP, GO_SAVED_R12,
	GO_LEFT_G = 0, /* where the goroutine's g stands, from the stack pointer; 8 below it
			* how far its stack pointer was from its stack's high end */
};

/* Fills `code` for an image address: a frame's frame_code_address. Two functions count from
 * one byte before, because what looks like a return address is their first instruction,
 * and nothing has called: GO_SIGNAL_RETURN, and systemstack_switch, at which a goroutine
 * is said to be while its thread is on g0. */
void gocode_learn(struct gopclntab *t, uint64_t addr, struct go_code *code);

#endif

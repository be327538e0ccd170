/* What Go's pclntab says about an address, as far as a walk needs it. */
#ifndef UNWIND_GOCODE_H
#define UNWIND_GOCODE_H

#include <stdbool.h>
#include <stdint.h>

struct gopclntab;
struct image;

enum go_kind {
	GO_NONE,      /* no Go code: another way must be found */
	GO_ORDINARY,  /* caller's frame: stack pointer + depth + 8 */
	GO_OUTERMOST, /* goexit, mstart, rt0_go: Go's word for "nobody called this" */
	GO_UNSAFE,    /* it moves the stack pointer in ways that are not written down */
	GO_INJECTED,  /* sigpanic, asyncPreempt: its caller was interrupted, it did not call */
	GO_SIGNAL_RETURN, /* a signal handler returns to here */
	/* Functions that change stacks, see step_go_NAME.c. */
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
};

enum { GO_SAVED_RBX, GO_SAVED_RBP, GO_SAVED_R12, GO_SAVED = 6 };

/* An image's pclntab, and what is known of two of its functions once they are met. */
struct go_image {
	struct gopclntab *table;
	/* Where crosscall2 has saved rbx, rbp, r12 to r15, bytes from its caller's frame; 0:
	 * not known. */
	int16_t saved[GO_SAVED];
	/* Where asmcgocall has left the goroutine's g, bytes from the stack pointer; 8 below
	 * it how far its stack pointer was from its stack's high end. 0: not known. */
	int16_t left_g;
};

/* ERR_NOTFOUND for an image that is not Go's, and as gopclntab_open. */
int go_image_open(const struct image *image, struct go_image **go);
void go_image_close(struct go_image *go);

/* Fills `code` for an image address: a frame's frame_code_address. Two functions count from
 * one byte before, because what looks like a return address is their first instruction,
 * and nothing has called: GO_SIGNAL_RETURN, and systemstack_switch, at which a goroutine
 * is said to be while its thread is on g0. False for GO_NONE. */
bool gocode_learn(struct go_image *image, uint64_t addr, struct go_code *code);

#endif

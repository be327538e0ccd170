/* What a walk needs of Go's pclntab about an address. */
#ifndef UNWIND_GOCODE_H
#define UNWIND_GOCODE_H

#include <stdbool.h>
#include <stdint.h>

struct gopclntab;
struct image;

enum go_kind {
	GO_NONE,	  /* not Go code: the walk needs another way */
	GO_ORDINARY,	  /* caller's frame: stack pointer + depth + 8 */
	GO_OUTERMOST,	  /* goexit, mstart, rt0_go and what has Go's flag TOPFRAME: no caller */
	GO_UNSAFE,	  /* it moves the stack pointer in ways that pclntab does not describe */
	GO_INJECTED,	  /* sigpanic, asyncPreempt: its caller was interrupted, it did not call */
	GO_SIGNAL_RETURN, /* a signal handler returns to here */
	/* Functions that change stacks, see step_go_NAME.c. */
	GO_SYSTEMSTACK,
	GO_MCALL,
	GO_MORESTACK,
	GO_ASMCGOCALL,
	GO_CGOCALLBACK,
	GO_GOGO,
	GO_SP_IN_R12, /* nanotime1, walltime, now, vgetrandom1, racecall */
	GO_SP_IN_RBX, /* sigfwd, callCgoMmap, … */
	GO_CROSSCALL, /* the way from C into Go: it has saved the registers that C preserves */
	GO_RECOVERY,  /* the goroutine continues at its g.sched.pc, which no call precedes */
	GO_SCHEDULE,  /* the goroutine that led here has left this thread */
};

struct go_code {
	uint8_t kind;  /* enum go_kind */
	bool begins;   /* what is described is the next address: see gocode_learn */
	bool assembly; /* it may not save the frame pointer at the usual place */
	int32_t depth; /* bytes on the stack without the return address */
};

enum { GO_SAVED_RBX, GO_SAVED_RBP, GO_SAVED_R12, GO_SAVED = 6 };

/* An image's pclntab, and what has been learned about two of its functions when a walk met them. */
struct go_image {
	struct gopclntab *table;
	/* Where crosscall2 saves rbx, rbp, r12 to r15: bytes from its caller's frame; 0:
	 * unknown. */
	int16_t saved[GO_SAVED];
	/* Where asmcgocall stores the goroutine's g: bytes from the stack pointer. The word 8 bytes
	 * below is the distance of the goroutine's stack pointer from the high end of its stack. 0:
	 * not known. */
	int16_t left_g;
};

/* Opens an image's pclntab; the caller closes *go with go_image_close. The image must outlive it.
 * ERR_NOTFOUND: not a Go image; ERR_NOMEM; otherwise the errors of gopclntab_open. */
int go_image_open(const struct image *image, struct go_image **go);
void go_image_close(struct go_image *go);

/* Fills `code` for an image address as frame_code_address gives it. Two functions are counted from
 * one byte before their entry, because the "return address" there is their first instruction and no
 * call precedes it: GO_SIGNAL_RETURN, and systemstack_switch, which is the saved pc of a goroutine
 * while its thread runs on g0. Returns false for GO_NONE. */
bool gocode_learn(struct go_image *image, uint64_t addr, struct go_code *code);

#endif

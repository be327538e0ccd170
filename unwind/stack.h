/*
 * A stack: where a thread was, and through which calls it came there.
 */
#ifndef UNWIND_STACK_H
#define UNWIND_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

enum frame_kind {
	FRAME_PC,     /* the innermost frame: addr is the instruction to be executed */
	FRAME_RETURN, /* addr is a return address: the call stands before it */
	FRAME_SIGNAL, /* addr is exact as in FRAME_PC: the frame was interrupted by a signal,
		       * or is the trampoline that a signal handler or a coroutine returns to */
};

/* How a frame was found: what led from the one below it, its callee, to it. What
 * FRAME_BY_CFI and FRAME_BY_PCLNTAB say is true; the others are guesses that fit. */
enum frame_source {
	FRAME_FROM_REGISTERS, /* the innermost */
	FRAME_BY_CFI,
	FRAME_BY_PCLNTAB,
	FRAME_BY_CODE, /* the code, read on to its return */
	FRAME_BY_FRAME_POINTER,
	FRAME_BY_SCAN, /* a word on the stack that looks like a return address */
	FRAME_SOURCES
};

struct frame {
	const struct image *image; /* NULL only when nothing is mapped at addr */
	uint64_t addr;		   /* image address; without image, the process's */
	enum frame_kind kind;
	enum frame_source source;
};

/* Why a walk ended. The names are part of the output. */
enum stack_end {
	STACK_OUTERMOST,	 /* CFI says that nobody called this frame */
	STACK_NO_UNWIND_INFO,	 /* no CFI covers the last frame's address */
	STACK_COPY_EXHAUSTED,	 /* the rest lies beyond the copy of the stack */
	STACK_MEMORY_UNREADABLE, /* a rule leads to memory that is not there */
	STACK_NO_ADVANCE,	 /* the caller's frame would not lie above this one */
	STACK_TOO_MANY_FRAMES,	 /* more than any stack can hold, or out of memory */
	STACK_ENDS
};

struct stack {
	struct frame *frames; /* innermost first; owned */
	uint64_t *pcs; /* of each where it is in the process: an image can be mapped twice; owned */
	size_t count, room;
	enum stack_end end;
	uint64_t used; /* bytes from sp to the outermost CFA on the same stack */
	bool switched; /* it leads through a signal frame from one stack to another */
	bool lacked;   /* a rule wanted a register that was unknown at the start */
};

/* An empty stack; {0} is as good. It keeps its memory from walk to walk. */
void stack_init(struct stack *s);
void stack_release(struct stack *s);

/* Makes room for more frames. 0 or ERR_NOMEM. */
int stack_reserve(struct stack *s);

/* Appends a frame. 0 or ERR_NOMEM. */
int stack_push(struct stack *s, const struct image *image, uint64_t addr, enum frame_kind kind);

/* "outermost", "no unwind information", … */
const char *stack_end_name(enum stack_end end);

/* The address inside the instruction that is being executed or that made the
 * call. This is the one place where a return address loses its 1: a call may
 * be the last instruction of its function, and what follows belongs to
 * another (DWARF 5, section 6.4.4). */
static inline uint64_t frame_code_address(uint64_t addr, enum frame_kind kind)
{
	return addr - (kind == FRAME_RETURN);
}

#endif

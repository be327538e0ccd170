/*
 * A stack: where a thread was, and the calls that led there.
 */
#ifndef UNWIND_STACK_H
#define UNWIND_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct managed_frame;

enum frame_kind {
	FRAME_PC,     /* the innermost frame: addr is the next instruction to execute */
	FRAME_RETURN, /* addr is a return address: the call precedes it */
	FRAME_SIGNAL, /* addr is exact as in FRAME_PC: the frame was interrupted by a signal, or is
		       * the trampoline that a signal handler or a coroutine returns to */
};

/* How a frame was found from its callee. FRAME_BY_CFI, FRAME_BY_PCLNTAB and FRAME_BY_RUNTIME are
 * certain; the others are guesses that passed their checks. */
enum frame_source {
	FRAME_FROM_REGISTERS, /* the innermost */
	FRAME_BY_CFI,
	FRAME_BY_PCLNTAB,
	FRAME_BY_CODE, /* the code was read forward to its return */
	FRAME_BY_FRAME_POINTER,
	FRAME_BY_SCAN,	  /* a word on the stack that looks like a return address */
	FRAME_BY_RUNTIME, /* by the tables of the runtime whose code its callee is */
	FRAME_SOURCES
};

struct frame {
	const struct image *image; /* NULL only when nothing is mapped at addr */
	uint64_t addr;		   /* image address; without image, address in the process */
	enum frame_kind kind;
	enum frame_source source;
};

/* Why a walk ended. The names are part of the output. */
enum stack_end {
	STACK_OUTERMOST,	 /* CFI says that the frame has no caller */
	STACK_NO_UNWIND_INFO,	 /* no CFI covers the last frame's address */
	STACK_COPY_EXHAUSTED,	 /* the rest of the stack lies beyond what was copied */
	STACK_MEMORY_UNREADABLE, /* a rule leads to memory that does not exist */
	STACK_NO_ADVANCE,	 /* the caller's frame would not lie above this one */
	STACK_TOO_MANY_FRAMES,	 /* more frames than any stack can hold */
	STACK_RUNTIME_IN_DOUBT,	 /* a runtime's own tables do not tell for certain what called */
	STACK_ENDS
};

struct stack {
	struct frame *frames; /* innermost first; owned */
	uint64_t *pcs; /* their addresses in the process: an image can be mapped twice; owned */
	uint64_t *sps; /* their stack pointers: a frame lies from its own up to its caller's, which
			* is its CFA, if that is higher; owned */
	size_t count, room;
	struct managed_frame *managed; /* frames of runtimes, `index` ascending; owned */
	size_t managed_count, managed_room;
	enum stack_end end;
	uint64_t used; /* bytes from sp to the outermost CFA on the same stack */
	bool switched; /* the walk has changed from one stack to another */
	bool made;     /* code that makes stacks has put the outermost frame there (make_fcontext):
			* what it serves, if anything, has another stack */
	bool lacked;   /* the walk ended for lack of a register that was unknown at the start */
};

/* {0} is an empty stack. A stack keeps its memory from walk to walk. */
void stack_release(struct stack *s);

/* Doubles the room for frames. ERR_NOMEM. */
int stack_reserve(struct stack *s);

/* Appends a frame; `addr` is its address in the process, too; its stack pointer is 0. ERR_NOMEM. */
int stack_push(struct stack *s, const struct image *image, uint64_t addr, enum frame_kind kind);

/* "outermost frame", "no unwind information", …; a constant string. */
const char *stack_end_name(enum stack_end end);

/* Did a limit of ours end the walk? Then the outer frames exist, and only they are missing. */
static inline bool stack_end_is_cut(enum stack_end end)
{
	return end == STACK_COPY_EXHAUSTED || end == STACK_TOO_MANY_FRAMES;
}

/* The address inside the instruction that is being executed or that made the call. 1 is subtracted
 * from a return address, because a call may be the last instruction of its function, and the next
 * one belongs to another function (DWARF 5, section 6.4.4). */
static inline uint64_t frame_code_address(uint64_t addr, enum frame_kind kind)
{
	return addr - (kind == FRAME_RETURN);
}

#endif

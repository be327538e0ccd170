/*
 * Finds the caller of code without CFI: the instructions are simulated from the pc to the
 * function's return, keeping track of rsp and of the registers that are restored on the way.
 *
 * A function must leave by its return address, whatever it has done to the stack, so this works in
 * prologues, epilogues, leaf functions and assembly alike. It cannot predict conditional jumps:
 * both ways are tried, and a way is accepted only if it leads to a return address that a call has
 * left.
 *
 * Rejected: reading backward from the pc to the function's beginning, as gdb does. Nothing tells
 * where instructions begin, nor where the function does.
 */
#ifndef UNWIND_CODE_FORWARD_H
#define UNWIND_CODE_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

struct codebytes;
struct memory;
struct regs;

enum forward_end {
	FORWARD_FOUND,
	FORWARD_EXITS, /* every way that does not trap ends the thread, without a call */
	/* Every way traps (hlt, ud2, int3), without a call: a call that led here does not return,
	 * or its function has reported what cannot be. */
	FORWARD_TRAPS,
	/* Every way ends in one of these, some behind a call that may not return. */
	FORWARD_CALLS_LAST,
	FORWARD_UNREADABLE, /* it is where nothing was copied: on another stack */
	FORWARD_EXHAUSTED,  /* the return address is beyond the copy of the stack */
	FORWARD_UNKNOWN,
};

/* Can `addr` be a return address: that of a call, or of a signal handler? */
typedef bool forward_accepts(void *ctx, uint64_t addr);

/* Steps to the caller of the frame that has registers `regs`, of which those in `valid` are known.
 * On FORWARD_FOUND both are replaced by the caller's. At most `most` instructions are read. */
enum forward_end forward_to_return(struct codebytes *code, const struct memory *memory,
				   struct regs *regs, uint32_t *valid, unsigned most,
				   forward_accepts *accepts, void *ctx);

/* The reverse, for code that never returns: does a function that begins at `entry`, called with its
 * return address at `slot`, come to the current pc with the current rsp? If so, *regs and *valid
 * are replaced by the caller's and the result is true. */
bool forward_from_entry(struct codebytes *code, const struct memory *memory, uint64_t entry,
			uint64_t slot, struct regs *regs, uint32_t *valid, unsigned most);

#endif

/*
 * Where code without CFI will return to: read it on from where it stands until it
 * returns, and keep account of rsp and of what is restored on the way.
 *
 * A function must leave by its return address, whatever it has done to the stack, so
 * this is right in prologues, epilogues, leaf functions and assembly alike. What it
 * cannot see is where a conditional jump will go; both ways are tried, and any must
 * lead to a return address that a call has left.
 *
 * Rejected: reading backward from the pc to the function's beginning, as gdb does.
 * Nothing tells where instructions begin, nor where the function does.
 */
#ifndef UNWIND_FORWARD_H
#define UNWIND_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

struct codebytes;
struct memory;
struct regs;

enum forward_end {
	FORWARD_FOUND,
	FORWARD_NEVER_RETURNS, /* without a call it comes to where nothing follows */
	FORWARD_EXHAUSTED,     /* the return address is beyond the copy of the stack */
	FORWARD_UNKNOWN,
};

/* Is it an address that a call returns to, or that a signal handler does? */
typedef bool forward_accepts(void *ctx, uint64_t addr);

/* From the frame whose registers are `regs`, those in `valid` known, to its caller's,
 * which replace them. At most `most` instructions are read. */
enum forward_end forward_to_return(struct codebytes *code, const struct memory *memory,
				   struct regs *regs, uint32_t *valid, unsigned most,
				   forward_accepts *accepts, void *ctx);

/* The other way round, where code never returns: does a function that begins at
 * `entry`, called with its return address at `slot`, come to the present pc with the
 * present rsp? Then the same: to its caller. */
bool forward_from_entry(struct codebytes *code, const struct memory *memory, uint64_t entry,
			uint64_t slot, struct regs *regs, uint32_t *valid, unsigned most);

#endif

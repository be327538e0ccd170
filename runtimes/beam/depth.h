/* How far above the stack pointer a frame's return address is. */
#ifndef RUNTIMES_BEAM_DEPTH_H
#define RUNTIMES_BEAM_DEPTH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtimes/beam/runtime.h"

struct codebytes;
struct insn;

enum beam_exit {
	BEAM_EXIT_UNKNOWN, /* the code does not tell */
	BEAM_EXIT_RETURN,  /* the return address is *depth bytes above the stack pointer */
	BEAM_EXIT_PAUSE, /* the process is left to the scheduler as its stack is now: all variables
			    * are terms */
};

#define BEAM_NOT_KNOWN INT64_MIN

/* From where the code is read. Both values of rbp are in bytes above the process's stack pointer,
 * or BEAM_NOT_KNOWN. They are used only with frame pointers (+JPperf true). */
struct beam_from {
	uint64_t pc;
	bool on_c;	   /* rsp is the scheduler's */
	int64_t rbp;	   /* the register's */
	int64_t saved_rbp; /* the one in struct process, for C to look at */
};

enum beam_exit beam_depth(struct beam_runtime *rt, struct codebytes *code,
			  const struct beam_from *from, int64_t *depth);

/* Does rsp become the process's by this instruction, from a register or from struct process? */
bool beam_is_switch_back(const struct beam_runtime *rt, const struct insn *insn);

/* Finds out which shared code returns, by the code at its labels, which are sorted. */
void beam_labels_read(struct beam_runtime *rt);

#endif

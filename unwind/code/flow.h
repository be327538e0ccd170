/* Where execution goes on after an x86-64 instruction. */
#ifndef UNWIND_CODE_FLOW_H
#define UNWIND_CODE_FLOW_H

#include "unwind/code/insn_x86_64.h"

enum flow {
	FLOW_ON,
	FLOW_BRANCH, /* here or at the target */
	FLOW_JUMP,
	FLOW_AWAY,  /* to an address that the instruction does not name: a tail call, or a stub */
	FLOW_TABLE, /* the same, through a table of this function's */
	FLOW_RETURN,
	FLOW_SYSCALL,
	FLOW_HALT, /* nowhere */
	FLOW_LOST  /* not known */
};

enum flow insn_flow(const struct insn *insn);

/* The target of a FLOW_BRANCH or FLOW_JUMP that ends at `end`. */
static inline uint64_t insn_target(const struct insn *insn, uint64_t end)
{
	return end + (uint64_t)insn->imm;
}

#endif

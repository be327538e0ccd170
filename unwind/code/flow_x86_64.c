/* The opcodes are those of the Intel manual, volume 2, appendix A. A jump through a table is told
 * from a tail call by its operand: an index register, or the prefix notrack. */
#include "unwind/code/insn_x86_64.h"

static enum flow flow_of_ff(const struct insn *insn)
{
	switch (insn->reg & 7) {
	case 2:
		return FLOW_CALL;
	case 4: /* through a table: a switch; otherwise a tail call or the stub of a PLT */
		return insn->notrack || insn->index != HW_NONE ? FLOW_TABLE : FLOW_AWAY;
	case 5:
		return FLOW_LOST;
	}
	return FLOW_ON;
}

enum flow insn_flow(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	if (insn->map == MAP_0F && !insn->vex)
		return op >= 0x80 && op <= 0x8f		      ? FLOW_BRANCH :
		       op == 0x05			      ? FLOW_SYSCALL :
		       op == 0x0b || op == 0xb9 || op == 0xff ? FLOW_HALT :
								FLOW_ON;
	if (insn->map != MAP_ONE)
		return FLOW_ON;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3))
		return FLOW_BRANCH;
	switch (op) {
	case 0xc2:
	case 0xc3:
		return FLOW_RETURN;
	case 0xe8:
		return FLOW_CALL;
	case 0xe9:
	case 0xeb:
		return FLOW_JUMP;
	case 0xf4:
	case 0xcc: /* hlt, int3 */
		return FLOW_HALT;
	case 0xca:
	case 0xcb:
	case 0xcf:
		return FLOW_LOST;
	case 0xff:
		return flow_of_ff(insn);
	}
	return FLOW_ON;
}

bool insn_makes_frame(const uint8_t *code, size_t len)
{
	enum { PUSH_RBP = 0x55 };
	struct insn mov;

	return len > 1 && code[0] == PUSH_RBP && !insn_decode(code + 1, len - 1, &mov) &&
	       insn_is_move(&mov, HW_RBP, HW_RSP);
}

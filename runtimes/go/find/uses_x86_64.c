/*
 * x86-64 code addresses a variable by its distance from the end of the instruction (Intel SDM
 * volume 2, 2.2.1.6 "RIP-Relative Addressing"). Go's compiler emits this in position-dependent
 * code, too. Opcodes: SDM volume 2, appendix A.
 */
#include "runtimes/go/find/uses.h"

#include "unwind/code/insn_x86_64.h"

static bool compares_with_number(const struct insn *i)
{
	return insn_is(i, 0x3c) || insn_is(i, 0x3d) || insn_is_digit(i, 0x80, INSN_CMP) ||
	       insn_is_digit(i, 0x81, INSN_CMP) || insn_is_digit(i, 0x83, INSN_CMP);
}

static enum gouse_kind uses_kind_of(const struct insn *i)
{
	if (compares_with_number(i))
		return GOUSE_COMPARE;
	if (i->map == MAP_0F) /* movzx, movsx */
		return (i->opcode & 0xf6) == 0xb6 ? GOUSE_LOAD : GOUSE_OTHER;
	if (i->map != MAP_ONE || i->vex)
		return GOUSE_OTHER;
	switch (i->opcode) {
	case 0x8d:
		return GOUSE_ADDRESS;
	case 0x8a:
	case 0x8b:
	case 0x63: /* movsxd */
		return GOUSE_LOAD;
	case 0x88:
	case 0x89:
	case 0xc6:
	case 0xc7:
		return GOUSE_STORE;
	default:
		return GOUSE_OTHER;
	}
}

size_t gouses_of_insn(const uint8_t *code, size_t len, uint64_t address, struct gouse *use)
{
	struct insn i;

	if (insn_decode(code, len, &i))
		return 1;
	use->number = i.imm;
	if (i.rip) {
		use->kind = uses_kind_of(&i);
		use->address = address + i.len + (uint64_t)(int64_t)i.disp;
	} else if (compares_with_number(&i) && !i.in_memory) {
		use->kind = GOUSE_NUMBER;
	}
	return i.len;
}

/*
 * Decodes the parts of an x86-64 instruction that matter for a stack: its length, its memory
 * operand, and the general registers that it may change.
 *
 * Not a disassembler. A caller that needs more looks at map and opcode (Intel SDM volume 2,
 * appendix A, "Opcode Map"; AVX and EVEX encodings, sections 2.3 and 2.7; XOP: AMD64 Architecture
 * Programmer's Manual volume 3, section 1.2.7).
 */
#ifndef UNWIND_CODE_INSN_X86_64_H
#define UNWIND_CODE_INSN_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/code/insn.h"

enum { INSN_LENGTH_MAX = 15 };

/* General registers by their number in instructions (SDM volume 2, table 3-1). */
enum {
	HW_RAX,
	HW_RCX,
	HW_RDX,
	HW_RBX,
	HW_RSP,
	HW_RBP,
	HW_RSI,
	HW_RDI,
	HW_R8,
	HW_R11 = 11,
	HW_COUNT = 16,
	HW_NONE = HW_COUNT /* no base, no index */
};

/* The opcode map: 0F, 0F 38 and 0F 3A lead to maps of their own. */
enum insn_map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_OTHER, MAP_XOP8, MAP_XOP9, MAP_XOPA };

struct insn {
	uint8_t len;
	uint8_t map;	/* enum insn_map */
	uint8_t opcode; /* last byte of the opcode */
	uint8_t rep;	/* prefix 0xf2 or 0xf3, also as a field of VEX; 0: neither */
	bool wide;	/* REX.W: operands of 64 bits */
	bool half;	/* prefix 66: operands of 16 bits */
	bool rex;	/* has any REX prefix: byte registers 4 to 7 are not ah to bh */
	bool vex;	/* VEX, EVEX or XOP: `third` is a register */
	bool notrack;	/* prefix 3E: marks an indirect jump through a table */
	bool has_modrm;
	bool in_memory;		/* the operand `rm` is memory: base + index * scale + disp */
	bool rip;		/* or the address is the end of the instruction + disp */
	uint8_t reg, rm, third; /* HW_ numbers; in some opcodes reg is a part of the opcode */
	uint8_t base, index;	/* HW_NONE: not used */
	int32_t disp;
	int64_t imm; /* immediate, or bytes from the instruction's end to a jump's target */
};

/* Decodes the instruction at the beginning of `code`. ERR_FORMAT: not an instruction; ERR_SHORT: it
 * does not end within the `len` bytes. */
int insn_decode(const uint8_t *code, size_t len, struct insn *insn);

/* The general registers that the instruction may change according to its operands, bit n for HW_n.
 * May report a register too many, never one too few. Not for instructions that move rsp implicitly:
 * push, pop, call, ret, enter, leave. */
uint32_t insn_changes(const struct insn *insn);

/* Digits of the opcodes 81 and 83, in place of a register (SDM volume 2, table A-6, group 1). */
enum { INSN_ADD = 0, INSN_SUB = 5 };

/* Is it `digit` rsp, insn->imm? */
static inline bool insn_is_of_rsp(const struct insn *insn, unsigned digit)
{
	return insn->map == MAP_ONE && (insn->opcode == 0x81 || insn->opcode == 0x83) &&
	       insn->wide && !insn->in_memory && insn->rm == HW_RSP && (insn->reg & 7) == digit;
}

#endif

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
	HW_R9,
	HW_R10,
	HW_R11,
	HW_R12,
	HW_R13,
	HW_R14,
	HW_R15,
	HW_COUNT,
	HW_NONE = HW_COUNT /* no base, no index */
};

/* The opcode map: 0F, 0F 38 and 0F 3A lead to maps of their own. */
enum insn_map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_OTHER, MAP_XOP8, MAP_XOP9, MAP_XOPA };

struct insn {
	uint8_t len;
	uint8_t map;		/* enum insn_map */
	uint8_t opcode;		/* last byte of the opcode */
	uint8_t rep;		/* prefix 0xf2 or 0xf3, also as a field of VEX; 0: neither */
	bool wide;		/* REX.W: operands of 64 bits */
	bool half;		/* prefix 66: operands of 16 bits */
	bool rex;		/* has any REX prefix: byte registers 4 to 7 are not ah to bh */
	bool vex;		/* VEX, EVEX or XOP: `third` is a register */
	bool notrack;		/* prefix 3E: marks an indirect jump through a table */
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

/* Where execution goes on after an instruction. */
enum flow {
	FLOW_ON,
	FLOW_CALL, /* on, if the called function returns */
	FLOW_SYSCALL,
	FLOW_BRANCH, /* on, or at the target */
	FLOW_JUMP,   /* at the target; this and all others do not go on behind the instruction */
	FLOW_AWAY,   /* at an address that it does not name: a tail call, or a stub */
	FLOW_TABLE,  /* the same, through a table of this function's */
	FLOW_RETURN,
	FLOW_HALT, /* nowhere */
	FLOW_LOST  /* not known */
};

enum flow insn_flow(const struct insn *insn);

static inline bool insn_goes_on(const struct insn *insn)
{
	return insn_flow(insn) <= FLOW_BRANCH;
}

/* The target of a FLOW_BRANCH, a FLOW_JUMP or a direct call that ends at `end`. */
static inline uint64_t insn_target(const struct insn *insn, uint64_t end)
{
	return end + (uint64_t)insn->imm;
}

/* Bytes of arguments that a FLOW_RETURN drops. */
static inline uint64_t insn_dropped(const struct insn *insn)
{
	return (uint16_t)insn->imm;
}

static inline bool insn_is(const struct insn *insn, uint8_t opcode)
{
	return insn->map == MAP_ONE && insn->opcode == opcode;
}

/* Is it that opcode with that digit in place of a register (SDM volume 2, table A-6)? */
static inline bool insn_is_digit(const struct insn *insn, uint8_t opcode, unsigned digit)
{
	return insn_is(insn, opcode) && (insn->reg & 7) == digit;
}

/* Is the operand in memory at the register `base` + disp? */
static inline bool insn_is_at(const struct insn *insn, unsigned base)
{
	return insn->in_memory && insn->base == base && insn->index == HW_NONE;
}

/* Is it mov to, from with 64 bits? */
static inline bool insn_is_move(const struct insn *insn, unsigned to, unsigned from)
{
	return insn->wide && !insn->in_memory &&
	       ((insn_is(insn, 0x89) && insn->rm == to && insn->reg == from) ||
		(insn_is(insn, 0x8b) && insn->reg == to && insn->rm == from));
}

/* Digits of the opcodes 81 and 83. */
enum { INSN_ADD = 0, INSN_AND = 4, INSN_SUB = 5, INSN_CMP = 7 };

/* Is it `digit` rsp, insn->imm? */
static inline bool insn_is_of_rsp(const struct insn *insn, unsigned digit)
{
	return (insn_is_digit(insn, 0x81, digit) || insn_is_digit(insn, 0x83, digit)) &&
	       insn->wide && !insn->in_memory && insn->rm == HW_RSP;
}

/* Does the code begin with push rbp; mov rbp, rsp? */
bool insn_makes_frame(const uint8_t *code, size_t len);

#endif

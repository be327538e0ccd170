/*
 * x86-64 instructions, as far as a stack is concerned: how long each is, what it
 * addresses, and which general registers it may change.
 *
 * Not a disassembler. What an instruction does beyond that is for its reader to know
 * by map and opcode (Intel SDM volume 2, appendix A, "Opcode Map"; AVX and EVEX
 * encodings, sections 2.3 and 2.7; XOP: AMD64 Architecture Programmer's Manual volume 3,
 * section 1.2.7).
 */
#ifndef UNWIND_INSN_X86_64_H
#define UNWIND_INSN_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/insn.h"

enum { INSN_LENGTH_MAX = 15 };

/* Registers by the number that instructions give them (SDM volume 2, table 3-1). */
enum {
	HW_RAX, HW_RCX, HW_RDX, HW_RBX, HW_RSP, HW_RBP, HW_RSI, HW_RDI,
	HW_R8, HW_R11 = 11,
	HW_COUNT = 16,
	HW_NONE = HW_COUNT /* no base, no index */
};

/* Operands' place: 0F, 0F 38 and 0F 3A lead to tables of their own. */
enum insn_map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_OTHER, MAP_XOP8, MAP_XOP9, MAP_XOPA };

struct insn {
	uint8_t len;
	uint8_t map;	 /* enum insn_map */
	uint8_t opcode;	 /* its last byte */
	uint8_t rep;	 /* 0xf2 or 0xf3 where it has that prefix, in VEX too, else 0 */
	bool wide;	 /* REX.W: operands of 64 bits */
	bool half;	 /* prefix 66: of 16 */
	bool rex;	 /* any REX prefix: byte registers 4 to 7 are not ah to bh */
	bool vex;	 /* VEX, EVEX or XOP: `third` is a register, too */
	bool notrack;	 /* prefix 3E: an indirect jump by a table */
	bool has_modrm;
	bool in_memory;	 /* the operand `rm` is memory: base + index * scale + disp */
	bool rip;	 /* ... or the instruction's end + disp */
	uint8_t reg, rm, third; /* HW_ numbers; reg is a part of the opcode in some */
	uint8_t base, index;	/* HW_NONE: none */
	int32_t disp;
	int64_t imm;	 /* the immediate or the jump's distance from the instruction's end */
};

/* The instruction that the bytes begin with. 0; ERR_FORMAT when they are none;
 * ERR_SHORT when it goes on beyond them. */
int insn_decode(const uint8_t *code, size_t len, struct insn *insn);

/* The general registers that it may change by what its operands say, bit n for HW_n:
 * rather one too many than one too few. Not meant for what moves rsp by itself: push,
 * pop, call, ret, enter, leave. */
uint32_t insn_changes(const struct insn *insn);

#endif

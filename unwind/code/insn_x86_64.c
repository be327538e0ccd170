/*
 * Two tables with a bit for each opcode tell which opcodes have a ModRM byte. Immediates and
 * changed registers follow few enough rules to be written as code.
 */
#include "unwind/code/insn_x86_64.h"

#include <string.h>

#include "base/error.h"

struct code_insn_reader {
	const uint8_t *code;
	size_t len, at;
	bool short_of; /* the bytes ended too early */
};

static uint8_t code_insn_next(struct code_insn_reader *r)
{
	if (r->at < r->len && r->at < INSN_LENGTH_MAX)
		return r->code[r->at++];
	r->short_of = true;
	return 0;
}

static int64_t code_insn_number(struct code_insn_reader *r, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)code_insn_next(r) << 8 * i;
	if (bytes && bytes < 8 && value >> (8 * bytes - 1))
		value |= ~0ull << 8 * bytes;
	return (int64_t)value;
}

/* Each table has a word for each high digit of the opcode, and in it a bit for each low digit. */

static bool in_table(const uint16_t table[16], uint8_t opcode)
{
	return table[opcode >> 4] >> (opcode & 15) & 1;
}

/* clang-format off */
static const uint16_t one_modrm[16] = {
	0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0, 0, 0x0a08, 0,
	0xfffb, 0, 0, 0, 0x00c3, 0xff0f, 0, 0xc0c0,
};

static const uint16_t one_invalid[16] = {
	0x40c0, 0xc0c0, 0x8080, 0x8080, 0, 0, 0x0007, 0,
	0x0004, 0x0400, 0, 0, 0x4030, 0x0070, 0x0400, 0,
};

static const uint16_t map_0f_no_modrm[16] = {
	0x4b60, 0, 0, 0x00bf, 0, 0, 0, 0x0080,
	0xffff, 0, 0x0707, 0, 0xff00, 0, 0, 0,
};

static const uint16_t map_0f_invalid[16] = {
	0x9410, 0, 0x00f0, 0xfa40, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
};
/* clang-format on */

/* True for a legacy prefix, which is noted in *insn. REX, which must be the last, is not one. */
static bool is_prefix(struct insn *insn, uint8_t byte)
{
	switch (byte) {
	case 0x66:
		insn->half = true;
		return true;
	case 0xf2:
	case 0xf3:
		insn->rep = byte;
		return true;
	case 0x3e:
		insn->notrack = true;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x64:
	case 0x65:
	case 0x67:
	case 0xf0:
		return true;
	}
	return false;
}

/* The bits that REX, VEX, EVEX and XOP add to the three registers of ModRM and SIB. */
struct extension {
	unsigned reg, index, base;
};

/* VEX (C5, C4), EVEX (62) and XOP (8F) hold prefix, map and a third register in one. Their register
 * bits are the complement of REX's. */
static void take_vex(struct insn *insn, struct code_insn_reader *r, uint8_t first,
		     struct extension *x)
{
	static const uint8_t rep[4] = { 0, 0, 0xf3, 0xf2 };
	uint8_t p0 = code_insn_next(r), last = p0, map = MAP_0F;

	if (first != 0xc5) {
		last = code_insn_next(r);
		map = p0 & (first == 0x62 ? 7 : 31);
	}
	if (first == 0x62)
		code_insn_next(r);
	*x = (struct extension){ ~(unsigned)p0 >> 4 & 8, 0, 0 };
	if (first != 0xc5)
		x->index = ~(unsigned)p0 >> 3 & 8, x->base = ~(unsigned)p0 >> 2 & 8;
	insn->vex = insn->rex = true;
	insn->wide = first != 0xc5 && last & 0x80;
	insn->third = ~last >> 3 & 15;
	if (first == 0x8f)
		insn->map = map <= 10 ? MAP_XOP8 + (map - 8) : MAP_OTHER;
	else
		insn->map = map >= MAP_0F && map <= MAP_0F3A ? map : MAP_OTHER;
	insn->rep = rep[last & 3];
	insn->half = (last & 3) == 1;
	insn->opcode = code_insn_next(r);
}

/* 8F is also pop. XOP has a map number of at least 8 in the bits where pop has a part of its
 * opcode, which is 0. */
static bool is_xop(const struct code_insn_reader *r)
{
	return r->at < r->len && (r->code[r->at] & 31) >= 8;
}

static void take_opcode(struct insn *insn, struct code_insn_reader *r, struct extension *x)
{
	uint8_t byte = code_insn_next(r);

	while (is_prefix(insn, byte))
		byte = code_insn_next(r);
	if ((byte & 0xf0) == 0x40) {
		insn->rex = true;
		insn->wide = byte & 8;
		*x = (struct extension){ (byte & 4) << 1, (byte & 2) << 2, (byte & 1) << 3 };
		byte = code_insn_next(r);
	}
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62 || (byte == 0x8f && is_xop(r))) {
		take_vex(insn, r, byte, x);
		return;
	}
	if (byte == 0x0f) {
		insn->map = MAP_0F;
		byte = code_insn_next(r);
		if (byte == 0x38 || byte == 0x3a) {
			insn->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
			byte = code_insn_next(r);
		}
	}
	insn->opcode = byte;
}

static bool is_invalid(const struct insn *insn)
{
	if (insn->vex)
		return false;
	return (insn->map == MAP_ONE && in_table(one_invalid, insn->opcode)) ||
	       (insn->map == MAP_0F && in_table(map_0f_invalid, insn->opcode));
}

static bool wants_modrm(const struct insn *insn)
{
	if (insn->map == MAP_ONE)
		return in_table(one_modrm, insn->opcode);
	if (insn->map == MAP_0F && insn->vex)
		return insn->opcode != 0x77; /* vzeroupper */
	return insn->map != MAP_0F || !in_table(map_0f_no_modrm, insn->opcode);
}

/* SDM volume 2, tables 2-2 and 2-3. */
static void take_modrm(struct insn *insn, struct code_insn_reader *r, const struct extension *x)
{
	uint8_t byte = code_insn_next(r), mod = byte >> 6;

	insn->reg = (byte >> 3 & 7) | x->reg;
	insn->rm = (byte & 7) | x->base;
	insn->in_memory = mod != 3;
	if (!insn->in_memory)
		return;
	insn->base = insn->rm;
	if ((byte & 7) == 4) {
		uint8_t sib = code_insn_next(r);

		insn->base = (sib & 7) | x->base;
		insn->index = (sib >> 3 & 7) | x->index;
		if (insn->index == HW_RSP)
			insn->index = HW_NONE;
	}
	if (mod == 0 && (insn->base & 7) == HW_RBP) {
		insn->rip = (byte & 7) == HW_RBP;
		insn->base = HW_NONE;
		mod = 2;
	}
	insn->disp = (int32_t)code_insn_number(r, mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static unsigned immediate_one(const struct insn *insn)
{
	unsigned z = insn->half ? 2 : 4;
	uint8_t op = insn->opcode;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? z : 0;
	if (op >= 0xb8 && op <= 0xbf)
		return insn->wide ? 8 : z;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe7))
		return 1;
	if (op >= 0xa0 && op <= 0xa3)
		return 8;
	/* clang-format off */
	switch (op) {
	case 0x6a: case 0x6b: case 0x80: case 0x83: case 0xa8: case 0xc0: case 0xc1: case 0xc6:
	case 0xcd: case 0xeb:
		return 1;
	case 0xc2: case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7:
		return z;
	case 0xe8: case 0xe9:
		return 4;
	case 0xf6:
		return (insn->reg & 7) < 2 ? 1 : 0;
	case 0xf7:
		return (insn->reg & 7) < 2 ? z : 0;
	}
	/* clang-format on */
	return 0;
}

static unsigned immediate(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	if (insn->map == MAP_ONE)
		return immediate_one(insn);
	if (insn->map == MAP_0F3A || insn->map == MAP_XOP8)
		return 1;
	if (insn->map == MAP_XOPA)
		return 4;
	if (insn->map != MAP_0F)
		return 0;
	if (op >= 0x80 && op <= 0x8f && !insn->vex)
		return 4;
	return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
	       (op >= 0xc4 && op <= 0xc6);
}

int insn_decode(const uint8_t *code, size_t len, struct insn *insn)
{
	struct code_insn_reader r = { .code = code, .len = len };
	struct extension x = { 0, 0, 0 };

	*insn = (struct insn){ .base = HW_NONE, .index = HW_NONE };
	take_opcode(insn, &r, &x);
	if (r.short_of)
		return len < INSN_LENGTH_MAX ? ERR_SHORT : ERR_FORMAT;
	if (is_invalid(insn))
		return ERR_FORMAT;
	if (wants_modrm(insn))
		take_modrm(insn, &r, &x);
	else
		insn->reg = (insn->opcode & 7) | x.base;
	insn->imm = code_insn_number(&r, immediate(insn));
	if (r.short_of)
		return len < INSN_LENGTH_MAX ? ERR_SHORT : ERR_FORMAT;
	insn->len = (uint8_t)r.at;
	return 0;
}

/* Changed registers. */

static uint32_t bit(uint8_t reg)
{
	return 1u << (reg & 15);
}

/* Without REX, byte registers 4 to 7 are the second bytes of rax, rcx, rdx, rbx. */
static uint32_t byte_bit(const struct insn *insn, uint8_t reg)
{
	return bit(!insn->rex && reg >= 4 ? reg - 4 : reg);
}

static uint32_t reg_bit(const struct insn *insn, bool bytes)
{
	return bytes ? byte_bit(insn, insn->reg) : bit(insn->reg);
}

static uint32_t rm_bit(const struct insn *insn, bool bytes)
{
	if (insn->in_memory)
		return 0;
	return bytes ? byte_bit(insn, insn->rm) : bit(insn->rm);
}

static uint32_t changes_arithmetic(const struct insn *insn)
{
	uint8_t kind = insn->opcode & 7;

	if (insn->opcode >= 0x38) /* cmp */
		return 0;
	if (kind >= 4)
		return 1 << HW_RAX;
	return kind < 2 ? rm_bit(insn, !(kind & 1)) : reg_bit(insn, !(kind & 1));
}

enum {
	STRING = 1 << HW_RSI | 1 << HW_RDI | 1 << HW_RCX | 1 << HW_RAX,
	RAX_RDX = 1 << HW_RAX | 1 << HW_RDX,
};

static uint32_t changes_one(const struct insn *insn)
{
	uint8_t op = insn->opcode, digit = insn->reg & 7;
	bool bytes = !(op & 1);

	if (op < 0x40)
		return changes_arithmetic(insn);
	if ((op >= 0xb0 && op <= 0xb7) || (op >= 0xb8 && op <= 0xbf))
		return op < 0xb8 ? byte_bit(insn, insn->reg) : bit(insn->reg);
	if (op >= 0x90 && op <= 0x97)
		return op == 0x90 && !insn->reg ? 0 : 1 << HW_RAX | bit(insn->reg);
	if ((op >= 0x6c && op <= 0x6f) || (op >= 0xa4 && op <= 0xaf))
		return op == 0xa8 || op == 0xa9 ? 0 : STRING;
	if (op >= 0xd8 && op <= 0xdf)
		return 1 << HW_RAX; /* fnstsw */
	/* clang-format off */
	switch (op) {
	case 0x63: case 0x69: case 0x6b: case 0x8b: case 0x8d:
		return bit(insn->reg);
	case 0x8a:
		return byte_bit(insn, insn->reg);
	case 0x80: case 0x81: case 0x83:
		return digit == 7 ? 0 : rm_bit(insn, bytes);
	case 0x86: case 0x87:
		return rm_bit(insn, bytes) | reg_bit(insn, bytes);
	case 0x88: case 0x89: case 0xc0: case 0xc1: case 0xc6: case 0xc7: case 0xd0: case 0xd1:
	case 0xd2: case 0xd3: case 0xfe:
		return rm_bit(insn, bytes);
	case 0xff:
		return digit < 2 ? rm_bit(insn, false) : 0;
	case 0x8c: case 0x8f:
		return rm_bit(insn, false);
	case 0x98: case 0x99: case 0x9f: case 0xa0: case 0xa1: case 0xd7:
	case 0xe4: case 0xe5: case 0xec: case 0xed:
		return RAX_RDX;
	case 0xe0: case 0xe1: case 0xe2:
		return 1 << HW_RCX;
	case 0xf6: case 0xf7:
		return digit < 2 ? 0 : digit < 4 ? rm_bit(insn, bytes) : RAX_RDX;
	}
	/* clang-format on */
	return 0;
}

static uint32_t changes_0f_system(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x00:
	case 0x01: /* smsw, xgetbv, rdtscp */
		return RAX_RDX | 1 << HW_RCX | (insn->reg == 4 ? rm_bit(insn, false) : 0);
	case 0x05: /* syscall */
		return 1 << HW_RAX | 1 << HW_RCX | 1 << HW_R11;
	case 0x31:
	case 0x32:
	case 0x33:
		return RAX_RDX;
	case 0x1e: /* rdsspq; other encodings are endbr64 and nops */
		return insn->rep == 0xf3 && (insn->reg & 7) == 1 ? rm_bit(insn, false) : 0;
	case 0xa2: /* cpuid */
		return RAX_RDX | 1 << HW_RCX | 1 << HW_RBX;
	case 0xae: /* rdfsbase */
		return insn->rep == 0xf3 && (insn->reg & 7) < 2 ? rm_bit(insn, false) : 0;
	case 0xc7: /* cmpxchg16b, rdrand */
		return insn->in_memory ? RAX_RDX : rm_bit(insn, false);
	}
	return 0;
}

static uint32_t changes_0f(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	if (insn->vex && (op < 0x50 || op >= 0x78) && op != 0x2c && op != 0x2d && op != 0x78 &&
	    op != 0x79 && op != 0x7e && op != 0x93 && op != 0xc5 && op != 0xd7)
		return 0;
	if ((op >= 0x40 && op <= 0x50) || (op >= 0xc8 && op <= 0xcf))
		return bit(insn->reg);
	if (op >= 0x90 && op <= 0x9f)
		return op == 0x93 && insn->vex ? bit(insn->reg) : rm_bit(insn, true);
	/* clang-format off */
	switch (op) {
	case 0x02: case 0x03: case 0xaf: case 0xb6: case 0xb7: case 0xb8: case 0xbc: case 0xbd:
	case 0xbe: case 0xbf: case 0xc5: case 0xd7:
		return bit(insn->reg);
	case 0x2c: case 0x2d: case 0x78: case 0x79: /* with F2, F3: scalar; else vector */
		return insn->rep ? bit(insn->reg) : 0;
	case 0x7e:
		return insn->rep ? 0 : rm_bit(insn, false);
	case 0xa4: case 0xa5: case 0xab: case 0xac: case 0xad: case 0xb3: case 0xbb:
		return rm_bit(insn, false);
	case 0xba:
		return (insn->reg & 7) == 4 ? 0 : rm_bit(insn, false);
	case 0xb0: case 0xb1:
		return 1 << HW_RAX | rm_bit(insn, op == 0xb0);
	case 0xc0: case 0xc1:
		return rm_bit(insn, op == 0xc0) | reg_bit(insn, op == 0xc0);
	}
	/* clang-format on */
	return changes_0f_system(insn);
}

static uint32_t changes_0f38(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0xf0:
	case 0xf1: /* movbe, crc32 */
		return insn->vex ? 0 : bit(insn->reg) | rm_bit(insn, false);
	case 0xf2:
	case 0xf5:
	case 0xf7:
		return insn->vex ? bit(insn->reg) : 0;
	case 0xf3:
		return insn->vex ? bit(insn->third) : 0;
	case 0xf6: /* adcx, mulx */
		return bit(insn->reg) | (insn->vex ? bit(insn->third) : 0);
	}
	return 0;
}

static uint32_t changes_0f3a(const struct insn *insn)
{
	uint8_t op = insn->opcode;

	if (op >= 0x14 && op <= 0x17) /* pextrb to extractps */
		return rm_bit(insn, false);
	if (op == 0x61 || op == 0x63) /* pcmpestri, pcmpistri */
		return 1 << HW_RCX;
	return op == 0xf0 && insn->vex ? bit(insn->reg) : 0; /* rorx */
}

uint32_t insn_changes(const struct insn *insn)
{
	switch (insn->map) {
	case MAP_ONE:
		return changes_one(insn);
	case MAP_0F:
		return changes_0f(insn);
	case MAP_0F38:
		return changes_0f38(insn);
	case MAP_0F3A:
		return changes_0f3a(insn);
	case MAP_XOP9: /* instructions that clear and set low bits */
		return insn->opcode <= 2 ? bit(insn->third) : 0;
	case MAP_XOPA: /* bextr */
		return insn->opcode == 0x10 ? bit(insn->reg) : 0;
	}
	return 0;
}

/* A call is E8 and a distance, or FF with 2 in the middle of its second byte and an operand: 2 to 7
 * bytes together, 8 with REX. */
bool insn_call_ends(const uint8_t *end, size_t len, int64_t *target)
{
	struct insn insn;

	*target = 0;
	for (size_t n = 2; n <= 8 && n <= len; n++) {
		if (insn_decode(end - n, n, &insn) || insn.len != n ||
		    insn_flow(&insn) != FLOW_CALL)
			continue;
		*target = insn_is(&insn, 0xe8) ? insn.imm : 0;
		return true;
	}
	return false;
}

bool insn_calls(const uint8_t *end, size_t len, int64_t distance)
{
	int64_t target;
	int32_t rel32;

	if (len < sizeof(rel32))
		return false;
	memcpy(&rel32, end - sizeof(rel32), sizeof(rel32));
	return rel32 == distance && insn_call_ends(end, len, &target) && target == distance;
}

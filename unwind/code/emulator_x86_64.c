/* An instruction is matched by its opcode map and opcode, the wide ones first. Stores are kept in a
 * short list, newest last, and a read that overlaps one in part is unknown. */
#include "unwind/code/emulator.h"

#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/table/regs.h"

/* DWARF numbers the first eight registers differently (System V ABI, AMD64, figure 3.36). */
static const uint8_t dwarf_of[HW_COUNT] = {
	DWARF_RAX, DWARF_RCX, DWARF_RDX, DWARF_RBX, DWARF_RSP, DWARF_RBP, DWARF_RSI, DWARF_RDI,
	DWARF_R8,  DWARF_R9,  DWARF_R10, DWARF_R11, DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15,
};

unsigned emulator_dwarf(unsigned reg)
{
	return dwarf_of[reg];
}

void emulator_load(struct emulator *m, const struct regs *regs, uint32_t valid,
		   const struct memory *memory)
{
	m->known = 0;
	m->store_count = 0;
	m->called = false;
	m->memory = memory;
	m->pc = regs->r[DWARF_RIP];
	for (unsigned i = 0; i < HW_COUNT; i++) {
		m->r[i] = regs->r[dwarf_of[i]];
		m->known |= (valid >> dwarf_of[i] & 1) << i;
	}
}

uint32_t emulator_unload(const struct emulator *m, struct regs *regs)
{
	uint32_t valid = 0;

	for (unsigned i = 0; i < HW_COUNT; i++) {
		regs->r[dwarf_of[i]] = m->r[i];
		valid |= (m->known >> i & 1) << dwarf_of[i];
	}
	return valid;
}

static void emulator_set(struct emulator *m, unsigned reg, bool known, uint64_t value)
{
	m->r[reg] = value;
	m->known = known ? m->known | 1u << reg : m->known & ~(1u << reg);
}

static void emulator_forget(struct emulator *m, uint32_t regs)
{
	m->known &= ~regs;
}

/* Memory. */

int emulator_read(const struct emulator *m, uint64_t addr, uint64_t *value)
{
	for (unsigned i = m->store_count; i-- > 0;)
		if (m->stores[i].addr - addr + 7 < 15) { /* they overlap */
			*value = m->stores[i].value;
			return m->stores[i].addr == addr && m->stores[i].known ? 0 : ERR_FORMAT;
		}
	return m->memory ? memory_read_u64(m->memory, addr, value) : ERR_FORMAT;
}

/* The newest store is the last in the array, since it may overlap older ones. */
static bool store(struct emulator *m, uint64_t addr, bool known, uint64_t value)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < m->store_count; i++)
		if (m->stores[i].addr != addr)
			m->stores[kept++] = m->stores[i];
	m->store_count = kept;
	if (kept == EMULATOR_STORES)
		return false;
	m->stores[m->store_count++] = (struct emulator_store){ addr, value, known };
	return true;
}

static void emulator_load_register(struct emulator *m, unsigned reg, uint64_t addr)
{
	uint64_t value = 0;
	bool known = emulator_read(m, addr, &value) == 0;

	emulator_set(m, reg, known, value);
}

/* Only addresses made from one base register are followed. Other operands (tables, globals) are not
 * on the stack. */
static bool emulator_address_of(const struct emulator *m, const struct insn *insn, uint64_t *addr)
{
	if (!insn->in_memory || insn->rip || insn->index != HW_NONE || insn->base == HW_NONE ||
	    !emulator_knows(m, insn->base))
		return false;
	*addr = m->r[insn->base] + (uint64_t)(int64_t)insn->disp;
	return true;
}

/* The stack. */

static bool emulator_push(struct emulator *m, bool known, uint64_t value)
{
	if (!emulator_knows(m, HW_RSP))
		return true;
	m->r[HW_RSP] -= 8;
	return store(m, m->r[HW_RSP], known, value);
}

static void emulator_pop(struct emulator *m, unsigned reg)
{
	uint64_t sp = m->r[HW_RSP];

	if (!emulator_knows(m, HW_RSP)) {
		emulator_forget(m, 1u << reg);
		return;
	}
	m->r[HW_RSP] = sp + 8;
	emulator_load_register(m, reg, sp);
}

static bool emulator_push_memory(struct emulator *m, const struct insn *insn)
{
	uint64_t addr, value = 0;
	bool known = emulator_address_of(m, insn, &addr) && emulator_read(m, addr, &value) == 0;

	return emulator_push(m, known, value);
}

static void emulator_drop(struct emulator *m)
{
	m->r[HW_RSP] += 8;
}

/* rsp is moved before the operand's address is made from it (SDM volume 2, POP). */
static bool emulator_pop_memory(struct emulator *m, const struct insn *insn)
{
	uint64_t addr, value = 0;
	bool known = emulator_knows(m, HW_RSP) && emulator_read(m, m->r[HW_RSP], &value) == 0;

	emulator_drop(m);
	return !emulator_address_of(m, insn, &addr) || store(m, addr, known, value);
}

static void emulator_leave(struct emulator *m)
{
	emulator_set(m, HW_RSP, emulator_knows(m, HW_RBP), m->r[HW_RBP]);
	emulator_pop(m, HW_RBP);
}

/* Moves and sums of 64 bits. */

static bool emulator_move(struct emulator *m, const struct insn *insn, bool to_rm)
{
	unsigned from = to_rm ? insn->reg : insn->rm, to = to_rm ? insn->rm : insn->reg;
	uint64_t addr;

	if (!insn->in_memory) {
		emulator_set(m, to, emulator_knows(m, from), m->r[from]);
		return true;
	}
	if (emulator_address_of(m, insn, &addr)) {
		if (to_rm)
			return store(m, addr, emulator_knows(m, insn->reg), m->r[insn->reg]);
		emulator_load_register(m, insn->reg, addr);
	} else if (!to_rm) {
		emulator_forget(m, 1u << insn->reg);
	}
	return true;
}

static void exchange(struct emulator *m, unsigned a, unsigned b)
{
	uint64_t value = m->r[a];
	bool known = emulator_knows(m, a);

	emulator_set(m, a, emulator_knows(m, b), m->r[b]);
	emulator_set(m, b, known, value);
}

/* As prologues and epilogues use it. */
static void arithmetic_immediate(struct emulator *m, const struct insn *insn)
{
	uint64_t *value = &m->r[insn->rm], imm = (uint64_t)insn->imm;

	switch (insn->reg & 7) {
	case INSN_ADD:
		*value += imm;
		break;
	case INSN_AND:
		*value &= imm;
		break;
	case INSN_SUB:
		*value -= imm;
		break;
	default:
		emulator_forget(m, insn_changes(insn));
	}
}

static void arithmetic(struct emulator *m, const struct insn *insn)
{
	bool to_rm = !(insn->opcode & 2), minus = insn->opcode & 0x20;
	unsigned to = to_rm ? insn->rm : insn->reg, from = to_rm ? insn->reg : insn->rm;
	uint64_t sum = minus ? m->r[to] - m->r[from] : m->r[to] + m->r[from];

	if (insn->in_memory)
		emulator_forget(m, insn_changes(insn));
	else
		emulator_set(m, to, emulator_knows(m, to) && emulator_knows(m, from), sum);
}

static void load_address(struct emulator *m, const struct insn *insn)
{
	uint64_t addr;
	bool known = emulator_address_of(m, insn, &addr);

	emulator_set(m, insn->reg, known, known ? addr : 0);
}

/* Loads a number into a register: the number of a system call, or how much stack to take. */
static void load_number(struct emulator *m, const struct insn *insn)
{
	uint64_t imm = (uint64_t)insn->imm;

	if (insn->half)
		emulator_forget(m, 1u << insn->reg);
	else
		emulator_set(m, insn->reg, true, insn->wide ? imm : (uint32_t)imm);
}

static void load_low_byte(struct emulator *m, const struct insn *insn)
{
	if (!insn->rex && insn->reg >= 4)
		emulator_forget(m, insn_changes(insn));
	else
		m->r[insn->reg] = (m->r[insn->reg] & ~0xffull) | (insn->imm & 0xff);
}

static void load_number_extended(struct emulator *m, const struct insn *insn)
{
	uint64_t imm = (uint64_t)insn->imm;

	if (!insn->in_memory && !insn->half)
		emulator_set(m, insn->rm, true, insn->wide ? imm : (uint32_t)imm);
}

/* Simulates the instructions with 64-bit operands. False: not one of them. */
static bool emulator_execute_wide(struct emulator *m, const struct insn *insn, bool *ok)
{
	switch (insn->opcode) {
	case 0x01:
	case 0x03:
	case 0x29:
	case 0x2b:
		arithmetic(m, insn);
		return true;
	case 0x81:
	case 0x83:
		if (insn->in_memory)
			return false;
		arithmetic_immediate(m, insn);
		return true;
	case 0x87:
		if (insn->in_memory)
			return false;
		exchange(m, insn->reg, insn->rm);
		return true;
	case 0x89:
	case 0x8b:
		*ok = emulator_move(m, insn, insn->opcode == 0x89);
		return true;
	case 0x8d:
		load_address(m, insn);
		return true;
	}
	return false;
}

static bool emulator_after_call(struct emulator *m, const struct insn *insn)
{
	if (insn->opcode == 0xe8 && insn->imm == 0) /* a call of the next instruction */
		return emulator_push(m, true, m->pc);
	emulator_forget(m, ~(uint32_t)HW_PRESERVED);
	m->called = true;
	return true;
}

/* Simulates what moves rsp implicitly, and loads of numbers. False: not one of them. */
static bool emulator_execute_any(struct emulator *m, const struct insn *insn, bool *ok)
{
	switch (insn->opcode) {
	case 0x50 ... 0x57:
		*ok = emulator_push(m, emulator_knows(m, insn->reg), m->r[insn->reg]);
		return true;
	case 0x58 ... 0x5f:
		emulator_pop(m, insn->reg);
		return true;
	case 0x68:
	case 0x6a:
		*ok = emulator_push(m, true, (uint64_t)insn->imm);
		return true;
	case 0x9c:
		*ok = emulator_push(m, false, 0);
		return true;
	case 0x8f:
		if (insn->in_memory)
			*ok = emulator_pop_memory(m, insn);
		else
			emulator_pop(m, insn->rm);
		return true;
	case 0x9d:
		emulator_drop(m);
		return true;
	case 0xc8:
		emulator_forget(m, 1 << HW_RSP | 1 << HW_RBP);
		return true;
	case 0xc9:
		emulator_leave(m);
		return true;
	case 0xe8:
		*ok = emulator_after_call(m, insn);
		return true;
	case 0xff:
		if ((insn->reg & 7) == 2)
			*ok = emulator_after_call(m, insn);
		else if ((insn->reg & 7) == 6)
			*ok = emulator_push_memory(m, insn);
		else
			return false;
		return true;
	case 0x31:
	case 0x33:
		if (insn->in_memory || insn->reg != insn->rm || insn->half)
			return false;
		emulator_set(m, insn->reg, true, 0);
		return true;
	case 0xb0 ... 0xb7:
		load_low_byte(m, insn);
		return true;
	case 0xb8 ... 0xbf:
		load_number(m, insn);
		return true;
	case 0xc7:
		load_number_extended(m, insn);
		return true;
	}
	return false;
}

bool emulator_execute(struct emulator *m, const struct insn *insn)
{
	bool ok = true;

	if (insn->map == MAP_ONE && ((insn->wide && emulator_execute_wide(m, insn, &ok)) ||
				     emulator_execute_any(m, insn, &ok)))
		return ok;
	if (insn->map == MAP_0F && !insn->vex && (insn->opcode == 0xa0 || insn->opcode == 0xa8))
		return emulator_push(m, false, 0);
	if (insn->map == MAP_0F && !insn->vex && (insn->opcode == 0xa1 || insn->opcode == 0xa9))
		emulator_drop(m);
	else
		emulator_forget(m, insn_changes(insn));
	return true;
}

/* and with an immediate, and mov to the low byte. */
static bool computes_bits(const struct insn *insn)
{
	return insn_is_digit(insn, 0x81, INSN_AND) || insn_is_digit(insn, 0x83, INSN_AND) ||
	       (insn->map == MAP_ONE && insn->opcode >= 0xb0 && insn->opcode <= 0xb7);
}

void emulator_execute_distances(struct emulator_distances *d, const struct insn *insn, uint64_t pc)
{
	struct emulator m;

	if (computes_bits(insn)) {
		d->known &= ~insn_changes(insn);
		return;
	}
	memcpy(m.r, d->r, sizeof(m.r));
	m.known = d->known;
	m.pc = pc;
	m.called = false;
	m.store_count = 0;
	m.memory = NULL;
	emulator_execute(&m, insn);
	memcpy(d->r, m.r, sizeof(m.r));
	d->known = m.known;
}

/*
 * A step where no CFI says how, on aarch64. Two kinds of code are known by what they do:
 *
 * The trampoline that a signal's handler returns to. It is in the vDSO, whose CFI leads
 * to the frame record only (arch/arm64/kernel/vdso/sigreturn.S says why), or in a C
 * library that has none for it. gdb and libgcc know it by its two instructions, so
 * these never change.
 *
 * The entries of a procedure linkage table (.plt, .iplt) load an address and jump there:
 *
 *	[bti c]; adrp x16; ldr x17, [x16]; add x16, x16; [autia1716]; br x17
 *
 * They touch neither sp nor x30. The table's first entry, which binds a function at its
 * first call, begins with "stp x16, x30, [sp, #-16]!". Linkers write no CFI for them
 * (binutils' bfd/elfnn-aarch64.c, lld's ELF/Arch/AArch64.cpp), and sections have names
 * only in files that nobody has stripped of them.
 *
 * All other code ends the walk. Rejected: the frame pointer. Whether a function has
 * made its frame record yet cannot be told without reading its code, and what is done
 * for x86-64 (forward_x86_64.c) has no counterpart here.
 */
#include <string.h>

#include "base/error.h"
#include "target/memory.h"
#include "unwind/codebytes.h"
#include "unwind/step.h"

enum {
	WORD = 4,
	AROUND = 5, /* instructions that a stub has before or behind one of its own */
	/* The trampoline's sp points to struct rt_sigframe (arch/arm64/kernel/signal.c): a
	 * siginfo, and in its ucontext x0 to x30, sp and pc, as struct regs has them. */
	SIGFRAME_REGS = 128 + 176 + 8,
};

static const uint32_t MOV_X8_139 = 0xd2801168, SVC = 0xd4000001, BR_X17 = 0xd61f0220,
		      STP_X16_X30 = 0xa9bf7bf0;

/* The instruction so many after the one at an address; 0 where there is none. */
static uint32_t word_at(struct codebytes *code, uint64_t addr, int index)
{
	uint32_t word;

	addr += (uint64_t)(int64_t)(index * WORD);
	return codebytes_read(code, addr, &word, WORD) == WORD ? word : 0;
}

bool code_is_restorer(struct codebytes *code, uint64_t pc)
{
	uint32_t word = word_at(code, pc, 0);

	return (word == MOV_X8_139 && word_at(code, pc, 1) == SVC) ||
	       (word == SVC && word_at(code, pc, -1) == MOV_X8_139);
}

int step_from_restorer(struct walk *w)
{
	int rc = w->memory->read(w->memory, w->regs.r[DWARF_SP] + SIGFRAME_REGS, w->regs.r,
				 (DWARF_PC + 1) * sizeof(w->regs.r[0]));

	if (rc)
		return step_end_of_read(rc);
	w->valid = REGS_ALL;
	w->source = FRAME_BY_CODE;
	return STEP_ON;
}

/* An instruction of a stub, its last one apart. */
static bool is_part(uint32_t word)
{
	return (word & 0x9f00001f) == 0x90000010 || /* adrp x16 */
	       (word & 0xffc003ff) == 0xf9400211 || /* ldr x17, [x16, …] */
	       (word & 0xffc003ff) == 0x91000210 || /* add x16, x16, … */
	       word == 0xd503245f ||		    /* bti c */
	       word == 0xd503219f || word == 0xd50321df || /* autia1716, autib1716 */
	       word == STP_X16_X30;
}

static bool is_stub(struct codebytes *code, uint64_t pc)
{
	int i = 0;

	while (i < AROUND && is_part(word_at(code, pc, i)))
		i++;
	return word_at(code, pc, i) == BR_X17;
}

static bool has_pushed(struct codebytes *code, uint64_t pc)
{
	for (int i = -1; i >= -AROUND; i--) {
		uint32_t word = word_at(code, pc, i);

		if (!is_part(word))
			return false;
		if (word == STP_X16_X30)
			return true;
	}
	return false;
}

/* Nothing in a stub makes calls, so there is one in the innermost frame only, or where a
 * signal has come. */
int step_by_guess(struct walk *w)
{
	uint64_t pc = w->regs.r[DWARF_PC], sp = w->regs.r[DWARF_SP], ra = w->regs.r[DWARF_RA];
	bool pushed = has_pushed(w->code, pc);
	int rc = 0;

	if (w->kind == FRAME_RETURN || !is_stub(w->code, pc))
		return STACK_NO_UNWIND_INFO;
	if (pushed)
		rc = memory_read_u64(w->memory, sp + 8, &ra);
	else if (!(w->valid >> DWARF_RA & 1))
		return STACK_NO_UNWIND_INFO;
	if (rc)
		return step_end_of_read(rc);
	w->regs.r[DWARF_SP] = sp + (pushed ? 16 : 0);
	w->valid &= CALLEE_SAVED | CALLER_KNOWS;
	w->source = FRAME_BY_CODE;
	step_arrive(w, ra);
	return STEP_ON;
}

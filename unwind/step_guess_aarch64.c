/*
 * A step on aarch64 where there is no CFI. Two kinds of code are recognized by their instructions:
 *
 * The trampoline that a signal handler returns to. It is in the vDSO, where CFI leads to the frame
 * record only (arch/arm64/kernel/vdso/sigreturn.S says why), or in a C library that has no CFI for
 * it. gdb and libgcc recognize it by its two instructions, so these never change.
 *
 * The entries of a procedure linkage table (.plt, .iplt) load an address and jump there:
 *
 *	[bti c]; adrp x16; ldr x17, [x16]; add x16, x16; [autia1716]; br x17
 *
 * They change neither sp nor x30. The table's first entry, which binds a function at its first
 * call, begins with "stp x16, x30, [sp, #-16]!". Linkers write no CFI for them (binutils'
 * bfd/elfnn-aarch64.c, lld's ELF/Arch/AArch64.cpp), and a stripped file may have no section names
 * to recognize them by.
 *
 * All other code ends the walk. Rejected: the frame pointer. Without reading its code it is not
 * possible to tell whether a function has made its frame record yet, and forward_x86_64.c has no
 * counterpart for aarch64.
 */

#include "base/error.h"
#include "base/process/memory.h"
#include "unwind/code/codebytes.h"
#include "unwind/step.h"

enum {
	WORD = 4,
	AROUND = 5, /* a stub's instruction has at most so many others before it or after it */
	/* At the trampoline, sp points to struct rt_sigframe (arch/arm64/kernel/signal.c): a
	 * siginfo, then the ucontext with x0 to x30, sp and pc in the order of struct regs. */
	SIGFRAME_REGS = 128 + 176 + 8,
};

static const uint32_t MOV_X8_139 = 0xd2801168, SVC = 0xd4000001, BR_X17 = 0xd61f0220,
		      STP_X16_X30 = 0xa9bf7bf0;

/* The instruction `index` words after address `addr`; 0 where there is none. */
static uint32_t step_guess_word_at(struct codebytes *code, uint64_t addr, int index)
{
	uint32_t word;

	addr += (uint64_t)(int64_t)(index * WORD);
	return codebytes_read(code, addr, &word, WORD) == WORD ? word : 0;
}

/* What is restored is restored by one instruction with sp, and its rules say so. */
bool code_is_leaving(struct codebytes *code, uint64_t pc)
{
	(void)code;
	(void)pc;
	return false;
}

bool code_is_restorer(struct codebytes *code, uint64_t pc)
{
	uint32_t word = step_guess_word_at(code, pc, 0);

	return (word == MOV_X8_139 && step_guess_word_at(code, pc, 1) == SVC) ||
	       (word == SVC && step_guess_word_at(code, pc, -1) == MOV_X8_139);
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

/* True for any instruction of a stub except its last one. */
static bool is_part(uint32_t word)
{
	return (word & 0x9f00001f) == 0x90000010 ||	   /* adrp x16 */
	       (word & 0xffc003ff) == 0xf9400211 ||	   /* ldr x17, [x16, …] */
	       (word & 0xffc003ff) == 0x91000210 ||	   /* add x16, x16, … */
	       word == 0xd503245f ||			   /* bti c */
	       word == 0xd503219f || word == 0xd50321df || /* autia1716, autib1716 */
	       word == STP_X16_X30;
}

static bool is_stub(struct codebytes *code, uint64_t pc)
{
	int i = 0;

	while (i < AROUND && is_part(step_guess_word_at(code, pc, i)))
		i++;
	return step_guess_word_at(code, pc, i) == BR_X17;
}

static bool has_pushed(struct codebytes *code, uint64_t pc)
{
	for (int i = -1; i >= -AROUND; i--) {
		uint32_t word = step_guess_word_at(code, pc, i);

		if (!is_part(word))
			return false;
		if (word == STP_X16_X30)
			return true;
	}
	return false;
}

/* There is no forward reading. */
int step_by_reading(struct walk *w)
{
	(void)w;
	return STACK_NO_UNWIND_INFO;
}

/* A stub makes no calls, so it can only be the innermost frame or one that a signal interrupted. */
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

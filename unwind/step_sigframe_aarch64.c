/*
 * A step through a signal's frame, by its layout (arch/arm64/kernel/signal.c). The
 * trampoline is in the vDSO, whose CFI leads to the frame record only (and says why:
 * arch/arm64/kernel/vdso/sigreturn.S), or in a C library that has no CFI for it. gdb and
 * libgcc know it by its two instructions, so it never changes.
 */
#include "target/memory.h"
#include "unwind/step.h"

int step_by_sigframe(struct walk *w)
{
	int rc = w->memory->read(w->memory, w->regs.r[DWARF_SP] + SIGFRAME_REGS, w->regs.r,
				 (DWARF_PC + 1) * sizeof(w->regs.r[0]));

	if (rc)
		return step_end_of_read(rc);
	w->valid = REGS_ALL;
	return STEP_ON;
}

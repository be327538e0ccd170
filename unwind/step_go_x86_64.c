/*
 * A step by Go's pclntab, and from one stack of a Go thread to another.
 *
 * The caller of an ordinary function is found from the stack pointer alone, as in Go's own
 * tracebacks (runtime/traceback.go). Go's tracebacks end where the runtime has set the stack
 * pointer by hand. There the walk continues with what the runtime keeps for going back:
 *
 *   systemstack, mcall, morestack   from g0 to the goroutine, by its g.sched
 *   asmcgocall                      C code runs on g0's stack, which holds what leads back
 *   cgocallback                     C has called Go: from the goroutine to C's frames on g0's
 *                                   stack, which in the end lead to asmcgocall
 *   nanotime1, sigfwd, …            a register that C preserves has the stack pointer
 *   sigreturn                       the kernel has left all registers on the stack
 *
 * Every walk still ends: it never goes down on a stack, and each return to the goroutine's stack
 * goes up. A thread may be interrupted in the middle of such a function. Then the stack pointer
 * tells what the runtime has not saved yet. Sources: runtime/asm_amd64.s,
 * runtime/sys_linux_amd64.s, Go 1.16 to 1.26.
 *
 * Rejected: frame pointers. Go keeps them, but not in all assembly; they skip the callers of leaf
 * functions and do not lead across any of these changes of stack.
 */
#include "base/process/memory.h"
#include "unwind/gostacks.h"
#include "unwind/step.h"

enum { ALIGNED_MAX = 96 /* bytes, at most, for aligning the stack pointer for C, with room */ };

static uint64_t *sp_of(struct walk *w)
{
	return &w->regs.r[DWARF_RSP];
}

static bool known(const struct walk *w)
{
	return w->go.stacks && w->go.stacks->known;
}

static bool on_goroutine(const struct walk *w)
{
	return known(w) && go_stack_holds(&w->go.stacks->goroutine, w->regs.r[DWARF_RSP]);
}

/* Restores the caller's frame pointer. It is at its place on the stack if our frame pointer points
 * there, or if the function has made a call (not `exact`). Otherwise our frame pointer is still the
 * caller's. */
static void restore_frame_pointer(struct walk *w, uint64_t frame, bool exact)
{
	const struct go_code *go = &w->at->go;
	uint64_t *rbp = &w->regs.r[DWARF_RBP];
	bool valid = w->valid >> DWARF_RBP & 1, saved = false;

	if (go->depth) {
		saved = valid && *rbp == frame - 16;
		valid = saved || (exact ? valid : !go->assembly);
		saved |= !exact;
	}
	if (valid && saved)
		valid = !memory_read_u64(w->memory, frame - 16, rbp);
	w->valid = 1u << DWARF_RSP | 1u << DWARF_RIP | (uint32_t)valid << DWARF_RBP;
}

/* A step to the caller's frame on the same stack. */
static int to_caller(struct walk *w, bool exact)
{
	uint64_t frame = *sp_of(w) + (uint64_t)(int64_t)w->at->go.depth + 8, pc;
	int rc = memory_read_u64(w->memory, frame - 8, &pc);

	if (rc)
		return step_end_of_read(rc);
	if (!pc)
		return STACK_NO_UNWIND_INFO;
	restore_frame_pointer(w, frame, exact);
	*sp_of(w) = frame;
	w->regs.r[DWARF_RIP] = pc;
	return STEP_ON;
}

/* Moves the frame to another stack pointer, with the same pc. */
static int goes_on_at(struct walk *w, uint64_t sp, uint64_t *left_here, uint64_t left_there)
{
	if (sp < left_there)
		return STACK_NO_ADVANCE;
	*left_here = *sp_of(w);
	*sp_of(w) = sp;
	w->changed_stack = true;
	return STEP_ON;
}

/* Moves to the goroutine's stack, always above where the walk left it, so that the walk ends. */
static int goes_on_at_goroutine(struct walk *w, uint64_t sp)
{
	if (sp == w->go.left_goroutine)
		return STACK_NO_ADVANCE;
	return goes_on_at(w, sp, &w->go.left_g0, w->go.left_goroutine);
}

/* A step to where the goroutine was when it was left. */
static int to_goroutine(struct walk *w)
{
	const struct go_stack *s = &w->go.stacks->goroutine;
	int end;

	if (!s->g || w->go.scheduling)
		return STACK_OUTERMOST; /* the goroutine is no longer this thread's */
	if (!s->sp || !s->pc)
		return STACK_NO_UNWIND_INFO;
	end = goes_on_at_goroutine(w, s->sp);
	if (end != STEP_ON)
		return end;
	w->regs.r[DWARF_RIP] = s->pc;
	w->regs.r[DWARF_RBP] = s->bp;
	w->valid = 1u << DWARF_RSP | 1u << DWARF_RIP | (s->bp ? 1u << DWARF_RBP : 0);
	return STEP_ON;
}

/* True when this instruction is executed on g0's stack after the change of stacks. Before the
 * change, and on other system stacks, where these functions change nothing, the stack pointer is
 * elsewhere. (1.16 puts a word on g0's stack.) */
static bool step_go_has_changed(const struct walk *w, bool exact)
{
	uint64_t sp = w->regs.r[DWARF_RSP], g0 = w->go.stacks->g0.sp;

	if (on_goroutine(w) || go_stack_holds(&w->go.stacks->gsignal, sp))
		return false;
	return !exact || sp == g0 || sp == g0 - 8;
}

static int from_systemstack(struct walk *w, bool exact)
{
	const struct go_stack *s;
	int end;

	if (!known(w))
		return exact ? to_caller(w, exact) : STACK_NO_UNWIND_INFO;
	if (!step_go_has_changed(w, exact))
		return to_caller(w, exact);
	s = &w->go.stacks->goroutine;
	if (!s->g || !s->sp)
		return STACK_NO_UNWIND_INFO;
	end = goes_on_at_goroutine(w, s->sp);
	return end == STEP_ON ? to_caller(w, false) : end;
}

/* mcall and morestack, which do not return. */
static int from_mcall(struct walk *w, bool exact, enum frame_kind *kind)
{
	if (w->go.scheduling)
		return STACK_OUTERMOST;
	if (!known(w))
		return exact ? to_caller(w, exact) : STACK_NO_UNWIND_INFO;
	if (!step_go_has_changed(w, exact))
		return to_caller(w, exact);
	if (w->go.recovering)
		*kind = FRAME_SIGNAL;
	return to_goroutine(w);
}

/* gogo switches to a goroutine: it sets the stack pointer first, then the pc. */
static int from_gogo(struct walk *w, enum frame_kind *kind)
{
	if (!on_goroutine(w))
		return to_caller(w, true);
	if (!w->go.stacks->goroutine.pc || ++w->switches > SWITCHES_MAX)
		return STACK_NO_UNWIND_INFO;
	w->regs.r[DWARF_RIP] = w->go.stacks->goroutine.pc;
	w->valid = 1u << DWARF_RSP | 1u << DWARF_RIP;
	*kind = FRAME_SIGNAL; /* the pc may be the first instruction of the goroutine's function */
	return STEP_ON;
}

/* Reads what asmcgocall has stored on the system stack: g and the depth of its stack; or, where it
 * was called on a system stack, no g and the old stack pointer. *sp becomes the stack pointer
 * before the change of stacks. */
static bool left_by_asmcgocall(struct walk *w, uint64_t *sp)
{
	const struct go_stack *s = &w->go.stacks->goroutine;
	uint64_t at = *sp_of(w) + (uint64_t)w->at->go_image->left_g, g, depth;

	if (!w->at->go_image->left_g || memory_read_u64(w->memory, at, &g) ||
	    memory_read_u64(w->memory, at - 8, &depth))
		return false;
	*sp = g ? s->high - depth : depth;
	if (!g)
		return *sp > *sp_of(w) && *sp - *sp_of(w) <= ALIGNED_MAX;
	return g == s->g && depth && depth <= s->high - s->low;
}

static int from_asmcgocall(struct walk *w, bool exact)
{
	uint64_t sp, rdx = w->regs.r[DWARF_RDX];
	int end;

	if (!known(w))
		return exact ? to_caller(w, exact) : STACK_NO_UNWIND_INFO;
	if (on_goroutine(w))
		return to_caller(w, exact);
	if (!left_by_asmcgocall(w, &sp)) {
		if (!exact)
			return STACK_NO_UNWIND_INFO;
		/* Nothing has been stored yet, but the old stack pointer is already in rdx. */
		if (!go_stack_holds(&w->go.stacks->goroutine, rdx) && rdx - *sp_of(w) > ALIGNED_MAX)
			return to_caller(w, exact);
		sp = rdx;
	}
	if (!go_stack_holds(&w->go.stacks->goroutine, sp)) {
		*sp_of(w) = sp;
		return to_caller(w, exact);
	}
	end = goes_on_at_goroutine(w, sp);
	return end == STEP_ON ? to_caller(w, false) : end;
}

/* The other half of cgocallback's frame is on g0's stack, with C's frames above it. Its first word
 * is the previous stack pointer of g0. If that word is not in the copy, the walk continues on the
 * goroutine: Go's frames alone are better than nothing. */
static int from_cgocallback(struct walk *w, bool exact)
{
	uint64_t sp, before;

	if (!on_goroutine(w))
		return to_caller(w, exact);
	sp = w->go.g0_sp ? w->go.g0_sp : w->go.stacks->g0.sp;
	if (!sp || memory_read_u64(w->memory, sp, &before) ||
	    goes_on_at(w, sp, &w->go.left_goroutine, w->go.left_g0) != STEP_ON)
		return to_caller(w, exact);
	w->go.g0_sp = before;
	return to_caller(w, false);
}

/* A step to the caller of a call into the vDSO, as the runtime has recorded it for its own
 * profiler. */
static int from_vdso_call(struct walk *w)
{
	uint64_t sp = w->go.stacks->vdso_sp;
	int end = STEP_ON;

	if (go_stack_holds(&w->go.stacks->goroutine, sp) && !on_goroutine(w))
		end = goes_on_at_goroutine(w, sp);
	else
		*sp_of(w) = sp;
	w->regs.r[DWARF_RIP] = w->go.stacks->vdso_pc;
	w->valid = 1u << DWARF_RSP | 1u << DWARF_RIP;
	return end;
}

/* C has preserved the register that holds the stack pointer. When the function itself was
 * interrupted, the register may not have been set yet: then it holds any value. */
static int from_saved_in(struct walk *w, unsigned reg, bool exact)
{
	uint64_t saved = w->regs.r[reg];
	int end;

	if (!(w->valid >> reg & 1))
		return known(w) && w->go.stacks->vdso_sp ? from_vdso_call(w) : STACK_NO_UNWIND_INFO;
	if (saved - *sp_of(w) <= ALIGNED_MAX) {
		*sp_of(w) = saved;
		return to_caller(w, exact);
	}
	if (!known(w) || on_goroutine(w) || !go_stack_holds(&w->go.stacks->goroutine, saved))
		return exact ? to_caller(w, exact) : STACK_NO_UNWIND_INFO;
	end = goes_on_at_goroutine(w, saved);
	return end == STEP_ON ? to_caller(w, exact) : end;
}

/* Restores the registers that C preserves: crosscall2 has saved all of them. */
static int from_crosscall(struct walk *w, bool exact)
{
	static const uint8_t regs[GO_SAVED] = { DWARF_RBX, DWARF_RBP, DWARF_R12,
						DWARF_R13, DWARF_R14, DWARF_R15 };
	int end = to_caller(w, exact);

	if (end != STEP_ON || exact)
		return end;
	w->valid &= ~(1u << DWARF_RBP);
	for (unsigned i = 0; i < GO_SAVED; i++) {
		int16_t saved = w->at->go_image->saved[i];
		uint64_t at = *sp_of(w) + (uint64_t)(int64_t)saved;

		if (saved && !memory_read_u64(w->memory, at, &w->regs.r[regs[i]]))
			w->valid |= 1u << regs[i];
	}
	return STEP_ON;
}

/* Restores all registers of the code that the signal interrupted. */
static int from_signal_return(struct walk *w)
{
	int end = step_from_restorer(w);

	w->source = FRAME_BY_PCLNTAB;
	w->changed_stack |= end == STEP_ON;
	return end;
}

/* The function moves the stack pointer in unknown ways. A step is possible only before the first
 * move. The only sign of that is a stack pointer on the stack of the thread's goroutine. */
static int from_unsafe(struct walk *w, bool exact)
{
	return exact && on_goroutine(w) ? to_caller(w, exact) : STACK_NO_UNWIND_INFO;
}

/* A handler makes the interrupted code look as if it had called sigpanic or asyncPreempt: it pushes
 * the pc and only then changes it (signal_amd64.go, pushCall). If the handler is between the two,
 * this undoes the push. Only a signal frame gives all registers. In what sigpanic or gogo lead to,
 * a word that equals the pc may remain from an earlier call. */
static void step_go_undo_push(struct walk *w)
{
	uint64_t pushed;

	if (w->valid == REGS_ALL && !memory_read_u64(w->memory, *sp_of(w), &pushed) &&
	    pushed == w->regs.r[DWARF_RIP])
		*sp_of(w) += 8;
}

static int step_from(struct walk *w, bool exact, enum frame_kind *kind)
{
	switch ((enum go_kind)w->at->go.kind) {
	case GO_OUTERMOST:
		return STACK_OUTERMOST;
	case GO_UNSAFE:
		return from_unsafe(w, exact);
	case GO_INJECTED:
		*kind = FRAME_SIGNAL;
		return to_caller(w, exact);
	case GO_SIGNAL_RETURN:
		*kind = FRAME_SIGNAL;
		return from_signal_return(w);
	case GO_SYSTEMSTACK:
		return from_systemstack(w, exact);
	case GO_MCALL:
	case GO_MORESTACK:
		return from_mcall(w, exact, kind);
	case GO_ASMCGOCALL:
		return from_asmcgocall(w, exact);
	case GO_CGOCALLBACK:
		return from_cgocallback(w, exact);
	case GO_GOGO:
		return from_gogo(w, kind);
	case GO_SP_IN_R12:
		return from_saved_in(w, DWARF_R12, exact);
	case GO_SP_IN_RBX:
		return from_saved_in(w, DWARF_RBX, exact);
	case GO_CROSSCALL:
		return from_crosscall(w, exact);
	case GO_SCHEDULE:
		w->go.scheduling = true;
		return to_caller(w, exact);
	case GO_RECOVERY:
		w->go.recovering = true;
		return to_caller(w, exact);
	case GO_NONE:
	case GO_ORDINARY:
		break;
	}
	return to_caller(w, exact);
}

int step_by_pclntab(struct walk *w, enum frame_kind *kind)
{
	bool exact = *kind != FRAME_RETURN;
	uint64_t sp;
	int end;

	if (*kind == FRAME_SIGNAL && w->at->go.kind != GO_SIGNAL_RETURN)
		step_go_undo_push(w);
	sp = *sp_of(w);
	*kind = FRAME_RETURN;
	w->source = FRAME_BY_PCLNTAB;
	end = step_from(w, exact, kind);
	if (end != STEP_ON || w->at->go.kind == GO_GOGO)
		return end;
	if (w->changed_stack)
		return w->at->go.kind == GO_SIGNAL_RETURN && *sp_of(w) <= sp &&
				       ++w->switches > SWITCHES_MAX ?
			       STACK_NO_ADVANCE :
			       STEP_ON;
	return *sp_of(w) > sp ? STEP_ON : STACK_NO_ADVANCE;
}

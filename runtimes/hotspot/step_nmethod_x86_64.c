/*
 * Compiled methods, and the wrappers of native methods.
 *
 * From the end of its prologue to the beginning of an epilogue the frame has a fixed size. The
 * prologue is simulated up to its end, an epilogue to the return. In between, code may have moved
 * rsp for a moment: around a leaf call, in an intrinsic, in a collector's barrier, in the deopt
 * handler. Where the size does not lead to an address that the tables have as a return address, the
 * code is simulated to its return. At a call that is a safepoint rsp is never moved.
 *
 * A compiled method is called by Java code only, so the tables have its return address. The wrapper
 * of a native method keeps a frame pointer.
 *
 * Rejected: looking for a return address in the words above. A stale one, or that of a frame
 * further up, is often there.
 */
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/simulate.h"
#include "runtimes/hotspot/steps.h"
#include "unwind/code/insn_x86_64.h"

enum {
	END_INSNS = 24, /* of an epilogue */
	ALL_INSNS = 3000,
	AHEAD_INSNS = 120,   /* in which a collector's barrier restores all registers */
	START_INSNS = 200,   /* of a prologue, with the check of the receiver's class */
	OSR_PROLOGUE = 8,    /* instructions */
	FRAME_MAX = 1 << 16, /* bytes of a wrapper's frame */
};

static int step_nmethod_by_size(struct site *s)
{
	return site_step_by_slot(s, s->sp + (uint64_t)s->blob.frame_size - 8);
}

/* From where code may have moved rsp: by what is straight ahead, or else by all ways to the
 * return. */
static int step_in_body(struct site *s)
{
	struct simulation all = { .most = ALL_INSNS,
				  .lowest = s->sp + (uint64_t)s->blob.frame_size };
	struct site there = *s;
	int end = STACK_RUNTIME_IN_DOUBT;

	switch (site_ahead(s, AHEAD_INSNS, &there.sp)) {
	case AHEAD_LEVEL:
		end = step_nmethod_by_size(&there);
		break;
	case AHEAD_RETURN:
		end = site_step_by_slot(s, there.sp);
		break;
	}
	return end == STACK_RUNTIME_IN_DOUBT ? site_simulate(s, &all) : end;
}

/* Deoptimised code: the callees return to the deopt handler, and the frame has the address that
 * they would have returned to. */
static void take_original_pc(struct site *s, uint64_t sp)
{
	const struct hotspot_blob *b = &s->blob;
	uint64_t pc;

	if (!memory_read_u64(s->w->memory, sp + (uint64_t)b->orig_pc, &pc) && pc > b->code &&
	    pc < b->end)
		s->frame->at = HOTSPOT_AT(pc - b->code, false);
}

/* The end of the prologue that the pc is in, or 0. A method that is entered in a loop (OSR) has a
 * prologue there, too. */
static uint64_t prologue_end(const struct site *s)
{
	const struct hotspot_blob *b = &s->blob;
	uint64_t pc = b->osr_entry, end = b->code + (uint64_t)b->frame_complete;

	if (b->frame_complete > 0 && s->pc < end)
		return end;
	for (unsigned i = 0; pc && s->pc >= pc && i < OSR_PROLOGUE; i++) {
		uint8_t code[INSN_LENGTH_MAX];
		struct insn insn;

		if (s->hs->seen->read(s->hs->seen, pc, code, sizeof(code)) ||
		    insn_decode(code, sizeof(code), &insn))
			return 0;
		pc += insn.len;
		if (insn_is_of_rsp(&insn, INSN_SUB))
			return s->pc < pc ? pc : 0;
	}
	return 0;
}

static int step_from_prologue(struct site *s, uint64_t end)
{
	struct simulation how = { .goal = end,
				  .frame_size = (uint64_t)s->blob.frame_size,
				  .most = START_INSNS,
				  .straight = true };

	return site_simulate(s, &how);
}

static int step_from_call(struct site *s)
{
	bool deoptimised = s->pc == s->blob.deopt || s->pc == s->blob.deopt_mh;

	if (deoptimised)
		take_original_pc(s, s->sp);
	return deoptimised || site_has_pcdesc(s->hs, &s->blob, s->pc) ? step_nmethod_by_size(s) :
									step_in_body(s);
}

/* A stub behind a method's code, through which its static calls go to the interpreter while the
 * callee is not compiled: mov rbx, Method; jmp. It has no frame: its caller is the method. */
static bool is_static_stub(const struct site *s)
{
	enum { MOV = 10, JUMP = 5 };
	uint8_t code[2 * MOV + JUMP];
	const uint8_t *at = code + MOV;

	if (s->hs->seen->read(s->hs->seen, s->pc - MOV, code, sizeof(code)))
		return false;
	return (at[0] == 0x48 && at[1] == 0xbb && at[MOV] == 0xe9) ||
	       (at[0] == 0xe9 && code[0] == 0x48 && code[1] == 0xbb);
}

static int step_compiled(struct site *s)
{
	struct simulation ends = { .most = END_INSNS, .through = THROUGH_END };
	uint64_t prologue;
	int end;

	s->strict = true;
	if (!s->exact)
		return step_from_call(s);
	prologue = prologue_end(s);
	if (prologue)
		return step_from_prologue(s, prologue);
	end = site_simulate(s, &ends);
	if (end == STEP_ON && is_static_stub(s))
		s->frame->kind = HOTSPOT_STATIC_STUB;
	return end == STACK_RUNTIME_IN_DOUBT ? step_in_body(s) : end;
}

/* The wrapper's frame, by its frame pointer. */
static int step_nmethod_by_fp(struct site *s)
{
	uint64_t fp = s->w->regs.r[DWARF_RBP];

	if (!(s->w->valid >> DWARF_RBP & 1) || fp % 8 || fp - s->sp > FRAME_MAX ||
	    fp + 16 < s->sp + (uint64_t)s->blob.frame_size)
		return STACK_RUNTIME_IN_DOUBT;
	return site_step_by_slot(s, fp + 8);
}

static int step_native(struct site *s)
{
	struct simulation ends = { .most = END_INSNS, .through = THROUGH_END };
	struct simulation all = { .most = ALL_INSNS };
	uint64_t prologue = s->exact ? prologue_end(s) : 0;
	int end = STACK_RUNTIME_IN_DOUBT;

	if (!s->blob.frame_size) /* it only hands over to another method */
		return site_simulate(s, &all);
	if (prologue)
		return step_from_prologue(s, prologue);
	if (s->exact)
		end = site_simulate(s, &ends);
	return end == STACK_RUNTIME_IN_DOUBT ? step_nmethod_by_fp(s) : end;
}

int step_nmethod(struct site *s)
{
	return s->blob.kind == BLOB_NATIVE ? step_native(s) : step_compiled(s);
}

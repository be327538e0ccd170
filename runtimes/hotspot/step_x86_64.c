/*
 * A step from a frame of HotSpot's to its caller.
 *
 * What the pc is in tells how: step_nmethod (compiled methods, native methods' wrappers),
 * step_interpreted, step_stub (all other code). Java preserves no register but rbp and r15, the
 * JavaThread. rbp stands below each return address, so the callers' rbp is known all the way, which
 * the interpreter's frames and the call stub's are found by.
 *
 * Each way must lead to an address that the VM's tables have as a return address: a PcDesc of a
 * compiled method, one of the interpreter's entries for returns, the call stub; or else to one
 * behind a call, since leaf calls have no PcDesc.
 *
 * Not whole are walks from a few instructions of the deopt blob, between taking a compiled frame
 * apart and calling unpack_frames. While that executes, the interpreter's new frames have no names.
 *
 * Rejected: the frame pointer for compiled code, and a search of the stack for return addresses;
 * both find stale ones. The JavaFrameAnchor: it has the last Java frame only while the thread is in
 * C++, where CFI leads to that frame as well.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "runtimes/hotspot/chunks.h"
#include "runtimes/hotspot/simulate.h"
#include "runtimes/hotspot/steps.h"
#include "runtimes/hotspot/vm/heaps.h"
#include "runtimes/hotspot/vm/vmstructs.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/insn_x86_64.h"

enum { CALL_MAX = 8 };

/* Setting up. */

static const struct vmplace places[] = {
	{ VMPLACE_ADDRESS, "StubRoutines", "_call_stub_return_address",
	  offsetof(struct hotspot_steps, call_stub_return), true },
};

int hotspot_steps_init(struct hotspot *hs, struct error *why)
{
	struct hotspot_steps *s = calloc(1, sizeof(*s));
	struct vmfield f;

	hs->steps = s;
	if (!s)
		return error_nomem(why);
	if (vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), s, why))
		return ERR_FORMAT;
	if (memory_read_u64(hs->seen, s->call_stub_return, &s->call_stub_return))
		return error_set(why, ERR_FORMAT, "HotSpot's stubs cannot be read");
	if (!s->call_stub_return)
		return ERR_BUSY;
	s->has_mirror = vmstructs_field(hs->tables, "CodeCache", "_heaps", &f);
	return codelets_init(hs, why);
}

void hotspot_steps_free(struct hotspot *hs)
{
	if (hs->steps) {
		arena_release(&hs->steps->texts);
		free(hs->steps->codelets);
	}
	free(hs->steps);
	hs->steps = NULL;
}

uint64_t codelet_frame(const struct hotspot *hs, uint64_t start, uint64_t end)
{
	while (start + 4 <= end) {
		uint8_t code[2 * INSN_LENGTH_MAX] = { 0 };
		size_t len = end - start < sizeof(code) ? end - start : sizeof(code);
		struct insn insn;

		if (hs->seen->read(hs->seen, start, code, len) || insn_decode(code, len, &insn))
			return 0;
		if (insn_makes_frame(code, len))
			return start;
		start += insn.len;
	}
	return 0;
}

/* Return addresses. */

static bool is_behind_call(const struct hotspot *hs, uint64_t addr)
{
	uint8_t before[CALL_MAX];
	int64_t target;

	return !hs->seen->read(hs->seen, addr - CALL_MAX, before, CALL_MAX) &&
	       insn_call_ends(before + CALL_MAX, CALL_MAX, &target);
}

bool site_has_pcdesc(struct hotspot *hs, const struct hotspot_blob *b, uint64_t addr)
{
	const struct pcdesc *descs;
	size_t count;

	return !hotspot_blob_pcdescs(hs, b, &descs, &count) &&
	       pcdesc_find(descs, count, (uint32_t)(addr - b->code), false);
}

static bool is_barrier(struct hotspot *hs, uint64_t addr)
{
	return hs->chunks && hotspot_is_barrier(hs, addr);
}

static bool is_in_tables(struct hotspot *hs, const struct hotspot_blob *b, uint64_t addr)
{
	const struct codelet *c;

	switch (b->kind) {
	case BLOB_NMETHOD:
		return addr == b->deopt || addr == b->deopt_mh || site_has_pcdesc(hs, b, addr);
	case BLOB_INTERPRETER:
		c = codelet_find(hs->steps, addr);
		return c && c->kind == CODELET_RETURN;
	case BLOB_STUBS:
		return addr == hs->steps->call_stub_return || is_barrier(hs, addr);
	case BLOB_UPCALL:
		return is_behind_call(hs, addr);
	default:
		return false;
	}
}

bool site_returns_to(struct site *s, uint64_t addr, bool strict)
{
	const struct hotspot_blob *found;
	struct hotspot_blob b;
	uint64_t target;

	if (!hotspot_heap_of(s->hs->heaps, addr))
		return !strict && s->w->maps && modmap_find(s->w->maps, addr - 1) &&
		       codebytes_behind_call(s->w->code, addr, &target);
	if (hotspot_blob_find(s->hs, addr - 1, &found))
		return false;
	b = *found;
	return is_in_tables(s->hs, &b, addr) || (!strict && is_behind_call(s->hs, addr));
}

bool site_accepts(void *site, uint64_t addr)
{
	return site_returns_to(site, addr, ((struct site *)site)->strict);
}

/* Arriving. */

int site_unreadable(int rc)
{
	return rc == ERR_SHORT ? STACK_COPY_EXHAUSTED : STACK_RUNTIME_IN_DOUBT;
}

int site_arrive(struct site *s, uint64_t ra, uint64_t sp, const uint64_t *rbp)
{
	struct walk *w = s->w;

	w->regs.r[DWARF_RIP] = ra;
	w->regs.r[DWARF_RSP] = sp;
	w->valid = 1u << DWARF_RIP | 1u << DWARF_RSP | (w->valid & 1u << DWARF_R15);
	if (rbp) {
		w->regs.r[DWARF_RBP] = *rbp;
		w->valid |= 1u << DWARF_RBP;
	}
	return STEP_ON;
}

int site_step_by_slot(struct site *s, uint64_t slot)
{
	uint64_t ra, rbp;
	int rc = memory_read_u64(s->w->memory, slot, &ra);

	if (!rc)
		rc = memory_read_u64(s->w->memory, slot - 8, &rbp);
	if (rc)
		return site_unreadable(rc);
	return site_accepts(s, ra) ? site_arrive(s, ra, slot + 8, &rbp) : STACK_RUNTIME_IN_DOUBT;
}

/* Java code preserves rbp only, and never changes r15. The interpreter relies on what routines
 * keep. */
static uint32_t preserved(const struct site *s, uint64_t pc)
{
	uint32_t always = 1u << DWARF_RIP | 1u << DWARF_RSP;

	if (hotspot_heap_of(s->hs->heaps, pc - 1) && s->blob.kind != BLOB_STUBS)
		return always | 1u << DWARF_RBP | 1u << DWARF_R15;
	return always | CALLEE_SAVED;
}

int site_simulate(struct site *s, const struct simulation *how)
{
	struct simulation all = *how;
	struct regs regs = s->w->regs;
	uint32_t valid;

	all.hs = s->hs;
	all.w = s->w;
	all.start = s->blob.code;
	all.end = s->blob.end;
	all.accepts = all.accepts ? all.accepts : site_accepts;
	all.ctx = s;
	switch (simulate(&all, &regs, &valid)) {
	case SIMULATED_RETURN:
		s->w->regs = regs;
		s->w->valid = valid & preserved(s, regs.r[DWARF_RIP]);
		return STEP_ON;
	case SIMULATED_EXHAUSTED:
		return STACK_COPY_EXHAUSTED;
	default:
		return STACK_RUNTIME_IN_DOUBT;
	}
}

int site_ahead(struct site *s, unsigned most, uint64_t *rsp)
{
	struct simulation ahead = { .hs = s->hs,
				    .w = s->w,
				    .start = s->blob.code,
				    .end = s->blob.end,
				    .frame_size = (uint64_t)s->blob.frame_size,
				    .most = most };

	return simulate_ahead(&ahead, rsp);
}

/* The step. */

static uint16_t hotspot_step_kind_of(const struct hotspot_blob *b)
{
	switch (b->kind) {
	case BLOB_NMETHOD:
		return HOTSPOT_COMPILED;
	case BLOB_NATIVE:
		return HOTSPOT_NATIVE;
	case BLOB_INTERPRETER:
		return HOTSPOT_CODELET;
	case BLOB_ADAPTER:
		return HOTSPOT_ADAPTER;
	default:
		return HOTSPOT_STUB;
	}
}

static int step_by_kind(struct site *s)
{
	switch (s->blob.kind) {
	case BLOB_NMETHOD:
	case BLOB_NATIVE:
		return step_nmethod(s);
	case BLOB_INTERPRETER:
		return step_interpreted(s);
	default:
		return step_stub(s);
	}
}

static int step_on_stack(struct site *s)
{
	int end = step_by_kind(s);

	if (s->hs->chunks)
		step_was_on_stack(s);
	return end;
}

int hotspot_step(void *rt, struct walk *w, enum frame_kind *kind, struct managed_frame *frame)
{
	struct hotspot *hs = rt;
	struct site s = { .hs = hs,
			  .w = w,
			  .frame = frame,
			  .pc = w->regs.r[DWARF_RIP],
			  .sp = w->regs.r[DWARF_RSP],
			  .exact = *kind != FRAME_RETURN };
	uint64_t addr = frame_code_address(s.pc, *kind);
	const struct hotspot_blob *found;
	int end;

	if (!hotspot_heap_of(hs->heaps, addr))
		return MANAGED_PASS;
	w->source = FRAME_BY_RUNTIME;
	end = hotspot_blob_find(hs, addr, &found);
	if (end)
		return end == ERR_NOMEM ? end : STACK_RUNTIME_IN_DOUBT;
	s.blob = *found;
	*frame = (struct managed_frame){ .kind = hotspot_step_kind_of(&s.blob),
					 .code = s.blob.start,
					 .id = s.blob.id,
					 .at = HOTSPOT_AT(s.pc - s.blob.code, s.exact) };
	if (s.blob.kind == BLOB_STUBS && !s.exact && is_barrier(hs, s.pc))
		end = step_from_barrier(&s);
	else if (hs->chunks && step_is_in_chunk(&s))
		end = step_in_chunk(&s);
	else
		end = step_on_stack(&s);
	if (end == STEP_ON)
		*kind = s.resumes ? FRAME_SIGNAL : FRAME_RETURN;
	return end;
}

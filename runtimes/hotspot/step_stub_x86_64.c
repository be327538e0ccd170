/*
 * All code but compiled methods and the interpreter: StubRoutines, the runtime's stubs, adapters,
 * tables' stubs.
 *
 * A blob with a frame size has its frame when it has called something; where it stands on top of
 * the stack, and for all the others, the code is simulated to its return.
 *
 * The call stub is where C++ calls Java (stubGenerator_x86_64.cpp). Its frame has what the ABI
 * preserves: rbx at fp[-7], r12 to r15 at fp[-8] to fp[-11].
 */
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/hotspot/simulate.h"
#include "runtimes/hotspot/steps.h"

enum { INSNS = 3000, FRAME_MAX = 1 << 16, POLL_MIN = 2, POLL_MAX = 8 };

static int step_from_entry_frame(struct site *s)
{
	static const uint8_t saved[] = { DWARF_RBX, DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15 };
	struct walk *w = s->w;
	uint64_t fp = w->regs.r[DWARF_RBP], value[5];
	int end, rc = 0;

	s->frame->kind = HOTSPOT_ENTRY;
	if (!(w->valid >> DWARF_RBP & 1) || fp % 8 || fp < s->sp || fp - s->sp > FRAME_MAX)
		return STACK_RUNTIME_IN_DOUBT;
	for (unsigned i = 0; !rc && i < 5; i++)
		rc = memory_read_u64(w->memory, fp - 8 * (7 + i), &value[i]);
	if (rc)
		return site_unreadable(rc);
	end = site_step_by_slot(s, fp + 8);
	for (unsigned i = 0; end == STEP_ON && i < 5; i++) {
		w->regs.r[saved[i]] = value[i];
		w->valid |= 1u << saved[i];
	}
	return end;
}

/* Adapters, and the method handles' that the interpreter calls, have the caller's rsp in r13. Only
 * Java calls them. */
static bool is_adapter(const struct site *s)
{
	return s->blob.kind == BLOB_ADAPTER || strstr(s->blob.name, "MethodHandles adapters");
}

/* On top of the stack. If the code does not lead to a return, as that which takes a frame apart and
 * makes others in its place, then up to where its own frame is complete. */
static int step_from_top(struct site *s)
{
	struct simulation all = { .most = INSNS, .by_r13 = is_adapter(s) };
	struct simulation whole = { .most = INSNS,
				    .straight = true,
				    .until_call = true,
				    .frame_size = (uint64_t)s->blob.frame_size };
	int end = site_simulate(s, &all);

	if (end != STACK_RUNTIME_IN_DOUBT || s->blob.frame_size < 16)
		return end;
	s->strict = true;
	return site_simulate(s, &whole);
}

/* C1's stubs that throw replace their return address by that of the handler. */
static bool is_in_method(void *site, uint64_t addr)
{
	struct site *s = site;
	const struct hotspot_blob *found;

	return !hotspot_blob_find(s->hs, addr, &found) && found->kind == BLOB_NMETHOD &&
	       addr < found->code_end;
}

/* The stub for safepoints returns behind the poll, which has a PcDesc. */
static bool is_behind_poll(void *site, uint64_t addr)
{
	struct site *s = site;

	if (!is_in_method(s, addr))
		return false;
	for (unsigned len = POLL_MIN; len <= POLL_MAX; len++)
		if (site_returns_to(s, addr - len, true))
			return true;
	return false;
}

/* What does not return to where it was called from. */
static int step_to_elsewhere(struct site *s)
{
	struct simulation all = { .most = INSNS };
	int end;

	if (s->blob.kind == BLOB_SAFEPOINT)
		all.accepts = is_behind_poll;
	else if (strstr(s->blob.name, "Runtime1 stub") || strstr(s->blob.name, "C1 Runtime"))
		all.accepts = is_in_method;
	else
		return STACK_RUNTIME_IN_DOUBT;
	end = site_simulate(s, &all);
	s->resumes = end == STEP_ON;
	return end;
}

int step_stub(struct site *s)
{
	struct simulation all = { .most = INSNS, .by_r13 = is_adapter(s) };
	int end = STACK_RUNTIME_IN_DOUBT;

	if (!s->exact && s->pc == s->hs->steps->call_stub_return)
		return step_from_entry_frame(s);
	s->strict = is_adapter(s);
	if (s->exact)
		end = step_from_top(s);
	else if (s->blob.kind != BLOB_UPCALL && /* which restores what C++ preserves */
		 s->blob.frame_size >= 16)
		end = site_step_by_slot(s, s->sp + (uint64_t)s->blob.frame_size - 8);
	if (end == STACK_RUNTIME_IN_DOUBT && !s->exact)
		end = site_simulate(s, &all);
	return end == STACK_RUNTIME_IN_DOUBT ? step_to_elsewhere(s) : end;
}

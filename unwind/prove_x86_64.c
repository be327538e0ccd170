/*
 * Given the distances of registers from the CFA at the pc, each register that is known tells the
 * CFA. They must agree; sp is always known.
 *
 * In a function that aligns its stack, distances from sp lead to the aligned address only. If the
 * CFA is needed, it is one of a few addresses above, because it is itself a multiple of 16 (System
 * V ABI, AMD64, 3.2.2). Then exactly one of them may have a return address below it.
 *
 * A return address follows a call, or is where a signal handler or a coroutine returns to. If the
 * call names its target, that is this function, or code that may jump here: an entry of a PLT, or
 * a function with a tail call. For a call by pointer nothing more can be said.
 *
 * Rejected: frames whose size is known only at run time, as words on the stack that look like
 * this function's return address and a saved rbp. A call that has returned may have left them in
 * the memory that alloca took, together with the frames above them.
 */

#include "base/process/modmap.h"
#include "unwind/code/codebytes.h"
#include "unwind/code/insn_x86_64.h"
#include "unwind/codemap.h"
#include "unwind/prove.h"
#include "unwind/table/rule.h"

enum {
	TAIL_CALLS = 2,		 /* jumps from function to function behind a call */
	TAIL_BYTES = 64 << 10,	 /* of functions that are read for tail calls */
	ABI_ALIGNMENT = 16,	 /* of the CFA */
	GENERAL = (1 << 16) - 1, /* a mask: the registers that instructions name */
};

/* Return addresses. */

bool prove_signal_returns_to(struct walk *w, uint64_t addr)
{
	const struct code *at = codemap_find(w->map, w->maps, addr - 1);

	if (at && code_has_cfi(at))
		return at->kind == CODE_BY_SIGNAL_RULE;
	return code_is_restorer(w->code, addr);
}

struct tails {
	const struct proof *callee;
	unsigned left; /* bytes that may still be read */
};

static bool prove_is_in(const struct proof *p, uint64_t addr)
{
	return addr >= p->extent.start && addr < p->extent.end;
}

static bool may_lead(struct walk *w, struct tails *t, uint64_t addr, unsigned jumps);

/* Is the instruction a jump out of its function that may lead to the callee? */
static bool jumps_there(struct walk *w, struct tails *t, const struct insn *insn, uint64_t addr,
			const struct cfi_extent *out_of, unsigned jumps)
{
	uint64_t target = insn_target(insn, addr + insn->len);

	switch (insn_flow(insn)) {
	case FLOW_AWAY:
	case FLOW_LOST:
		return true;
	case FLOW_BRANCH:
	case FLOW_JUMP:
		return (target < out_of->start || target >= out_of->end) &&
		       may_lead(w, t, target, jumps - 1);
	default:
		return false;
	}
}

/* May code that begins at `addr` come to the callee by jumps alone? Code without CFI, as the
 * entries of a PLT or what a JIT compiler makes, may. */
static bool may_lead(struct walk *w, struct tails *t, uint64_t addr, unsigned jumps)
{
	struct cfi_extent extent;

	if (prove_is_in(t->callee, addr) || !codemap_extent(w->map, w->maps, addr, &extent))
		return true;
	if (!jumps)
		return false;
	for (addr = extent.start; addr < extent.end;) {
		uint8_t bytes[INSN_LENGTH_MAX];
		size_t len = codebytes_read(w->code, addr, bytes, sizeof(bytes));
		struct insn insn;

		if (insn_decode(bytes, len, &insn) || insn.len > t->left)
			return false;
		t->left -= insn.len;
		if (jumps_there(w, t, &insn, addr, &extent, jumps))
			return true;
		addr += insn.len;
	}
	return false;
}

static bool returns_to(struct walk *w, const struct proof *p, uint64_t addr)
{
	struct tails tails = { p, TAIL_BYTES };
	uint64_t target;

	if (!modmap_find(w->maps, addr - 1))
		return false;
	if (prove_signal_returns_to(w, addr))
		return true;
	return codebytes_behind_call(w->code, addr, &target) &&
	       (!target || may_lead(w, &tails, target, TAIL_CALLS));
}

/* Registers. */

/* The address from which the distances in `mask` are, by the registers that are known. False: none
 * is, or they do not agree. */
static bool find_base(const struct walk *w, const struct framestate *s, uint32_t mask,
		      uint64_t *base)
{
	bool found = false;

	for (unsigned n = 0; n < DWARF_COUNT; n++) {
		uint64_t by = w->regs.r[n] - (uint64_t)(int64_t)s->distance[n];

		if (!((mask & w->valid & GENERAL) >> n & 1))
			continue;
		if (found && by != *base)
			return false;
		*base = by;
		found = true;
	}
	return found;
}

static void set_from(struct walk *w, const struct framestate *s, uint32_t mask, uint64_t base)
{
	for (unsigned n = 0; n < DWARF_COUNT; n++)
		if ((mask & ~w->valid) >> n & 1) {
			w->regs.r[n] = base + (uint64_t)(int64_t)s->distance[n];
			w->valid |= 1u << n;
		}
}

/* A step with the registers that are known now, to a return address that is one. */
static int try_step(const struct walk *w, const struct proof *p, struct walk *caller)
{
	int end;

	*caller = *w;
	end = step_by_cfi(caller);
	if (end == STEP_ON && (caller->regs.r[DWARF_SP] <= w->regs.r[DWARF_SP] ||
			       !returns_to(caller, p, caller->regs.r[DWARF_PC])))
		return STACK_NO_UNWIND_INFO;
	return end;
}

/* The CFA is above the aligned address: which of the possible ones has a return address? */
static int try_aligned(const struct walk *w, const struct proof *p, uint64_t aligned,
		       struct walk *caller)
{
	uint64_t first = aligned - (uint64_t)(int64_t)p->state.unaligned, cfa = first;
	int end = STACK_NO_UNWIND_INFO;

	for (cfa += -cfa % ABI_ALIGNMENT; cfa - first < p->state.alignment; cfa += ABI_ALIGNMENT) {
		struct walk with = *w, found;
		int tried;

		set_from(&with, &p->state, p->state.from_cfa, cfa);
		tried = try_step(&with, p, &found);
		if (tried != STEP_ON)
			continue;
		if (end == STEP_ON)
			return STACK_NO_UNWIND_INFO;
		end = tried;
		*caller = found;
	}
	return end;
}

static int step_with(struct walk *w, const struct proof *p, struct walk *caller)
{
	const struct framestate *s = &p->state;
	struct walk with = *w;
	uint64_t cfa = 0, aligned = 0;
	bool by_aligned = find_base(w, s, s->from_aligned, &aligned);
	int end;

	if (by_aligned && s->alignment && aligned % s->alignment)
		return STACK_NO_UNWIND_INFO;
	if (by_aligned)
		set_from(&with, s, s->from_aligned, aligned);
	if (find_base(w, s, s->from_cfa, &cfa)) {
		set_from(&with, s, s->from_cfa, cfa);
		return try_step(&with, p, caller);
	}
	if (!by_aligned)
		return STACK_NO_UNWIND_INFO;
	/* gcc keeps the CFA in memory, at a distance from the aligned address. */
	end = try_step(&with, p, caller);
	return end == STACK_NO_UNWIND_INFO ? try_aligned(&with, p, aligned, caller) : end;
}

/* The function's code. */

static const struct proof *prove_prove(struct walk *w)
{
	uint64_t pc = w->regs.r[DWARF_PC];
	bool behind_call = w->kind == FRAME_RETURN;
	struct proof *p = &w->proofs->at[(pc ^ pc >> 8) & (PROOFS - 1)];
	struct framestate_place place = {
		.table = w->at->table, .bias = w->at->bias, .pc = pc, .behind_call = behind_call
	};

	if (p->generation == w->map->generation && p->pc == pc && p->behind_call == behind_call)
		return p;
	*p = (struct proof){ .pc = pc,
			     .generation = w->map->generation,
			     .behind_call = behind_call };
	p->known = codemap_extent(w->map, w->maps, pc - behind_call, &p->extent);
	place.start = p->extent.start;
	place.end = p->extent.end;
	place.lands = p->extent.lands;
	p->known = p->known && framestate_find(w->code, &place, &p->state);
	return p;
}

int step_by_proof(struct walk *w)
{
	struct code at = *w->at; /* others are looked up */
	const struct proof *p;
	struct walk caller;
	int end;

	w->at = &at;
	p = prove_prove(w);
	end = p->known ? step_with(w, p, &caller) : STACK_NO_UNWIND_INFO;
	if (end == STEP_ON)
		*w = caller;
	w->at = codemap_find(w->map, w->maps, w->regs.r[DWARF_PC]);
	return end;
}

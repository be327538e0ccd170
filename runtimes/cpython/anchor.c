/*
 * Anchors up to 3.9, where nothing in the chain leads to the C stack. Each frame object has a call
 * of the evaluation loop, and its address lies in the C frame of that call: as a variable of the
 * loop, or as the register of the loop's caller that the loop saves. Or it lies in the C frame of
 * what the loop has called, which saves a register of the loop's.
 *
 * The loop is exported, so its C frames are known by their code, but for those in its cold part,
 * which has no name. These are known by the place in the C frame at which others have the address.
 *
 * Rejected: pairing both lists in order only, because one call too many or too few, such as one
 * that has not pushed its frame yet, would move all others.
 */
#include "runtimes/cpython/capture.h"

#include "base/process/memory.h"
#include "runtimes/cpython/layout.h"
#include "unwind/stack.h"

enum {
	SLOTS = 512,	    /* words of a C frame that are looked at, from its CFA down */
	AHEAD = 4,	    /* frames of the chain that a C frame may belong to */
	WORK_MAX = 1 << 22, /* words that are looked at */
};

struct pairing {
	const struct cpython *python;
	const struct stack *stack;
	const struct memory *memory;
	struct interp_frame *frames;
	size_t work;
	uint64_t seen[SLOTS / 64]; /* bit n: frames of the loop have the address n words below */
};

static bool cpython_anchor_is_loop(const struct pairing *p, size_t native)
{
	return p->stack->pcs[native] - p->python->loop < p->python->loop_end - p->python->loop;
}

static size_t slots_of(const struct pairing *p, size_t native)
{
	uint64_t sp = p->stack->sps[native], cfa = p->stack->sps[native + 1];

	if (cfa <= sp)
		return 0;
	return (cfa - sp) / 8 < SLOTS ? (size_t)(cfa - sp) / 8 : SLOTS;
}

static bool is_seen(const struct pairing *p, size_t slot)
{
	return p->seen[slot / 64] >> slot % 64 & 1;
}

/* Does the C frame hold the frame's address, at any place, or (`known`) at one that others have? */
static bool cpython_anchor_holds(struct pairing *p, size_t native, const struct interp_frame *f,
				 bool known)
{
	uint64_t cfa = p->stack->sps[native + 1], word;
	bool found = false;

	for (size_t slot = 0; slot < slots_of(p, native) && p->work < WORK_MAX; slot++) {
		p->work++;
		if (known && !is_seen(p, slot))
			continue;
		if (memory_read_u64(p->memory, cfa - 8 * (slot + 1), &word) || word != f->self)
			continue;
		found = true;
		if (cpython_anchor_is_loop(p, native))
			p->seen[slot / 64] |= (uint64_t)1 << slot % 64;
	}
	return found;
}

/* C frames of the loop's named part, from the outermost on. */
static void pair_loops(struct pairing *p, size_t count)
{
	size_t left = count;

	for (size_t native = p->stack->count - 1; native-- && left;) {
		if (!cpython_anchor_is_loop(p, native))
			continue;
		for (size_t i = left; i-- && i + AHEAD >= left;) {
			if (!cpython_anchor_holds(p, native, &p->frames[i], false) &&
			    (!native || !cpython_anchor_holds(p, native - 1, &p->frames[i], false)))
				continue;
			p->frames[i].anchor = p->stack->sps[native];
			left = i;
			break;
		}
	}
}

static size_t loops_between(const struct pairing *p, size_t inner, size_t outer)
{
	size_t count = 0;

	for (size_t native = inner; native < outer; native++)
		count += cpython_anchor_is_loop(p, native);
	return count;
}

/* The native frame, at most `outer`, that an anchor of this file stands for. */
static size_t native_of(const struct pairing *p, uint64_t anchor, size_t outer)
{
	while (outer && p->stack->sps[outer] > anchor)
		outer--;
	return outer;
}

/* Frames between two pairs, or inside the innermost one, that are as many as the C frames of the
 * loop there: the address may be in a register that nothing has saved. */
static void pair_gaps(struct pairing *p, size_t count)
{
	size_t outer = p->stack->count - 1, first, inner;

	for (size_t end = count; end; end = first) {
		for (first = end; first && !p->frames[first - 1].anchor; first--)
			;
		inner = first ? native_of(p, p->frames[first - 1].anchor, outer) : 0;
		if (first < end && end < count &&
		    loops_between(p, first ? inner + 1 : 0, outer) == end - first)
			for (size_t native = outer, i = end; i > first;)
				if (cpython_anchor_is_loop(p, --native))
					p->frames[--i].anchor = p->stack->sps[native];
		outer = inner;
		first -= first != 0;
	}
}

static void pair_rest(struct pairing *p, size_t count)
{
	size_t from = p->stack->count - 1;

	for (size_t i = count; i--;) {
		size_t native = from;

		if (p->frames[i].anchor) {
			from = native_of(p, p->frames[i].anchor, from);
			continue;
		}
		while (native-- && !p->frames[i].anchor && !cpython_anchor_is_loop(p, native) &&
		       p->work < WORK_MAX)
			if (cpython_anchor_holds(p, native, &p->frames[i], true)) {
				p->frames[i].anchor = p->stack->sps[native];
				from = native;
			}
	}
}

void cpython_anchor(const void *rt, const struct modmap *maps, const struct stack *stack,
		    const struct memory *memory, struct interp_frame *frames, size_t count)
{
	struct pairing p = { .python = rt, .stack = stack, .memory = memory, .frames = frames };

	(void)maps;
	if (p.python->version > CPYTHON_3_9 || !stack->count)
		return;
	pair_loops(&p, count);
	pair_gaps(&p, count);
	pair_rest(&p, count);
}

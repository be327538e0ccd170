/*
 * A capture: the thread's states, their chains of frames, what proves the code objects, the GIL.
 */
#include "runtimes/cpython/capture.h"

#include <string.h>

#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/cpython/chain.h"
#include "runtimes/cpython/code.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/own.h"
#include "unwind/table/regs.h"

enum {
	CODES_BATCH = 64, /* code objects that are copied together */
	CODE_READS = 3,	  /* of INTERP_READS, for code objects */
	GIL_BYTES = 256,  /* struct _gil_runtime_state is smaller (pycore_gil.h) */
};

struct capture {
	const struct cpython *python;
	struct interp_copy *copy;
	const struct interp_thread *thread;
	struct interp_walk *out;
	uint64_t state; /* one of the thread's */
	const uint8_t *bytes;
};

/* Code objects. */

static bool cpython_capture_is_among(const uint64_t *codes, size_t count, uint64_t code)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i] == code)
			return true;
	return false;
}

static bool is_code_address(uint64_t code)
{
	return code && !(code & 7);
}

/* False: all are known. */
static bool copy_new_codes(struct capture *c)
{
	uint64_t codes[CODES_BATCH], last = 0;
	bool any = false;
	size_t count = 0;

	for (size_t i = 0; i < c->out->count; i++) {
		uint64_t code = c->out->frames[i].code;

		if (code == last && i)
			continue;
		last = code;
		if (is_code_address(code) && !interp_copy_is_new(c->copy, code))
			continue;
		any = true;
		if (!is_code_address(code) || cpython_capture_is_among(codes, count, code))
			continue;
		codes[count++] = code;
		if (count == CODES_BATCH) {
			cpython_copy_codes(c->python, c->copy, codes, count);
			count = 0;
		}
	}
	if (count)
		cpython_copy_codes(c->python, c->copy, codes, count);
	return any;
}

/* Of a known code object, and of one for which no read is left, this is proven later, by its
 * identity. */
static bool may_be_code(struct capture *c, uint64_t code)
{
	bool cut = c->copy->walk.cut, may_be;
	uint64_t type;

	if (!is_code_address(code))
		return false;
	if (!interp_copy_is_new(c->copy, code))
		return true;
	c->copy->walk.cut = false;
	if (interp_copy_word(c->copy, code + c->python->layout.object.type, &type))
		may_be = type == c->python->code_type;
	else
		may_be = c->copy->walk.cut;
	c->copy->walk.cut = cut; /* that tells of the frames, which are all there */
	return may_be;
}

/* The newest frame may be under construction, so that its code pointer is not set yet. No other may
 * be. */
static void check_codes(struct capture *c)
{
	struct interp_walk *out = c->out;

	if (out->count && !may_be_code(c, out->frames[0].code)) {
		out->dropped++;
		out->count--;
		memmove(out->frames, out->frames + 1, out->count * sizeof(*out->frames));
	}
	for (size_t i = 0; i < out->count; i++)
		if (!may_be_code(c, out->frames[i].code)) {
			out->broken = true;
			out->count = i;
		}
}

/* The GIL. */

static uint64_t find_gil(struct capture *c)
{
	const struct cpython_layout *l = &c->python->layout;
	uint64_t gil;

	if (l->interp.gil == CPYTHON_NONE)
		return c->python->gil;
	return interp_copy_word(c->copy, memory_word(c->bytes, l->thread.interp) + l->interp.gil,
				&gil) ?
		       gil :
		       0;
}

#if defined(__x86_64__)
/* Is it in a system call, futex(2), on a word of that structure? */
static bool cpython_capture_waits_in(struct capture *c, uint64_t gil)
{
	static const uint8_t syscall[] = { 0x0f, 0x05 };
	const struct regs *r = c->thread->regs;
	const void *before;

	if (!r || r->unknown >> DWARF_RDI & 1 || r->r[DWARF_RDI] - gil >= GIL_BYTES)
		return false;
	before = interp_copy_need(c->copy, r->r[DWARF_PC] - sizeof(syscall), sizeof(syscall));
	return before && !memcmp(before, syscall, sizeof(syscall));
}
#else
static bool cpython_capture_waits_in(struct capture *c, uint64_t gil)
{
	(void)c, (void)gil;
	return false;
}
#endif

/* Does the thread hold the GIL by this state? */
static bool look_at_gil(struct capture *c)
{
	const struct cpython_layout *l = &c->python->layout;
	const void *bytes;
	uint64_t gil = c->python->free_threaded ? 0 : find_gil(c);
	bool held, waits;

	if (c->python->free_threaded)
		return false;
	if (l->thread.holds_gil != CPYTHON_NONE) {
		held = memory_u32(c->bytes, l->thread.holds_gil);
		waits = memory_u32(c->bytes, l->thread.gil_requested);
	} else {
		bytes = gil ? interp_copy_need(c->copy, gil, l->gil_locked + 8) : NULL;
		held = bytes && memory_u32(bytes, l->gil_locked) == 1 &&
		       memory_word(bytes, l->gil_holder) == c->state;
		waits = bytes && !held && cpython_capture_waits_in(c, gil);
	}
	c->out->gil_held |= held;
	c->out->gil_waits |= waits && !held;
	if (held || waits)
		c->out->gil = gil;
	return held;
}

/* Puts the frames from `second` on before those in front of them. */
static void swap_parts(struct interp_walk *out, size_t second)
{
	size_t ends[] = { 0, second, out->count, 0, out->count };

	for (int i = 0; i < 3; i++)
		for (size_t a = ends[i == 2 ? 3 : i], b = ends[i == 2 ? 4 : i + 1]; a + 1 < b;) {
			struct interp_frame f = out->frames[a];

			out->frames[a++] = out->frames[--b];
			out->frames[b] = f;
		}
}

/* Appends the frames of one state. Those of another interpreter that lie further in come first.
 * Where there are no anchors, they are those of the state that holds the GIL; without that, they
 * are left out. */
static void capture_state(struct capture *c)
{
	struct interp_walk *out = c->out;
	size_t before = out->count;
	bool holds = look_at_gil(c), held = out->gil_held, further_in;

	cpython_chain_walk(c->python, c->copy, c->state, c->bytes, c->thread->regs, out);
	if (!out->task)
		out->task = cpython_copy_task(c->python, c->copy, c->state);
	if (!before || before == out->count)
		return;
	further_in = out->frames[before].anchor < out->frames[0].anchor;
	if (!out->frames[before].anchor || !out->frames[0].anchor) {
		further_in = holds;
		if (!held) {
			out->count = before;
			out->broken = true;
		}
	}
	if (further_in)
		swap_parts(out, before);
}

void cpython_capture(const void *rt, struct interp_copy *copy, const struct interp_thread *thread,
		     struct interp_walk *out)
{
	struct capture c = { .python = rt, .copy = copy, .thread = thread, .out = out };
	struct cpython_own own[CPYTHON_OWN_MAX];
	unsigned reads_max = copy->reads_max, most = reads_max ? reads_max : INTERP_READS, count;

	/* A chain that is not read whole has no names, if no read is left for its code objects. */
	copy->reads_max = most > CODE_READS ? most - CODE_READS : most;
	count = cpython_own_states(rt, copy, thread, own, &out->lost);
	if (count && own[0].addr != thread->state)
		out->state = own[0].addr;
	for (unsigned i = 0; i < count; i++) {
		c.state = own[i].addr;
		c.bytes = own[i].bytes;
		capture_state(&c);
	}
	copy->reads_max = reads_max;
	if (copy_new_codes(&c))
		check_codes(&c);
}

/*
 * Which C frame of execute_ex executes which run of PHP's frames, and what the innermost opline is.
 *
 * A run has no address in its C frame. But whatever execute_ex calls has its execute_data in a
 * callee-saved register, so the first function that uses this register saves it: the address of the
 * run's innermost frame stands between the C frame and the next inner one of execute_ex. There may
 * be old copies of such addresses in unused bytes of the stack, so order counts, too.
 *
 * - A walk that reached its end: the outermost C frame of execute_ex executes the outermost run, and
 *   so on inwards. Both are equally many, but for the innermost: a run that is entered or left. Where
 *   a run's address is missing and the next one's is there, a run has no C frame.
 * - A walk that ended early, or in a fiber: from the inside, as far as addresses are there. The other
 *   runs stand behind the walk.
 *
 * A C function stands outside the C frames that it is made of, so with the run that calls it.
 */
#include <string.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "sampler/interp/php/runtime.h"
#include "sampler/unwind/stack.h"

enum {
	RUNS_MAX = 1024,
	OPS_NEAR = 1 << 16, /* no function has more oplines between two of its own */
};

static const uint64_t BEHIND = UINT64_MAX; /* above each C frame */

struct run {
	size_t first, end; /* of its frames, also those of C functions that it calls */
	uint64_t self;	   /* of its innermost frame */
	bool in_loop;
};

struct alignment {
	const struct php_runtime *rt;
	const struct stack *stack;
	const struct memory *memory;
	struct interp_frame *frames;
	struct run runs[RUNS_MAX];
	size_t run_count;
	size_t loops[RUNS_MAX]; /* native frames of execute_ex */
	size_t loop_count;
};

static bool is_own(const struct interp_frame *f)
{
	return !(f->flags & (INTERP_C_FUNCTION | FRAME_BASE));
}

/* Splits the frames of one C stack into runs; returns how many frames that are. */
static size_t find_runs(struct alignment *a, size_t count)
{
	size_t i = 0;

	a->run_count = 0;
	while (i < count && a->run_count < RUNS_MAX) {
		struct run *r = &a->runs[a->run_count];
		bool begun = false, ended = false;

		*r = (struct run){ .first = i };
		for (; i < count && !ended && !(a->frames[i].flags & FRAME_BASE); i++) {
			const struct interp_frame *f = &a->frames[i];

			if (is_own(f) && !begun) {
				r->self = f->self;
				r->in_loop = f->flags & FRAME_IN_LOOP;
			}
			begun |= is_own(f);
			ended = is_own(f) && f->flags & FRAME_TOP;
		}
		r->end = i;
		a->run_count += begun;
		if (!begun || !ended)
			break;
	}
	return i;
}

static void find_loops(struct alignment *a)
{
	const struct stack *s = a->stack;

	a->loop_count = 0;
	for (size_t i = 0; i < s->count && a->loop_count < RUNS_MAX; i++)
		if (php_in_loop(a->rt, frame_code_address(s->pcs[i], s->frames[i].kind)))
			a->loops[a->loop_count++] = i;
}

/* Where the bytes begin that C frames inside the loop's frame number `loop` have. */
static uint64_t inner_end(const struct alignment *a, size_t loop)
{
	return a->stack->sps[loop ? a->loops[loop - 1] : 0];
}

/* The address in these bytes at which this word stands; 0: nowhere. */
static uint64_t find_word(const struct alignment *a, size_t loop, uint64_t word)
{
	uint64_t end = a->stack->sps[a->loops[loop]], value;

	for (uint64_t at = inner_end(a, loop); at + 8 <= end; at += 8) {
		if (memory_read_u64(a->memory, at, &value))
			return 0;
		if (value == word)
			return at;
	}
	return 0;
}

static bool fits(const struct alignment *a, size_t run, size_t loop)
{
	if (a->runs[run].in_loop)
		return !loop && !a->loops[0];
	return find_word(a, loop, a->runs[run].self);
}

static void place(struct alignment *a, size_t run, uint64_t anchor)
{
	for (size_t i = a->runs[run].first; i < a->runs[run].end; i++)
		a->frames[i].anchor = anchor;
}

static uint64_t anchor_of(const struct alignment *a, size_t loop)
{
	return a->stack->sps[a->loops[loop]];
}

/* A run without a C frame of its own, as that of a generator that takes a value of another iterator,
 * stands with its caller. */
static void align_from_outside(struct alignment *a)
{
	size_t run = a->run_count, loop = a->loop_count;

	while (run && loop) {
		bool surplus = run > loop && run > 1 && loop < a->loop_count &&
			       !fits(a, run - 1, loop - 1) && fits(a, run - 2, loop - 1);

		run--;
		if (surplus) {
			place(a, run, anchor_of(a, loop));
			continue;
		}
		place(a, run, anchor_of(a, --loop));
	}
}

static void align_from_inside(struct alignment *a)
{
	size_t run = 0;

	for (size_t loop = 0; loop < a->loop_count; loop++) {
		size_t fit = run;

		while (fit < a->run_count && !fits(a, fit, loop))
			fit++;
		if (fit == a->run_count)
			continue;
		for (; run <= fit; run++)
			place(a, run, anchor_of(a, loop));
	}
	for (; run < a->run_count; run++)
		place(a, run, BEHIND);
}

/* Is the C code from the innermost frame to the loop the compiler's? opcache's JIT has other uses for
 * the register with the opline. */
static bool is_compiled(const struct alignment *a)
{
	for (size_t i = 0; a->loop_count && i < a->loops[0]; i++)
		if (!a->stack->frames[i].image || image_is_memory(a->stack->frames[i].image))
			return false;
	return a->loop_count;
}

/* The opline that a C function has saved next to the frame: compilers push r15 before r14. */
static uint64_t saved_opline(const struct alignment *a, const struct interp_frame *f)
{
	uint64_t end = a->stack->sps[a->loops[0]], frame, opline;

	for (uint64_t at = inner_end(a, 0); at + 16 <= end; at += 8) {
		if (memory_read_u64(a->memory, at, &frame) ||
		    memory_read_u64(a->memory, at + 8, &opline))
			return 0;
		if (frame == f->self && (opline - f->at) % OP_BYTES == 0 &&
		    opline - f->at + (uint64_t)OPS_NEAR * OP_BYTES < 2ull * OPS_NEAR * OP_BYTES)
			return opline;
	}
	return 0;
}

static void set_opline(struct alignment *a)
{
	struct interp_frame *f = &a->frames[0];
	uint64_t opline;

	if (!(f->flags & INTERP_INEXACT) || a->rt->vm != VM_HYBRID || !is_compiled(a))
		return;
	opline = f->flags & FRAME_HAS_IP ? f->own : saved_opline(a, f);
	if (!opline)
		return;
	f->at = opline;
	f->flags &= (uint8_t)~INTERP_INEXACT;
}

void php_anchor(const void *rt, const struct modmap *maps, const struct stack *stack,
		const struct memory *memory, struct interp_frame *frames, size_t count)
{
	struct alignment a = { .rt = rt, .stack = stack, .memory = memory, .frames = frames };
	size_t own = find_runs(&a, count);

	(void)maps;
	find_loops(&a);
	if (stack->end == STACK_OUTERMOST && own == count)
		align_from_outside(&a);
	else
		align_from_inside(&a);
	set_opline(&a);
	for (; own < count; own++)
		frames[own].anchor = BEHIND;
}

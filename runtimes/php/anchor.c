/*
 * Which C frame of execute_ex executes which run of PHP's frames, and what the innermost opline is.
 *
 * A run has no address in its C frame. But execute_ex keeps its execute_data in a callee-saved
 * register, so the first function inside that uses this register saves it: the address of the run's
 * innermost frame stands between the C frame and the next inner one of execute_ex. Unused bytes of
 * the stack have old copies of such addresses, so only the places count where a function saves
 * registers, and order counts, too.
 *
 * - A walk that reached its end: the outermost C frame of execute_ex executes the outermost run,
 *   and so on inwards. Both are equally many, but for the innermost: a run that is entered or left.
 *   Where a run's address is missing and the next one's is there, a run has no C frame.
 * - A walk that ended early: from the inside, as far as addresses are there. The other runs stand
 *   behind the walk. So do the callers of a fiber, which has a C stack of its own.
 *
 * A C function stands outside the C frames that it is made of, so with the run that calls it.
 */
#include <string.h>

#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "runtimes/php/runtime.h"
#include "unwind/stack.h"

enum {
	RUNS_MAX = 1024,
	SAVED_MAX = 7,	     /* words below a CFA: return address and callee-saved registers */
	FRAME_MAX = 1 << 16, /* bytes of a C frame that are looked at */
};

static const uint64_t BEHIND = UINT64_MAX; /* above each C frame */

struct php_anchor_run {
	size_t first, end; /* of its frames, also those of C functions that it calls */
	uint64_t self;	   /* of its innermost frame */
	bool in_loop;	   /* the thread is in the loop for that frame, */
	bool in_register;  /* or in a function that has not saved its address */
};

struct alignment {
	const struct php_runtime *rt;
	const struct stack *stack;
	const struct memory *memory;
	struct interp_frame *frames;
	struct php_anchor_run runs[RUNS_MAX];
	size_t run_count;
	size_t loops[RUNS_MAX]; /* native frames of execute_ex */
	size_t loop_count;
};

static bool php_anchor_is_own(const struct interp_frame *f)
{
	return !(f->flags & (INTERP_C_FUNCTION | FRAME_BASE));
}

/* Splits the frames of one C stack into runs; returns how many frames that are. */
static size_t php_anchor_find_runs(struct alignment *a, size_t count)
{
	size_t i = 0;

	a->run_count = 0;
	while (i < count && a->run_count < RUNS_MAX) {
		struct php_anchor_run *r = &a->runs[a->run_count];
		bool begun = false, ended = false;

		*r = (struct php_anchor_run){ .first = i };
		for (; i < count && !ended && !(a->frames[i].flags & FRAME_BASE); i++) {
			const struct interp_frame *f = &a->frames[i];

			if (php_anchor_is_own(f) && !begun) {
				r->self = f->self;
				r->in_loop = f->flags & FRAME_IN_LOOP;
				r->in_register = f->flags & FRAME_IN_REGISTER;
			}
			begun |= php_anchor_is_own(f);
			ended = php_anchor_is_own(f) && f->flags & FRAME_TOP;
		}
		r->end = i;
		a->run_count += begun;
		if (!begun || !ended)
			break;
	}
	return i;
}

/* Code of opcache's JIT has no frame of its own: it executes in that of execute_ex, which has
 * jumped to it. It is in memory that opcache shares between processes, for which the kernel's name
 * is that of /dev/zero. */
static bool is_jit(const struct frame *f)
{
	return f->image && !image_elf(f->image) && !strcmp(image_name(f->image), "zero");
}

static bool php_anchor_is_loop(const struct alignment *a, size_t i)
{
	const struct stack *s = a->stack;

	return php_in_loop(a->rt, frame_code_address(s->pcs[i], s->frames[i].kind)) ||
	       (a->rt->vm == VM_HYBRID && is_jit(&s->frames[i]));
}

static void find_loops(struct alignment *a)
{
	const struct stack *s = a->stack;

	a->loop_count = 0;
	for (size_t i = 0; i < s->count && a->loop_count < RUNS_MAX; i++)
		if (php_anchor_is_loop(a, i))
			a->loops[a->loop_count++] = i;
}

/* The native frame at which the C frames inside the loop's frame number `loop` begin. */
static size_t inner_begin(const struct alignment *a, size_t loop)
{
	return loop ? a->loops[loop - 1] : 0;
}

/* Where a native frame's saved registers may begin: GCC saves them in front of all else on x86-64;
 * execute_ex, and any function on aarch64, saves them anywhere. */
static uint64_t saved_begin(const struct alignment *a, size_t frame)
{
	const struct stack *s = a->stack;
	uint64_t sp = s->sps[frame], size = s->sps[frame + 1] - sp;

#ifdef __x86_64__
	if (!php_in_loop(a->rt, frame_code_address(s->pcs[frame], s->frames[frame].kind)) &&
	    size > SAVED_MAX * 8)
		return sp + size - SAVED_MAX * 8;
#endif
	return size > FRAME_MAX ? sp + size - FRAME_MAX : sp;
}

/* Finds a word among those that the C frames inside the loop's frame number `loop` have saved. From
 * the loop inwards, because a function further inside may have saved another use of a register. */
static bool php_anchor_find_saved(const struct alignment *a, size_t loop,
				  bool (*is_it)(uint64_t value, uint64_t what), uint64_t what,
				  uint64_t *value)
{
	for (size_t i = a->loops[loop]; i-- > inner_begin(a, loop);) {
		uint64_t begin = saved_begin(a, i);

		for (uint64_t at = a->stack->sps[i + 1] - 8; at >= begin; at -= 8) {
			if (memory_read_u64(a->memory, at, value))
				break;
			if (is_it(*value, what))
				return true;
		}
	}
	return false;
}

static bool is_self(uint64_t value, uint64_t self)
{
	return value == self;
}

static bool is_op(uint64_t value, uint64_t own)
{
	return php_is_op(own, value);
}

static bool php_anchor_fits(const struct alignment *a, size_t run, size_t loop)
{
	uint64_t value;

	if (a->runs[run].in_loop)
		return !loop && !a->loops[0];
	if (a->runs[run].in_register)
		return !loop;
	return php_anchor_find_saved(a, loop, is_self, a->runs[run].self, &value);
}

static void php_anchor_place(struct alignment *a, size_t run, uint64_t anchor)
{
	for (size_t i = a->runs[run].first; i < a->runs[run].end; i++)
		a->frames[i].anchor = anchor;
}

static uint64_t anchor_of(const struct alignment *a, size_t loop)
{
	return a->stack->sps[a->loops[loop]];
}

/* A run without a C frame of its own, as that of a generator that takes a value of another
 * iterator, stands with its caller. */
static void align_from_outside(struct alignment *a)
{
	size_t run = a->run_count, loop = a->loop_count;

	while (run && loop) {
		bool surplus = run > loop && run > 1 && loop < a->loop_count &&
			       !php_anchor_fits(a, run - 1, loop - 1) &&
			       php_anchor_fits(a, run - 2, loop - 1);

		run--;
		if (surplus) {
			php_anchor_place(a, run, anchor_of(a, loop));
			continue;
		}
		php_anchor_place(a, run, anchor_of(a, --loop));
	}
}

static void align_from_inside(struct alignment *a)
{
	size_t run = 0;

	for (size_t loop = 0; loop < a->loop_count; loop++) {
		size_t fit = run;

		while (fit < a->run_count && !php_anchor_fits(a, fit, loop))
			fit++;
		if (fit == a->run_count)
			continue;
		for (; run <= fit; run++)
			php_anchor_place(a, run, anchor_of(a, loop));
	}
	for (; run < a->run_count; run++)
		php_anchor_place(a, run, BEHIND);
}

/* Was the loop's innermost frame in compiled code? The JIT has other uses for the register with the
 * opline, and writes a frame's opline later. */
static bool is_compiled(const struct alignment *a)
{
	return a->loop_count && !is_jit(&a->stack->frames[a->loops[0]]);
}

static void set_opline(struct alignment *a)
{
	struct interp_frame *f = &a->frames[0];
	uint64_t opline;

	if (!(f->flags & INTERP_INEXACT) || a->rt->vm != VM_HYBRID)
		return;
	/* A function that is being entered has no opline yet. */
	if (!f->anchor && !(f->flags & FRAME_GENERATOR))
		f->at = 0;
	if (!is_compiled(a) || !f->own)
		return;
	if (!(f->flags & FRAME_IN_REGISTER)) {
		if (!php_anchor_find_saved(a, 0, is_op, f->own, &opline))
			return;
		f->at = opline;
	}
	if (php_is_op(f->own, f->at))
		f->flags &= (uint16_t)~INTERP_INEXACT;
}

/* Are all frames known, PHP's and the C ones of the same stack? Without a fiber of PHP's, code of
 * others has made the stack (Swoole), and its frames may be anyone's. A fiber's first C frame has
 * no CFI that leads on (Zend/asm/make_*). */
static bool php_anchor_is_whole(const struct stack *s, const struct interp_frame *last, bool fiber)
{
	if (!fiber && (last->flags & FRAME_LOST || s->made))
		return false;
	return s->end == STACK_OUTERMOST ||
	       (fiber && s->count && s->frames[s->count - 1].image &&
		!image_is_memory(s->frames[s->count - 1].image) &&
		(s->end == STACK_NO_UNWIND_INFO || s->end == STACK_NO_ADVANCE));
}

void php_anchor(const void *rt, const struct modmap *maps, const struct stack *stack,
		const struct memory *memory, struct interp_frame *frames, size_t count)
{
	struct alignment a = { .rt = rt, .stack = stack, .memory = memory, .frames = frames };
	size_t own = php_anchor_find_runs(&a, count);

	(void)maps;
	if (!count)
		return;
	find_loops(&a);
	if (own < count && stack->end == STACK_OUTERMOST && !stack->made)
		return; /* it is changing from a fiber's stack to another one */
	if (php_anchor_is_whole(stack, &frames[count - 1], own < count))
		align_from_outside(&a);
	else
		align_from_inside(&a);
	set_opline(&a);
	for (; own < count; own++)
		frames[own].anchor = BEHIND;
}

/*
 * Runs of PHP's frames beside walks of C frames. The loop's code is at 0x1000; all other C functions
 * are elsewhere. Frame n of a walk has 256 bytes, at STACK + 256 * n.
 */
#include "base/process/image.h"
#include "made_up.h"
#include "unwind/stack.h"

enum { C_FRAMES = 8, C_FRAME = 256, LOOP = 0x2000, OTHER = 0x20000, CFA_R15 = 16, CFA_R14 = 24 };

static const uint64_t STACK = 0x7f0000001000, BEHIND = UINT64_MAX;

static struct stack stack;
static uint8_t bytes[C_FRAMES * C_FRAME];
static struct memory_bytes memory;
static struct image *image;
static size_t count;

static void set_up(void)
{
	make_up();
	image = image_open_none("/usr/bin/php");
	memory_bytes_init(&memory, bytes, STACK, sizeof(bytes));
	count = 0;
}

static void tear_down(void)
{
	release();
	stack_release(&stack);
	image_free(image);
}

TestSuite(php_anchor, .init = set_up, .fini = tear_down);

/* A walk of C frames, innermost first: 'L' is the loop's, 'c' another one. */
static void walk_of(const char *kinds, enum stack_end end)
{
	stack.count = 0;
	for (size_t i = 0; kinds[i]; i++) {
		cr_assert_eq(stack_push(&stack, image, kinds[i] == 'L' ? LOOP : OTHER,
					i ? FRAME_RETURN : FRAME_PC),
			     0);
		stack.sps[i] = STACK + C_FRAME * i;
	}
	stack.end = end;
	stack.made = false;
}

static uint64_t c_frame(unsigned n)
{
	return STACK + C_FRAME * n;
}

/* What the function of C frame n has saved. */
static void saved(unsigned n, uint64_t r14, uint64_t r15)
{
	put(bytes + C_FRAME * (n + 1), (size_t)0 - CFA_R14, r14, 8);
	put(bytes + C_FRAME * (n + 1), (size_t)0 - CFA_R15, r15, 8);
}

static uint64_t self_of(size_t n)
{
	return 0x5000 + 0x100 * n;
}

static struct interp_frame *add(uint16_t flags)
{
	struct interp_frame *f = &frames[count];

	*f = (struct interp_frame){ .self = self_of(count), .flags = flags };
	count++;
	return f;
}

static void align(void)
{
	php_anchor(&rt, NULL, &stack, &memory.memory, frames, count);
}

static void expect(size_t n, uint64_t anchor, const char *what)
{
	cr_assert_eq(frames[n].anchor, anchor, "%s: %lx instead of %lx", what, frames[n].anchor,
		     anchor);
}

Test(php_anchor, each_run_has_its_loop)
{
	walk_of("LccLcc", STACK_OUTERMOST);
	add(FRAME_IN_LOOP);
	add(FRAME_TOP);
	add(INTERP_C_FUNCTION);
	add(0);
	add(FRAME_TOP);
	align();
	expect(0, c_frame(0), "innermost");
	expect(1, c_frame(0), "its caller in the same loop");
	expect(2, c_frame(3), "a C function stands with its caller");
	expect(3, c_frame(3), "outer run");
	expect(4, c_frame(3), "outer run");
}

Test(php_anchor, run_that_is_entered_has_no_loop_yet)
{
	walk_of("ccLcc", STACK_OUTERMOST);
	saved(1, self_of(2), 0);
	add(FRAME_TOP | INTERP_INEXACT)->at = 0x1234;
	add(INTERP_C_FUNCTION);
	add(FRAME_TOP);
	align();
	expect(0, 0, "entered");
	cr_assert_eq(frames[0].at, 0, "an opline of before");
	expect(1, c_frame(2), "C function");
	expect(2, c_frame(2), "caller");
}

Test(php_anchor, run_that_was_left_leaves_its_loop)
{
	walk_of("LccLcc", STACK_OUTERMOST);
	saved(2, self_of(1), 0);
	add(INTERP_C_FUNCTION);
	add(FRAME_TOP);
	align();
	expect(0, c_frame(3), "C function");
	expect(1, c_frame(3), "caller");
}

/* A generator that takes a value from another iterator, which calls a function. */
Test(php_anchor, run_without_a_loop_stands_with_its_caller)
{
	walk_of("ccLccLcc", STACK_OUTERMOST);
	saved(1, self_of(0), 0);
	saved(3, self_of(2), 0);
	add(FRAME_TOP);
	add(FRAME_TOP);
	add(FRAME_TOP);
	align();
	expect(0, c_frame(2), "innermost");
	expect(1, c_frame(5), "without a loop");
	expect(2, c_frame(5), "outermost");
}

Test(php_anchor, walk_that_ended_early_is_aligned_by_what_is_saved)
{
	walk_of("ccLccLc", STACK_NO_UNWIND_INFO);
	saved(1, self_of(0), 0);
	saved(4, self_of(1), 0);
	add(FRAME_TOP);
	add(FRAME_TOP);
	add(FRAME_TOP);
	add(FRAME_TOP);
	align();
	expect(0, c_frame(2), "innermost");
	expect(1, c_frame(5), "second");
	expect(2, BEHIND, "beyond the walk");
	expect(3, BEHIND, "beyond the walk");
}

Test(php_anchor, without_a_proof_runs_stand_behind)
{
	walk_of("ccLcc", STACK_COPY_EXHAUSTED);
	add(FRAME_TOP);
	add(FRAME_TOP);
	align();
	expect(0, BEHIND, "no address was saved");
	expect(1, BEHIND, "no address was saved");
}

static void expect_fiber_in_place(void)
{
	add(FRAME_TOP | FRAME_IN_LOOP);
	add(INTERP_C_FUNCTION);
	add(FRAME_TOP);
	add(FRAME_BASE | INTERP_C_FUNCTION);
	add(INTERP_C_FUNCTION);
	add(FRAME_TOP);
	align();
	expect(0, c_frame(0), "innermost");
	expect(2, c_frame(4), "the fiber's first");
	expect(4, BEHIND, "Fiber::resume");
	expect(5, BEHIND, "its caller");
}

Test(php_anchor, callers_of_a_fiber_stand_behind)
{
	walk_of("LcccLcc", STACK_NO_UNWIND_INFO);
	expect_fiber_in_place();
}

/* By make_fcontext, which PHP takes from boost.context. */
Test(php_anchor, callers_of_a_fiber_whose_first_frame_is_known_stand_behind)
{
	walk_of("LcccLcc", STACK_OUTERMOST);
	stack.made = true;
	expect_fiber_in_place();
}

Test(php_anchor, without_a_fiber_on_a_stack_that_others_made_runs_need_a_proof)
{
	walk_of("ccLcc", STACK_OUTERMOST);
	stack.made = true;
	add(FRAME_TOP);
	align();
	expect(0, BEHIND, "no address was saved");
}

Test(php_anchor, fiber_on_another_stack_is_not_aligned)
{
	walk_of("ccLcc", STACK_OUTERMOST);
	saved(1, self_of(0), 0);
	add(FRAME_TOP);
	add(FRAME_BASE | INTERP_C_FUNCTION);
	add(FRAME_TOP);
	align();
	for (size_t i = 0; i < count; i++)
		expect(i, 0, "a fiber's frames");
}

Test(php_anchor, chain_without_its_callers_is_not_aligned_from_outside)
{
	walk_of("ccLccLcc", STACK_OUTERMOST);
	saved(1, self_of(0), 0);
	add(FRAME_TOP | FRAME_LOST);
	align();
	expect(0, c_frame(2), "by what is saved");
}

static uint64_t ops(uint64_t first, uint64_t number)
{
	return first | number << OWN_OPS;
}

Test(php_anchor, saved_opline_is_the_line)
{
	walk_of("ccLcc", STACK_OUTERMOST);
	saved(1, self_of(0), 0x8000 + 5 * OP_BYTES);
	add(FRAME_TOP | INTERP_INEXACT)->own = ops(0x8000, 9);
	frames[0].at = 0x8000 + OP_BYTES;
	align();
	cr_assert_eq(frames[0].at, 0x8000 + 5 * OP_BYTES);
	cr_assert(!(frames[0].flags & INTERP_INEXACT));
}

Test(php_anchor, saved_word_that_is_no_opline_of_the_function_is_not)
{
	walk_of("ccLcc", STACK_OUTERMOST);
	saved(1, self_of(0), 0x8000 + 9 * OP_BYTES);
	saved(0, 0, 0x8000 + 3 * OP_BYTES + 4);
	add(FRAME_TOP | INTERP_INEXACT)->own = ops(0x8000, 9);
	frames[0].at = 0x8000 + OP_BYTES;
	align();
	cr_assert_eq(frames[0].at, 0x8000 + OP_BYTES);
	cr_assert(frames[0].flags & INTERP_INEXACT);
}

Test(php_anchor, register_is_the_line_but_for_jit)
{
	struct image *zero = image_open_none("/dev/zero");

	walk_of("ccLcc", STACK_OUTERMOST);
	add(FRAME_TOP | INTERP_INEXACT | FRAME_IN_REGISTER)->own = ops(0x8000, 9);
	frames[0].at = 0x8000;
	align();
	cr_assert(!(frames[0].flags & INTERP_INEXACT));
	frames[0].flags |= INTERP_INEXACT;
	walk_of("cccc", STACK_OUTERMOST);
	stack.frames[2].image = zero;
	align();
	expect(0, c_frame(2), "JIT'd code executes in the loop's frame");
	cr_assert(frames[0].flags & INTERP_INEXACT);
	image_free(zero);
}

Test(php_anchor, hostile_counts)
{
	static struct interp_frame many[5000];

	walk_of("LcLcLc", STACK_OUTERMOST);
	for (size_t i = 0; i < 5000; i++)
		many[i] = (struct interp_frame){ .self = i, .flags = (uint16_t)(i * 31) };
	for (size_t n = 0; n < 5000; n += 7)
		php_anchor(&rt, NULL, &stack, &memory.memory, many, n);
	stack.count = 0;
	php_anchor(&rt, NULL, &stack, &memory.memory, many, 5000);
}

/* Chains of PHP's frames as they are in a stop, whole, odd and hostile. */
#include "made_up.h"
#include "unwind/table/regs.h"

TestSuite(php_capture, .init = make_up, .fini = release);

#ifdef __x86_64__
enum { REG_FRAME = 14, REG_OPLINE = 15 };
#else
enum { REG_FRAME = 27, REG_OPLINE = 28 };
#endif

static void set_regs(uint64_t pc, const void *frame, uint64_t opline)
{
	regs.unknown = 0;
	regs.r[DWARF_PC] = pc;
	regs.r[REG_FRAME] = addr_of(frame);
	regs.r[REG_OPLINE] = opline;
}

Test(php_capture, main_function_and_c_function)
{
	uint8_t *script = function(NULL, 1, 5), *total = function("total", 10, 5),
		*strlen_ = c_function("strlen");
	uint8_t *m = call(script, INFO_CODE | INFO_TOP, op(script, 2), NULL);
	uint8_t *t = call(total, 0, op(total, 3), m);

	call(strlen_, 0, 0x1234567, t);
	look();
	cr_assert_eq(walk.count, 3);
	cr_assert(!walk.cut && !walk.broken);
	cr_assert_eq(frames[0].code, addr_of(strlen_) | CODE_C);
	cr_assert_eq(frames[0].at, 0, "a C function has no opline");
	cr_assert(frames[0].flags & INTERP_C_FUNCTION);
	cr_assert_eq(frames[1].code, addr_of(total));
	cr_assert_eq(frames[1].at, op(total, 3));
	cr_assert_eq(frames[1].self, addr_of(t));
	cr_assert(!(frames[1].flags & FRAME_TOP));
	cr_assert_eq(frames[2].code, addr_of(script) | CODE_MAIN);
	cr_assert(frames[2].flags & FRAME_TOP);
}

Test(php_capture, known_functions_are_not_copied)
{
	uint8_t *script = function(NULL, 1, 5), *strlen_ = c_function("strlen");
	uint8_t *m = call(script, INFO_CODE | INFO_TOP, op(script, 2), NULL);

	call(strlen_, 0, 0, m);
	look();
	interp_plan_learn(&plan, &copy);
	interp_known_add(&known, addr_of(script) | CODE_MAIN);
	interp_known_add(&known, addr_of(strlen_) | CODE_C);
	look();
	cr_assert_eq(copy.reads, 0, "%u more reads", copy.reads);
	interp_plan_learn(&plan, &copy);
	cr_assert_leq(plan.count, 2, "the globals and the stack, not %zu ranges", plan.count);
	look_with(true);
	cr_assert_eq(walk.count, 2);
	cr_assert(frames[0].flags & INTERP_C_FUNCTION);
}

Test(php_capture, address_known_as_both_kinds_is_read)
{
	uint8_t *strlen_ = c_function("strlen");

	call(strlen_, INFO_TOP, 0, NULL);
	interp_known_add(&known, addr_of(strlen_) | CODE_C);
	interp_known_add(&known, addr_of(strlen_));
	look();
	cr_assert_eq(frames[0].code, addr_of(strlen_) | CODE_C);
}

Test(php_capture, closures_at_one_address_differ_and_are_copied_each_time)
{
	uint8_t *closure = function("{closure}", 20, 3), *other = function("{closure}", 30, 3);
	uint64_t first;

	call(closure, INFO_TOP | INFO_CLOSURE, op(closure, 0), NULL);
	look();
	first = frames[0].code;
	cr_assert_neq(first >> CODE_HASH, 0);
	cr_assert_eq(php_function(first), addr_of(closure));
	interp_known_add(&known, first);
	look();
	cr_assert_eq(frames[0].code, first);
	cr_assert(interp_copy_need(&copy, addr_of(closure), php82.line_start + 8),
		  "a known closure was not copied");
	memcpy(closure, other, OP_ARRAY_BYTES);
	look();
	cr_assert_neq(frames[0].code, first);
	cr_assert_eq(php_function(frames[0].code), addr_of(closure));
}

Test(php_capture, opline_in_the_register_counts_in_the_loop)
{
	uint8_t *f = function("f", 1, 9);
	uint8_t *frame = call(f, INFO_TOP, op(f, 1), NULL);

	set_regs(0x2000, frame, op(f, 7));
	look();
	cr_assert_eq(frames[0].at, op(f, 7));
	cr_assert(!(frames[0].flags & INTERP_INEXACT));
	cr_assert(frames[0].flags & FRAME_IN_LOOP);
}

Test(php_capture, opline_of_another_frame_in_the_register_does_not)
{
	uint8_t *f = function("f", 1, 9);

	call(f, INFO_TOP, op(f, 1), NULL);
	set_regs(0x2000, top, op(f, 7));
	look();
	cr_assert_eq(frames[0].at, op(f, 1));
	cr_assert(!(frames[0].flags & INTERP_INEXACT));
}

Test(php_capture, opline_in_a_c_function_is_uncertain)
{
	uint8_t *f = function("f", 1, 9);
	uint8_t *frame = call(f, INFO_TOP, op(f, 1), NULL);

	set_regs(0x20000, frame, op(f, 7));
	look();
	cr_assert_eq(frames[0].at, op(f, 7));
	cr_assert(frames[0].flags & INTERP_INEXACT);
	cr_assert(frames[0].flags & FRAME_IN_REGISTER);
	set_regs(0x20000, frame, op(f, 9));
	look();
	cr_assert_eq(frames[0].at, op(f, 1), "the register has no opline of this function");
	regs.unknown = UINT32_MAX;
	look();
	cr_assert_eq(frames[0].at, op(f, 1));
	cr_assert(frames[0].flags & INTERP_INEXACT);
}

Test(php_capture, opline_in_a_frame_is_certain_without_registers)
{
	uint8_t *f = function("f", 1, 9);
	uint8_t *frame = call(f, INFO_TOP, op(f, 1), NULL);

	rt.vm = VM_CALL;
	set_regs(0x20000, frame, op(f, 7));
	look();
	cr_assert_eq(frames[0].at, op(f, 1));
	cr_assert(!(frames[0].flags & INTERP_INEXACT));
}

Test(php_capture, exception_leads_to_the_opline_before)
{
	uint8_t *f = function("f", 1, 9);

	put(eg, 1000, op(f, 4), 8);
	call(f, INFO_TOP, addr_of(eg) + 1008, NULL);
	rt.vm = VM_CALL;
	look();
	cr_assert_eq(frames[0].at, op(f, 4));
}

Test(php_capture, deep_stack_is_copied_by_pages)
{
	uint8_t *f = function("f", 1, 9), *below = page, *prev = NULL;

	for (int i = 0; i < 20; i++)
		prev = call(f, i ? 0 : INFO_TOP, op(f, 1), prev);
	put(page, PAGE_TOP, addr_of(top), 8);
	set_page(map(PAGE_BYTES), below);
	for (int i = 0; i < 20; i++)
		prev = call(f, 0, op(f, 2), prev);
	look();
	cr_assert_eq(walk.count, 40);
	cr_assert(!walk.cut && !walk.broken);
	cr_assert_leq(copy.reads, 8, "%u reads", copy.reads);
}

static uint8_t *generator(uint8_t *frame)
{
	uint8_t *g = take(280);

	put(g, php82.generator_frame, addr_of(frame), 8);
	put(frame, FRAME_RESULT, addr_of(g), 8);
	return g;
}

static uint8_t *generator_frame(const uint8_t *func, const void *prev)
{
	uint8_t *frame = take(FRAME_SIZE);

	set_frame(frame, func, INFO_TOP | INFO_GENERATOR, op(func, 1), prev);
	return frame;
}

Test(php_capture, delegating_generators_stand_where_the_placeholder_is)
{
	uint8_t *script = function(NULL, 1, 5), *inner = function("inner", 10, 5),
		*middle = function("middle", 20, 5), *outer = function("outer", 30, 5);
	uint8_t *m = call(script, INFO_CODE | INFO_TOP, op(script, 2), NULL),
		*fake = take(FRAME_SIZE);
	uint8_t *executing = generator_frame(inner, fake), *root = generator(executing),
		*between = generator(generator_frame(middle, NULL)),
		*leaf = generator(generator_frame(outer, NULL));

	put(leaf, php82.generator_node, addr_of(between), 8);
	put(between, php82.generator_node, addr_of(root), 8);
	set_frame(fake, NULL, INFO_OBJECT, 0, m);
	put(fake, FRAME_THIS, addr_of(leaf), 8);
	put(eg, php82.vm_stack + EG_CURRENT, addr_of(executing), 8);
	look();
	cr_assert_eq(walk.count, 4);
	cr_assert_eq(frames[0].code, addr_of(inner));
	cr_assert_eq(frames[1].code, addr_of(middle));
	cr_assert_eq(frames[2].code, addr_of(outer));
	cr_assert(frames[0].flags & FRAME_TOP && !(frames[1].flags & FRAME_TOP),
		  "only one of them executes");
	cr_assert_eq(frames[3].code, addr_of(script) | CODE_MAIN);

	put((void *)(uintptr_t)frames[1].self, FRAME_RESULT, addr_of(leaf), 8);
	look();
	cr_assert_eq(walk.count, 3, "the frame of another generator");
	cr_assert_eq(walk.dropped, 1);

	put(root, php82.generator_node, addr_of(leaf), 8);
	look();
	cr_assert_leq(walk.count, sizeof(frames) / sizeof(*frames), "generators in a circle");
	put(root, php82.generator_frame, 0, 8);
	put(between, php82.generator_frame, 0, 8);
	put(leaf, php82.generator_frame, 0, 8);
	look();
	cr_assert_leq(walk.count, 3, "generators in a circle that have ended");
}

Test(php_capture, generator_without_a_caller_yet_is_cut)
{
	uint8_t *inner = function("inner", 10, 5);

	put(eg, php82.vm_stack + EG_CURRENT, addr_of(generator_frame(inner, NULL)), 8);
	look();
	cr_assert_eq(walk.count, 1);
	cr_assert(walk.cut && frames[0].flags & FRAME_LOST);
}

Test(php_capture, fiber_has_its_callers_on_another_stack)
{
	uint8_t *script = function(NULL, 1, 5), *f = function("f", 10, 5);
	uint8_t *m = call(script, INFO_CODE | INFO_TOP, op(script, 2), NULL),
		*starting = c_function(NULL), *base;

	rt.image_start = addr_of(starting);
	rt.image_end = addr_of(starting) + 4;
	set_page(map(PAGE_BYTES), NULL);
	base = call(starting, 0, 0, m);
	call(f, INFO_TOP, op(f, 2), base);
	look();
	cr_assert_eq(walk.count, 3);
	cr_assert(!walk.cut && !walk.broken);
	cr_assert(frames[1].flags & FRAME_BASE);
	cr_assert_eq(frames[2].code, addr_of(script) | CODE_MAIN);
	put(base, FRAME_PREV, 0, 8);
	look();
	cr_assert(walk.cut, "a fiber without a caller is being suspended");
}

Test(php_capture, frames_in_a_circle_are_broken)
{
	uint8_t *f = function("f", 1, 9);
	uint8_t *first = call(f, INFO_TOP, op(f, 1), NULL), *second = call(f, 0, op(f, 1), first);

	put(first, FRAME_PREV, addr_of(second), 8);
	look();
	cr_assert(walk.broken);
	cr_assert_leq(walk.count, 6);
	put(second, FRAME_PREV, addr_of(second), 8);
	look();
	cr_assert(walk.broken);
}

Test(php_capture, pointers_that_cannot_be_are_broken)
{
	uint8_t *f = function("f", 1, 9);
	uint8_t *frame = call(f, INFO_TOP, op(f, 1), (void *)8);
	const uint64_t bad[] = { 8, addr_of(frame) + 4, addr_of(top) + 160, UINT64_MAX & ~7ull,
				 1ull << 63 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put(frame, FRAME_PREV, bad[i], 8);
		look();
		cr_assert(walk.broken, "%lx", bad[i]);
		cr_assert_eq(walk.count, 1);
		cr_assert(frames[0].flags & FRAME_LOST);
	}
	put(frame, FRAME_FUNC, addr_of(f) + 1, 8);
	put(frame, FRAME_PREV, 0, 8);
	look();
	cr_assert_eq(walk.count, 0);
	cr_assert_eq(walk.dropped, 1);
}

Test(php_capture, lying_stack_pointers_are_survived)
{
	uint8_t *f = function("f", 1, 9);
	const uint64_t bad[] = { 0, 1, addr_of(page) - 1, UINT64_MAX, 1ull << 62 };

	call(f, INFO_TOP, op(f, 1), NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put(eg, php82.vm_stack + EG_STACK_TOP, bad[i], 8);
		look();
		put(eg, php82.vm_stack + EG_STACK, bad[i], 8);
		look();
		cr_assert_leq(copy.reads, INTERP_READS);
	}
}

Test(php_capture, globals_of_another_layout_give_nothing)
{
	uint8_t *f = function("f", 1, 9);

	call(f, INFO_TOP, op(f, 1), NULL);
	put(eg, php82.vm_stack + EG_PAGE_BYTES, addr_of(page), 8);
	look();
	cr_assert_eq(walk.count, 0);
}

Test(php_capture, nothing_runs)
{
	look();
	cr_assert_eq(walk.count, 0);
	cr_assert(!walk.cut && !walk.broken);
	rt.eg = 8;
	look();
	cr_assert_eq(walk.count, 0);
}

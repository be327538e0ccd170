/* Plans of where stacks go on, by walks that are made up. */
#include <criterion/criterion.h>

#include "base/process/maps.h"
#include "sampler/thread/stackplan.h"
#include "unwind/stack.h"

static struct stackplan plan;
static struct spans spans;
static bool known;

static void release(void)
{
	stackplan_release(&plan);
	spans_release(&spans);
}

TestSuite(stackplan, .fini = release);

enum { FRAMES = 8 };

static struct stack walk_of(uint64_t *sps)
{
	struct stack walk = { .sps = sps };

	while (walk.count < FRAMES && sps[walk.count])
		walk.count++;
	walk.used = sps[walk.count - 1] - sps[0];
	return walk;
}

static void learn(uint64_t *sps)
{
	struct stack walk = walk_of(sps);

	stackplan_learn(&plan, &walk, known ? &spans : NULL);
}

static size_t len_of(size_t i)
{
	size_t len;

	stackplan_bytes(&plan.ranges[i], 0, UINT64_MAX, &len);
	return len;
}

static uint64_t start_of(size_t i)
{
	size_t len;

	return stackplan_bytes(&plan.ranges[i], 0, UINT64_MAX, &len);
}

static bool has(uint64_t addr)
{
	for (size_t i = 0; i < plan.count; i++)
		if (addr - start_of(i) < len_of(i))
			return true;
	return false;
}

Test(stackplan, one_stack_needs_none)
{
	uint64_t sps[FRAMES + 1] = { 0x10000, 0x10100, 0x14000 }, near;
	struct stack walk = walk_of(sps);

	cr_assert_not(stackplan_near(&walk, NULL, &near));
	cr_assert_eq(near, 0x4000);
	learn(sps);
	cr_assert_eq(plan.count, 0);
}

Test(stackplan, a_large_frame_is_left_out)
{
	uint64_t sps[FRAMES + 1] = { 0x10000, 0x10100, 0x210000, 0x210080 }, near;
	struct stack walk = walk_of(sps);

	cr_assert(stackplan_near(&walk, NULL, &near));
	cr_assert_eq(near, 0x100);
	learn(sps);
	cr_assert_eq(plan.count, 1);
	cr_assert(has(0x210000 - 64), "what the frame has saved");
	cr_assert(has(0x210080));
	cr_assert_not(has(0x110000));
}

Test(stackplan, other_stacks_above_and_below)
{
	uint64_t sps[FRAMES + 1] = { 0x700000, 0x700010, 0x200000, 0x200200, 0x900000 };

	learn(sps);
	cr_assert_eq(plan.count, 2);
	cr_assert(has(0x200000 - 8) && has(0x200200) && has(0x900000 - 8));
	cr_assert_not(has(0x700000), "that is copied from the stack pointer on");
}

Test(stackplan, a_deeper_walk_widens_a_range)
{
	uint64_t sps[FRAMES + 1] = { 0x700000, 0x200000, 0x200200 },
			      deeper[FRAMES + 1] = { 0x700000, 0x1fe000, 0x200200 };

	learn(sps);
	learn(deeper);
	cr_assert(has(0x1fe000 - 8) && has(0x200200));
	for (int i = 0; i < 1000; i++)
		learn(sps);
	cr_assert(has(0x1fe000 - 8), "it stays so while it is used");
}

/* Stacks that are made one after the other lie side by side, a guard page between two. */
Test(stackplan, ranges_end_where_mappings_do)
{
	uint64_t sps[FRAMES + 1] = { 0x700000, 0x200010, 0x20ffe0, 0x211010, 0x220ff0, 0x400000 };
	size_t len;

	spans_begin(&spans);
	spans_add(&spans, 0x200000, 0x210000, "rw-p");
	spans_add(&spans, 0x211000, 0x221000, "rw-p");
	spans_end(&spans);
	known = true;
	learn(sps);
	cr_assert_eq(plan.count, 3);
	cr_assert_eq(stackplan_bytes(&plan.ranges[0], 0x200000, 0x210000, &len), 0x200000);
	cr_assert_eq(len, 0x10000);
}

Test(stackplan, what_is_not_used_any_more_goes)
{
	uint64_t sps[FRAMES + 1] = { 0x700000, 0x200000, 0x200200 },
			      one[FRAMES + 1] = { 0x700000, 0x700100 };

	learn(sps);
	for (int i = 0; i < 1000; i++)
		learn(one);
	cr_assert_eq(plan.count, 0);
}

Test(stackplan, is_bounded)
{
	uint64_t sps[FRAMES + 1] = { 0x700000, 0, 0 };

	for (uint64_t i = 1; i < 1000; i++) {
		sps[1] = i << 32;
		learn(sps);
	}
	cr_assert_leq(plan.count, STACKPLAN_RANGES);
	cr_assert(has(999ull << 32));
}

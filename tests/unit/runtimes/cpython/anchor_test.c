/* Frame objects paired with the C frames of the evaluation loop, up to 3.9. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/cpython/capture.h"
#include "runtimes/cpython/layout.h"
#include "unwind/stack.h"

enum { BASE = 0x7ffd00000000, C_FRAME = 256, WORDS = C_FRAME / 8, LOOP = 0x5000, COLD = 0x9000 };

static struct cpython python = { .version = CPYTHON_3_9, .loop = LOOP, .loop_end = LOOP + 0x1000 };
static struct stack stack;
static uint64_t words[32 * WORDS];
static struct interp_frame frames[8];
static size_t count;
static struct memory_bytes memory;

static void release(void)
{
	stack_release(&stack);
}

TestSuite(cpython_anchor, .fini = release);

/* A C frame, further out than the ones before, that holds an address `slot` words below its CFA. */
static void push(uint64_t pc, uint64_t holds, size_t slot)
{
	size_t n = stack.count;

	cr_assert_eq(stack_push(&stack, NULL, pc, n ? FRAME_RETURN : FRAME_PC), 0);
	stack.sps[n] = BASE + n * C_FRAME;
	words[(n + 1) * WORDS - slot] = holds;
}

static uint64_t self(size_t n)
{
	return 0x7f0000001000 + n * 512;
}

static void use(size_t number)
{
	count = number;
	for (size_t i = 0; i < count; i++)
		frames[i] = (struct interp_frame){ .code = 1, .self = self(i) };
}

static void pair(void)
{
	push(0x1000, 0, 1); /* main() */
	memory_bytes_init(&memory, words, BASE, sizeof(words));
	cpython_anchor(&python, NULL, &stack, &memory.memory, frames, count);
}

static long native(size_t n)
{
	return frames[n].anchor ? (long)((frames[n].anchor - BASE) / C_FRAME) : -1;
}

Test(cpython_anchor, is_the_c_frame_that_holds_the_address)
{
	use(3);
	push(LOOP + 8, self(0), 7);
	push(0x100, 0, 1);
	push(LOOP + 60, self(1), 7);
	push(0x100, self(1), 3); /* a function that the loop has called may have it, too */
	push(LOOP + 60, self(2), 12);
	pair();
	cr_assert(native(0) == 0 && native(1) == 2 && native(2) == 4, "%ld %ld %ld", native(0),
		  native(1), native(2));
}

Test(cpython_anchor, may_be_told_by_what_the_loop_has_called)
{
	use(2);
	push(LOOP + 8, self(0), 7);
	push(0x100, self(1), 5);
	push(LOOP + 60, 0, 1);
	pair();
	cr_assert(native(0) == 0 && native(1) == 2, "%ld %ld", native(0), native(1));
}

Test(cpython_anchor, may_be_in_the_cold_part_at_the_place_that_others_have)
{
	use(3);
	push(LOOP + 8, self(0), 7);
	push(0x100, self(1), 9);
	push(COLD, self(1), 7);
	push(0x100, 0, 1);
	push(LOOP + 60, self(2), 7);
	pair();
	cr_assert(native(0) == 0 && native(1) == 2 && native(2) == 4, "%ld %ld %ld", native(0),
		  native(1), native(2));
}

Test(cpython_anchor, is_given_in_order_only_where_both_are_as_many)
{
	use(3);
	push(LOOP + 8, 0, 1);
	push(0x100, 0, 1);
	push(0x100, 0, 1);
	push(LOOP + 8, 0, 1);
	push(0x100, 0, 1);
	push(0x100, 0, 1);
	push(LOOP + 60, self(2), 7);
	pair();
	cr_assert(native(0) == 0 && native(1) == 3 && native(2) == 6, "%ld %ld %ld", native(0),
		  native(1), native(2));
	use(2);
	frames[1].self = self(2);
	cpython_anchor(&python, NULL, &stack, &memory.memory, frames, count);
	cr_assert(native(0) == -1 && native(1) == 6, "%ld %ld", native(0), native(1));
}

Test(cpython_anchor, is_not_known_without_a_c_frame)
{
	use(2);
	push(0x100, self(0), 7);
	push(0x100, self(1), 7);
	pair();
	cr_assert(native(0) == -1 && native(1) == -1);
}

Test(cpython_anchor, is_captures_from_3_10_on)
{
	python.version = CPYTHON_3_10;
	use(1);
	push(LOOP, self(0), 7);
	pair();
	cr_assert(native(0) == -1);
}

Test(cpython_anchor, ends_soon_however_long_the_lists_are)
{
	static struct interp_frame many[16384];

	for (size_t i = 0; i < 16384; i++)
		many[i].self = self(i + 100);
	use(1);
	for (size_t i = 0; i < 31; i++)
		push(i & 1 ? LOOP : COLD, i, 7);
	for (size_t i = 31; i < 5000; i++) {
		cr_assert_eq(stack_push(&stack, NULL, i & 1 ? LOOP : COLD, FRAME_RETURN), 0);
		stack.sps[i] = BASE + 31 * C_FRAME + i * 4096;
	}
	memory_bytes_init(&memory, words, BASE, sizeof(words));
	cpython_anchor(&python, NULL, &stack, &memory.memory, many, 16384);
	cr_assert_eq(many[0].anchor, 0);
}

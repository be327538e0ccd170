/* Copies of this process's own memory, by plans that are right, stale and wrong. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "runtimes/common/copy.h"

static struct interp_copy copy;
static struct interp_plan plan;

static void end(void)
{
	interp_copy_release(&copy);
	interp_plan_release(&plan);
}

TestSuite(copy, .fini = end);

static void begin(void)
{
	struct memory_piece pieces[INTERP_RANGES];
	size_t count, got;

	cr_assert_eq(interp_copy_reserve(&copy, &plan), 0);
	interp_copy_begin(&copy, &plan);
	count = interp_copy_pieces(&copy, pieces);
	got = count ? memory_live_gather(getpid(), pieces, count) : 0;
	interp_copy_filled(&copy, got, getpid(), NULL);
}

static bool has(const void *there, size_t len)
{
	const void *bytes = interp_copy_need(&copy, (uint64_t)(uintptr_t)there, len);

	return bytes && !memcmp(bytes, there, len);
}

static void learn(void)
{
	interp_copy_end(&copy);
	cr_assert_eq(interp_plan_learn(&plan, &copy), 0);
}

Test(copy, what_was_needed_comes_by_itself_the_next_time)
{
	static char here[64] = "here", there[4096] = "there";

	begin();
	cr_assert(has(here, 64));
	cr_assert(has(there, 4096));
	cr_assert_eq(copy.reads, 2);
	learn();
	begin();
	cr_assert(has(here, 64));
	cr_assert(has(there + 1000, 96));
	cr_assert_eq(copy.reads, 0);
}

Test(copy, what_lies_near_is_in_the_last_piece_whole_and_is_needed_too)
{
	static char there[256] = "there", other[64];
	uint64_t at = (uint64_t)(uintptr_t)there;

	begin();
	cr_assert_null(interp_copy_near(&copy, at, 8));
	cr_assert(has(there, 256));
	learn();
	begin();
	cr_assert_not_null(interp_copy_near(&copy, at + 120, 8));
	cr_assert_null(interp_copy_near(&copy, at + 249, 8));
	cr_assert_null(interp_copy_near(&copy, at - 1, 8));
	learn();
	cr_assert_eq(plan.ranges[0].len, 128);
	begin();
	cr_assert(has(there, 64) && has(other, 64));
	cr_assert_null(interp_copy_near(&copy, at, 64));
}

Test(copy, what_is_not_needed_any_more_leaves_the_plan)
{
	static char here[64], far[8192];

	begin();
	has(here, 64);
	has(far + 4096, 64);
	learn();
	cr_assert_eq(plan.count, 2);
	begin();
	has(here, 64);
	learn();
	cr_assert_eq(plan.count, 1);
}

Test(copy, near_ranges_become_one)
{
	static char chunk[1024];

	begin();
	for (int i = 0; i < 4; i++)
		has(chunk + 100 * i, 80);
	learn();
	cr_assert_eq(plan.count, 1);
	cr_assert_eq(plan.ranges[0].len, 380);
}

/* The kernel stops at the missing page: what comes behind it is read again. */
Test(copy, near_ranges_become_one_in_any_order)
{
	static char chunk[4096], far[8192];

	begin();
	has(chunk + 2048, 80);
	has(far, 64);
	has(far + 4096, 64);
	has(chunk + 1500, 80);
	learn();
	cr_assert_eq(plan.count, 3);
	cr_assert_eq(plan.ranges[0].addr, (uint64_t)(uintptr_t)chunk + 1500);
	cr_assert_eq(plan.ranges[0].len, 628);
	begin();
	cr_assert(has(chunk + 1500, 80));
	cr_assert(has(chunk + 2048, 80));
	cr_assert_eq(copy.reads, 0);
}

Test(copy, a_page_that_is_gone)
{
	static char here[64] = "here", behind[4096] = "behind";
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	begin();
	cr_assert(has(here, 64));
	cr_assert(has(page, 128));
	cr_assert(has(behind + 2048, 64));
	learn();
	munmap(page, 4096);
	begin();
	cr_assert(has(here, 64));
	cr_assert_null(interp_copy_need(&copy, (uint64_t)(uintptr_t)page, 128));
	cr_assert(has(behind + 2048, 64));
}

Test(copy, reads_are_bounded)
{
	static char far[64 * 4096];
	int got = 0;

	begin();
	for (int i = 0; i < 64; i++)
		got += has(far + 4096 * i, 16);
	cr_assert_eq(got, INTERP_READS);
	cr_assert(copy.walk.cut);
}

Test(copy, bytes_are_bounded_and_there_is_more_room_next_time)
{
	static char large[300000] = "large";

	begin();
	cr_assert_not(has(large, sizeof(large)));
	cr_assert(copy.walk.cut);
	learn();
	begin();
	cr_assert(has(large, sizeof(large)));
}

Test(copy, lies_about_addresses_and_lengths)
{
	begin();
	cr_assert_null(interp_copy_need(&copy, UINT64_MAX - 3, 16));
	cr_assert_null(interp_copy_need(&copy, 0, 8));
	cr_assert_null(interp_copy_need(&copy, (uint64_t)(uintptr_t)&copy, SIZE_MAX));
	cr_assert_null(interp_copy_need(&copy, (uint64_t)(uintptr_t)&copy, SIZE_MAX - 6));
	cr_assert_null(interp_copy_need(&copy, (uint64_t)(uintptr_t)&copy, (size_t)1 << 32));
}

Test(copy, many_at_once_take_one_call)
{
	static char objects[100][512];
	uint64_t addrs[100];

	for (int i = 0; i < 100; i++)
		addrs[i] = (uint64_t)(uintptr_t)objects[i % 50];
	begin();
	interp_copy_need_all(&copy, addrs, 100, 64);
	cr_assert_eq(copy.reads, 1);
	cr_assert_eq(copy.count, 50);
	for (int i = 0; i < 50; i++)
		cr_assert(has(objects[i], 64));
	cr_assert_eq(copy.reads, 1);
}

Test(copy, afterwards_nothing_more_is_read)
{
	static char here[64] = "here", there[4096];
	char text[8];

	begin();
	has(here, 64);
	interp_copy_end(&copy);
	cr_assert_eq(copy.memory.read(&copy.memory, (uint64_t)(uintptr_t)here, text, 5), 0);
	cr_assert_str_eq(text, "here");
	cr_assert_eq(copy.memory.read(&copy.memory, (uint64_t)(uintptr_t)there, text, 5), ERR_IO);
}

/* A stack's copy may hold code objects: a thread's stack and the heap may lie in one mapping. */
Test(copy, afterwards_what_lay_in_the_stack_s_copy_is_there)
{
	static char stack[4096], later[sizeof(stack)];
	struct memory_bytes copied;
	char text[8];

	strcpy(stack, "held");
	memory_bytes_init(&copied, stack, (uint64_t)(uintptr_t)stack, 2048);
	cr_assert_eq(interp_copy_reserve(&copy, &plan), 0);
	interp_copy_begin(&copy, &plan);
	interp_copy_filled(&copy, 0, getpid(), &copied.memory);
	cr_assert(has(stack, 5));
	cr_assert_eq(copy.reads, 0);
	interp_copy_end(&copy);
	memcpy(later, stack, sizeof(stack));
	memory_bytes_init(&copied, later, (uint64_t)(uintptr_t)stack, sizeof(later));
	cr_assert_eq(copy.memory.read(&copy.memory, (uint64_t)(uintptr_t)stack, text, 5), 0);
	cr_assert_str_eq(text, "held");
	cr_assert_eq(copy.memory.read(&copy.memory, (uint64_t)(uintptr_t)stack + 2048, text, 5),
		     ERR_IO, "what was read later does not count as copied");
}

Test(copy, known_code_objects)
{
	static struct interp_known known;

	copy.known = &known;
	cr_assert(interp_copy_is_new(&copy, 4096));
	for (uint64_t code = 1; code <= 5000; code++)
		interp_known_add(&known, code * 208);
	for (uint64_t code = 1; code <= 5000; code++)
		cr_assert_not(interp_copy_is_new(&copy, code * 208), "%lu", code);
	interp_known_remove(&known, 4 * 208);
	cr_assert(interp_copy_is_new(&copy, 4 * 208));
}

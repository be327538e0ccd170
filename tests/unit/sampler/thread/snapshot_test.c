/* Stacks at the ends of mappings: our own memory, in the same way as another thread's. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/thread/snapshot.h"
#include "sampler/thread/threads.h"
#include "unwind/table/arch.h"

enum { PAGES = 16, ROOM = 4 * 4096 };

static struct snapshot s;
static char *stack; /* its lowest page and the page after it are not mapped */
static size_t page;

static void map_stack(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	stack = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	cr_assert_neq(stack, MAP_FAILED);
	for (size_t i = 0; i < PAGES * page / 8; i++)
		((uint64_t *)stack)[i] = i;
	cr_assert_eq(munmap(stack, page), 0);
	cr_assert_eq(munmap(stack + PAGES * page, page), 0);
	cr_assert_eq(snapshot_init(&s, ROOM), 0);
}

static void release(void)
{
	snapshot_release(&s);
}

TestSuite(snapshot, .init = map_stack, .fini = release);

/* Reads the word at the offset `at` of the stack from the copy. */
static int word(size_t at, uint64_t *value)
{
	return s.memory.read(&s.memory, (uint64_t)(uintptr_t)stack + at, value, sizeof(*value));
}

static void take(size_t sp, size_t want, size_t top)
{
	uint64_t base = (uint64_t)(uintptr_t)stack;

	snapshot_glance(&s, getpid(), &(struct call){ .number = -1, .pc = base, .sp = base + sp },
			want, top ? base + top : 0);
}

Test(snapshot, a_copy_begins_in_the_red_zone)
{
	uint64_t value;

	take(2 * page, 1024, 0);
	cr_assert_eq(word(2 * page - RED_ZONE, &value), 0);
	cr_assert_eq(value, (2 * page - RED_ZONE) / 8);
	cr_assert_eq(word(2 * page + 1024 - 8, &value), 0);
	cr_assert_eq(word(2 * page + 1024, &value), ERR_SHORT);
}

/* If a stack has never been deeper, the kernel has mapped no page below that of sp. */
Test(snapshot, the_red_zone_lies_below_all_that_is_mapped)
{
	uint64_t value;

	take(page + 16, 1024, 0);
	cr_assert_eq(word(page + 16, &value), 0);
	cr_assert_eq(value, (page + 16) / 8);
	cr_assert_eq(word(page + 512, &value), 0);
	cr_assert_eq(snapshot_read_on(&s, getpid()), 0);
	cr_assert_eq(word(page + ROOM - 8, &value), 0);
	cr_assert_eq(value, (page + ROOM - 8) / 8);
}

Test(snapshot, nothing_is_there)
{
	uint64_t value;

	take(page / 2, 1024, 0);
	cr_assert_eq(word(page / 2, &value), ERR_IO);
}

Test(snapshot, a_stack_ends_early)
{
	uint64_t value;

	take(PAGES * page - 512, 2048, 0);
	cr_assert_eq(word(PAGES * page - 8, &value), 0);
	cr_assert_eq(word(PAGES * page, &value), ERR_IO);
}

Test(snapshot, what_a_plan_names_is_copied)
{
	uint64_t base = (uint64_t)(uintptr_t)stack, value;
	struct stackplan_range ranges[] = { { base + 8 * page, base + 9 * page, 0 },
					    { base + (PAGES + 1) * page, base + (PAGES + 2) * page,
					      0 },
					    { base + 12 * page, base + 12 * page + 64, 0 } };
	struct stackplan plan = { ranges, 3, 3 };

	cr_assert_eq(snapshot_plan(&s, &plan), 0);
	take(2 * page, 1024, 0);
	*(uint64_t *)(stack + 8 * page) = 1;
	cr_assert_eq(word(8 * page, &value), 0);
	cr_assert_eq(value, page, "as it was copied, not as it is now");
	cr_assert_eq(word(9 * page, &value), 0);
	cr_assert_neq(word(10 * page, &value), 0);
	cr_assert_neq(word(PAGES * page, &value), 0, "a piece that is not there");
	cr_assert_eq(word(12 * page + 56, &value), 0, "one behind it");
	cr_assert_eq(value, (12 * page + 56) / 8);
}

Test(snapshot, what_was_not_copied_is_read_on_request)
{
	uint64_t value;

	take(2 * page, 1024, 0);
	cr_assert_neq(word(10 * page, &value), 0);
	cr_assert_eq(snapshot_read_on(&s, getpid()), 0);
	cr_assert_eq(word(10 * page, &value), 0);
	cr_assert_eq(value, 10 * page / 8);
	cr_assert_eq(word(PAGES * page - 8, &value), 0, "up to the end of its mapping");
	cr_assert_neq(word(PAGES * page, &value), 0);
	take(2 * page, 1024, 0);
	cr_assert_neq(word(10 * page, &value), 0, "until the next copy");
}

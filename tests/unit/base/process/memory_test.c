/* Our own memory, read in the same way as another process's. */
#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/memory.h"

enum { PAGE = 4096, MANY = 3000 };

static struct memory_live live;
static struct memory_piece pieces[MANY];
static uint8_t from[MANY], to[MANY];

static void begin(void)
{
	memory_live_init(&live, getpid());
	for (size_t i = 0; i < MANY; i++) {
		from[i] = (uint8_t)(i * 7 + 1);
		to[i] = 0;
		pieces[i] = (struct memory_piece){ (uintptr_t)&from[i], &to[i], 1 };
	}
}

TestSuite(memory, .init = begin);

static void check(const struct memory *m, size_t calls_max)
{
	cr_assert_leq(memory_gather(m, pieces, MANY), calls_max);
	for (size_t i = 0; i < MANY; i++) {
		bool missing = i == 0 || i == 1023 || i == 1024 || i == 2000 || i == MANY - 1;

		cr_assert_eq(pieces[i].len, missing ? 0 : 1, "%zu", i);
		cr_assert_eq(to[i], missing ? 0 : from[i], "%zu", i);
	}
}

static void miss_some(void)
{
	pieces[0].addr = 0;
	pieces[1023].addr = pieces[1024].addr = 8;
	pieces[2000].addr = UINT64_MAX;
	pieces[MANY - 1].addr = 1ull << 60;
}

Test(memory, many_pieces_are_read_in_few_calls)
{
	cr_assert_eq(memory_gather(&live.memory, pieces, MANY), 3);
	cr_assert_arr_eq(from, to, MANY);
	cr_assert_eq(memory_gather(&live.memory, pieces, 0), 0);
}

Test(memory, what_is_missing_hinders_no_other)
{
	miss_some();
	check(&live.memory, 8);
}

/* A piece that is mapped only in part is missing; the pieces after it are read. */
Test(memory, a_piece_is_whole_or_not_at_all)
{
	uint8_t *two = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	uint8_t buf[16];

	cr_assert_neq(two, MAP_FAILED);
	munmap(two + PAGE, PAGE);
	pieces[1] = (struct memory_piece){ (uintptr_t)two + PAGE - 8, buf, sizeof(buf) };
	memory_gather(&live.memory, pieces, 3);
	cr_assert_eq(pieces[0].len, 1);
	cr_assert_eq(pieces[1].len, 0);
	cr_assert_eq(pieces[2].len, 1);
	cr_assert_eq(to[2], from[2]);
}

Test(memory, of_a_process_that_has_gone_nothing_is_there)
{
	memory_live_init(&live, 1 << 30);
	cr_assert_eq(memory_gather(&live.memory, pieces, MANY), 1);
	for (size_t i = 0; i < MANY; i++)
		cr_assert_eq(pieces[i].len, 0);
}

Test(memory, other_memories_are_read_piece_by_piece)
{
	struct memory_bytes m;

	memory_bytes_init(&m, from, (uintptr_t)from, sizeof(from));
	miss_some();
	check(&m.memory, MANY);
}

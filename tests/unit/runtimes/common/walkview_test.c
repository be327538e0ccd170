/* A walk's view of memory: the same in the whole walk, new in the next one, and copied at once. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/walkview.h"

enum { START = 0x10000, BYTES = 1 << 16 };

static uint8_t bytes[BYTES];
static struct memory_bytes under;
static struct walkview *s;

static void setup(void)
{
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 7);
	memory_bytes_init(&under, bytes, START, sizeof(bytes));
	cr_assert_eq(walkview_new(&s, &under.memory), 0);
}

static void end(void)
{
	walkview_free(s);
}

TestSuite(walkview, .init = setup, .fini = end);

static uint8_t byte_at(uint64_t at)
{
	uint8_t byte = 0;

	cr_assert_eq(walkview_memory(s)->read(walkview_memory(s), START + at, &byte, 1), 0);
	return byte;
}

Test(walkview, the_same_in_a_walk_and_new_in_the_next)
{
	cr_expect_eq(byte_at(5), 35);
	bytes[5] = 1;
	bytes[6] = 2;
	cr_expect_eq(byte_at(5), 35);
	cr_expect_eq(byte_at(6), 42);
	walkview_begin(s);
	cr_expect_eq(byte_at(5), 1);
	cr_expect_eq(byte_at(6), 2);
}

Test(walkview, what_the_last_walk_has_read_needs_no_read_of_its_own)
{
	for (unsigned walk = 0; walk < 3; walk++) {
		for (uint64_t at = 0; at < BYTES; at += 4096)
			byte_at(at);
		walkview_begin(s);
	}
	byte_at(0);
	for (uint64_t at = 4096; at < BYTES; at += 4096)
		bytes[at] = 77; /* behind the copy */
	for (uint64_t at = 4096; at < BYTES; at += 4096)
		cr_expect(byte_at(at) != 77);
}

Test(walkview, long_reads_and_ends)
{
	const struct memory *m = walkview_memory(s);
	static uint8_t copy[BYTES];

	cr_assert_eq(m->read(m, START + 3, copy, 5000), 0);
	cr_expect(!memcmp(copy, bytes + 3, 5000));
	cr_assert_eq(m->read(m, START, copy, BYTES), 0);
	cr_expect(!memcmp(copy, bytes, BYTES));
	cr_expect_eq(m->read(m, START + BYTES - 4, copy, 8), ERR_IO);
	cr_expect_eq(m->read(m, UINT64_MAX - 3, copy, 8), ERR_IO);
	cr_expect_eq(m->read(m, START - 8, copy, 8), ERR_IO);
}

Test(walkview, a_line_that_is_not_whole)
{
	const struct memory *m = walkview_memory(s);
	uint8_t byte;

	memory_bytes_init(&under, bytes, START + 100, 50);
	cr_assert_eq(m->read(m, START + 120, &byte, 1), 0);
	cr_expect_eq(byte, bytes[20]);
}

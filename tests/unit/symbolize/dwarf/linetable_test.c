/*
 * Line programs made by hand. lookup_test and tests/oracle/symbols.test have those of
 * compilers.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "symbolize/dwarf/linetable.h"

TestSuite(linetable, .timeout = 20);

static uint8_t bytes[1024];
static size_t len;

static void put(const void *data, size_t n)
{
	memcpy(bytes + len, data, n);
	len += n;
}

#define PUT(...) put((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void put_number(uint64_t v, unsigned n)
{
	put(&v, n);
}

/* Version 4, one folder, two files; line_base -3, line_range 12, opcode_base 13. */
static void begin(uint8_t max_ops)
{
	len = 0;
	put_number(0, 4); /* the length, which finish() sets */
	put_number(4, 2);
	put_number(0, 4); /* the header's length, set below */
	PUT(1, max_ops, 1, (uint8_t)-3, 12, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1);
	put("sub\0", 5);
	put("a.c\0\0\0", 7);
	put("b.h\0\1\0\0", 7);
	put("", 1);
	put_number(len - 10, 4);
	memcpy(bytes + 6, bytes + len - 4, 4);
	len -= 4;
}

static void set_address(uint64_t addr)
{
	PUT(0, 9, 2);
	put_number(addr, 8);
}

static void end_sequence(uint8_t after)
{
	PUT(2, after, 0, 1, 1);
}

static int open_table(struct linetable **t)
{
	uint32_t rest = (uint32_t)len - 4;
	struct line_sections s;

	memcpy(bytes, &rest, 4);
	cursor_init(&s.line, bytes, len, "line");
	cursor_init(&s.line_str, NULL, 0, "line_str");
	cursor_init(&s.str, NULL, 0, "str");
	return linetable_new(t, &s, 0, "/build");
}

static struct linetable *finish(void)
{
	struct linetable *t = NULL;

	cr_assert_eq(open_table(&t), 0);
	return t;
}

static uint32_t line_at(const struct linetable *t, uint64_t addr)
{
	const struct line_row *row = linetable_find(t, addr);

	return row ? row->line : UINT32_MAX;
}

/* A special opcode that advances address and line. */
static uint8_t special(unsigned addr, int line)
{
	return (uint8_t)(13 + 12 * addr + (unsigned)(line + 3));
}

Test(linetable, rows_speak_up_to_the_next)
{
	struct linetable *t;

	begin(1);
	set_address(0x1000);
	PUT(special(0, 4), special(4, 2), 5, 7, 4, 2, special(3, -1)); /* set_column, set_file */
	end_sequence(5);
	t = finish();
	cr_assert_eq(line_at(t, 0xfff), UINT32_MAX);
	cr_assert_eq(line_at(t, 0x1000), 5);
	cr_assert_eq(line_at(t, 0x1003), 5);
	cr_assert_eq(line_at(t, 0x1004), 7);
	cr_assert_eq(line_at(t, 0x1007), 6);
	cr_assert_eq(linetable_find(t, 0x1007)->column, 7);
	cr_assert_eq(linetable_find(t, 0x1007)->file, 2);
	cr_assert_eq(line_at(t, 0x100b), 6);
	cr_assert_eq(line_at(t, 0x100c), UINT32_MAX);
	linetable_free(t);
}

Test(linetable, files_have_their_folders)
{
	struct linetable *t;
	const char *folder;

	begin(1);
	t = finish();
	cr_assert_null(linetable_file(t, 0, &folder));
	cr_assert_str_eq(linetable_file(t, 1, &folder), "a.c");
	cr_assert_str_eq(folder, "/build");
	cr_assert_str_eq(linetable_file(t, 2, &folder), "b.h");
	cr_assert_str_eq(folder, "sub");
	cr_assert_null(linetable_file(t, 3, &folder));
	linetable_free(t);
}

Test(linetable, of_one_address_the_last_row_counts)
{
	struct linetable *t;

	begin(1);
	set_address(0x1000);
	PUT(special(0, 1), special(0, 5));
	end_sequence(4);
	t = finish();
	cr_assert_eq(line_at(t, 0x1000), 7);
	linetable_free(t);
}

Test(linetable, code_that_was_thrown_away_has_no_lines)
{
	struct linetable *t;

	begin(1);
	set_address(0);
	PUT(special(0, 8));
	end_sequence(0x7f);
	set_address(0x40);
	PUT(special(0, 1));
	end_sequence(4);
	t = finish();
	cr_assert_eq(line_at(t, 0x20), UINT32_MAX);
	cr_assert_eq(line_at(t, 0x40), 2);
	linetable_free(t);
}

Test(linetable, of_two_sequences_the_inner_one_speaks)
{
	struct linetable *t;

	begin(1);
	set_address(0x1000);
	PUT(special(0, 1));
	end_sequence(0x40);
	set_address(0x1010);
	PUT(special(0, 6));
	end_sequence(0x10);
	t = finish();
	cr_assert_eq(line_at(t, 0x100f), 2);
	cr_assert_eq(line_at(t, 0x1010), 7);
	cr_assert_eq(line_at(t, 0x1020), 2);
	linetable_free(t);
}

Test(linetable, where_addresses_fall_nothing_is_guessed)
{
	struct linetable *t;

	begin(1);
	set_address(0x1000);
	PUT(special(0, 1), special(8, 1));
	set_address(0x900);
	PUT(special(0, 1));
	end_sequence(4);
	t = finish();
	cr_assert_eq(line_at(t, 0x1000), 2);
	cr_assert_eq(line_at(t, 0x1008), UINT32_MAX);
	cr_assert_eq(line_at(t, 0x900), 4);
	linetable_free(t);
}

Test(linetable, operations_of_long_instruction_words)
{
	struct linetable *t;

	begin(4);
	set_address(0x1000);
	PUT(special(0, 1), special(3, 1), special(2, 1)); /* op 0, op 3, op 1 of the next */
	end_sequence(8);
	t = finish();
	cr_assert_eq(line_at(t, 0x1000), 3);
	cr_assert_eq(line_at(t, 0x1001), 4);
	linetable_free(t);
}

Test(linetable, a_program_that_ends_early_is_kept_so_far)
{
	struct linetable *t;

	begin(1);
	set_address(0x1000);
	PUT(special(0, 1), special(8, 1), 9, 1);
	t = finish();
	cr_assert_eq(line_at(t, 0x1000), 2);
	cr_assert_eq(line_at(t, 0x1008), UINT32_MAX);
	linetable_free(t);
}

Test(linetable, broken_headers)
{
	struct linetable *t;

	begin(0); /* no operations */
	cr_assert_eq(open_table(&t), ERR_FORMAT);
	begin(1);
	bytes[4] = 6; /* version */
	cr_assert_eq(open_table(&t), ERR_FORMAT);
	begin(1);
	bytes[9] = 1; /* length of the header */
	cr_assert_eq(open_table(&t), ERR_FORMAT);
	len = 3;
	cr_assert_eq(open_table(&t), ERR_FORMAT);
}

/* DWARF 5: a list of 2^56 empty entries. */
Test(linetable, lists_without_end)
{
	struct linetable *t;

	len = 0;
	put_number(0, 4);
	PUT(5, 0, 8, 0, 40, 0, 0, 0, 1, 1, 1, (uint8_t)-3, 12, 1);
	PUT(0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
	put((const uint8_t[64]){ 0 }, 64);
	cr_assert_eq(open_table(&t), ERR_FORMAT);
}

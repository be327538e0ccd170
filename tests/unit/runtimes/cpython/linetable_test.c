/*
 * Line tables as CPython 3.8, 3.10 and 3.13 made them of one function, and as they were told where
 * lines begin (PyCode_Addr2Line, co_positions):
 *
 *      1 def f(a, b,               8     with c as d:
 *      2       c=1):               9         e = (
 *      3     try:                 10             a
 *      4         x = [...]        12             + d)
 *      5     finally:             13     return (x, e,
 *      6         b()              20             g(a,
 *                                 21               b))
 *
 * and tables that lie. tests/oracle/pylines.test has those of whole libraries.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtimes/cpython/linetable.h"

static struct arena arena;
static struct pylinetable table;

static void release(void)
{
	arena_release(&arena);
}

TestSuite(pylinetable, .fini = release);

static void begin(enum pylinetable_form form, const void *bytes, size_t len, uint64_t code_len,
		  uint32_t first_line)
{
	cr_assert_eq(pylinetable_init(&table, form, bytes, len, code_len, first_line, &arena), 0);
}

static void check(int64_t at, uint32_t line, uint32_t column)
{
	uint32_t our_line, our_column;

	pylinetable_find(&table, at, &our_line, &our_column);
	cr_assert(our_line == line && our_column == column, "byte %ld: %u:%u, not %u:%u", (long)at,
		  our_line, our_column, line, column);
}

struct start {
	unsigned at, line, column;
};

static void check_all(const struct start *starts, size_t count, unsigned code_len)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned at = starts[i].at, end = i + 1 < count ? starts[i + 1].at : code_len;
		     at < end; at += 2)
			check(at, starts[i].line, starts[i].column);
	check(code_len, 0, 0);
	check(INT64_MAX, 0, 0);
	check(-1, 1, 0);
	check(INT64_MIN, 1, 0);
}

// clang-format off
static const uint8_t of_3_8[] = {
	0x00, 0x02, 0x02, 0x01, 0x12, 0x02, 0x08, 0x02, 0x06, 0x02, 0x02, 0x02, 0x02, 0xfe,
	0x02, 0xff, 0x0c, 0x04, 0x04, 0x07, 0x04, 0x01, 0x02, 0xff, 0x02, 0xf9,
};

static const uint8_t of_3_10[] = {
	0x02, 0x02, 0x10, 0x01, 0x10, 0x02, 0x06, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0xfe,
	0x04, 0xff, 0x1c, 0xff, 0x04, 0x05, 0x04, 0x07, 0x02, 0x01, 0x02, 0xff, 0x04, 0xf9,
};

static const uint8_t of_3_13[] = {
	0x80, 0x00, 0xf0, 0x04, 0x03, 0x05, 0x0c, 0xd9, 0x18, 0x19, 0xd3, 0x0c, 0x1f, 0x99, 0x01,
	0x90, 0x31, 0x9b, 0x51, 0x8f, 0x51, 0x99, 0x01, 0x88, 0x01, 0xd0, 0x0c, 0x1f, 0xe1, 0x08,
	0x09, 0x8c, 0x03, 0xe1, 0x09, 0x0a, 0x88, 0x61, 0xe0, 0x0c, 0x0d, 0xe0, 0x0e, 0x0f, 0xf1,
	0x05, 0x02, 0x0d, 0x10, 0xf0, 0x03, 0x00, 0x09, 0x0a, 0xf7, 0x03, 0x00, 0x0a, 0x0b, 0xf0,
	0x0a, 0x00, 0x0d, 0x0e, 0x88, 0x71, 0xf4, 0x0e, 0x00, 0x0d, 0x0e, 0x88, 0x61, 0xd8, 0x0e,
	0x0f, 0xf3, 0x03, 0x01, 0x0d, 0x11, 0xf0, 0x0f, 0x08, 0x0c, 0x12, 0xf0, 0x00, 0x08, 0x05,
	0x12, 0xf9, 0xf2, 0x13, 0x00, 0x0d, 0x20, 0xf8, 0xe1, 0x08, 0x09, 0x8d, 0x03, 0xfa, 0xe7,
	0x09, 0x0a, 0x8d, 0x11, 0xfa,
};
// clang-format on

Test(pylinetable, lnotab_has_signed_deltas)
{
	static const struct start starts[] = {
		{ 0, 3, 0 },   { 2, 4, 0 },   { 20, 6, 0 },  { 28, 8, 0 },  { 34, 10, 0 },
		{ 36, 12, 0 }, { 38, 10, 0 }, { 40, 9, 0 },  { 52, 13, 0 }, { 56, 20, 0 },
		{ 60, 21, 0 }, { 62, 20, 0 }, { 64, 13, 0 },
	};

	begin(PYLINETABLE_LNOTAB, of_3_8, sizeof(of_3_8), 68, 1);
	check_all(starts, sizeof(starts) / sizeof(*starts), 68);
}

Test(pylinetable, pairs_have_ranges_and_signed_deltas)
{
	static const struct start starts[] = {
		{ 0, 3, 0 },   { 2, 4, 0 },   { 18, 6, 0 },  { 34, 8, 0 },  { 40, 10, 0 },
		{ 42, 12, 0 }, { 44, 10, 0 }, { 46, 9, 0 },  { 50, 8, 0 },  { 78, 13, 0 },
		{ 82, 20, 0 }, { 86, 21, 0 }, { 88, 20, 0 }, { 90, 13, 0 },
	};

	begin(PYLINETABLE_PAIRS, of_3_10, sizeof(of_3_10), 94, 1);
	check_all(starts, sizeof(starts) / sizeof(*starts), 94);
}

Test(pylinetable, locations_have_columns_and_ranges_without_a_line)
{
	static const struct start starts[] = {
		{ 0, 1, 1 },	 { 2, 3, 5 },	  { 4, 4, 25 },	   { 8, 4, 13 },    { 16, 4, 25 },
		{ 20, 4, 20 },	 { 22, 4, 30 },	  { 30, 4, 14 },   { 46, 4, 25 },   { 50, 4, 9 },
		{ 52, 4, 13 },	 { 54, 6, 9 },	  { 68, 8, 10 },   { 72, 8, 15 },   { 74, 10, 13 },
		{ 76, 12, 15 },	 { 78, 10, 13 },  { 82, 9, 9 },	   { 84, 8, 10 },   { 100, 13, 13 },
		{ 102, 13, 16 }, { 104, 20, 13 }, { 114, 20, 15 }, { 116, 21, 15 }, { 118, 20, 13 },
		{ 126, 13, 12 }, { 128, 13, 5 },  { 130, 0, 0 },   { 134, 4, 13 },  { 140, 0, 0 },
		{ 142, 6, 9 },	 { 158, 0, 0 },	  { 164, 8, 10 },  { 192, 0, 0 },
	};

	begin(PYLINETABLE_LOCATIONS, of_3_13, sizeof(of_3_13), 198, 1);
	check_all(starts, sizeof(starts) / sizeof(*starts), 198);
}

Test(pylinetable, a_pair_without_a_line_keeps_the_running_line)
{
	static const uint8_t bytes[] = { 4, 1, 2, 0x80, 2, 0, 0, 127, 2, 3 };

	begin(PYLINETABLE_PAIRS, bytes, sizeof(bytes), 10, 10);
	check(3, 11, 0);
	check(4, 0, 0);
	check(6, 11, 0);
	check(8, 141, 0);
}

Test(pylinetable, the_last_line_of_lnotab_holds_up_to_the_end_of_the_code)
{
	static const uint8_t odd[] = { 2, 1, 7 };

	begin(PYLINETABLE_LNOTAB, NULL, 0, 100, 7);
	check(0, 7, 0);
	check(99, 7, 0);
	check(100, 0, 0);
	begin(PYLINETABLE_LNOTAB, odd, sizeof(odd), 100, 7);
	check(0, 7, 0);
	check(50, 8, 0);
}

Test(pylinetable, lines_below_one_are_none)
{
	static const uint8_t lnotab[] = { 0, 0xfe, 2, 0x80, 2, 127, 2, 127 };
	static const uint8_t locations[] = { 0xe8, 3, 0xe8, 2, 0xf0, 3, 0, 1, 1 };

	begin(PYLINETABLE_LNOTAB, lnotab, sizeof(lnotab), 100, 3);
	check(0, 1, 0);
	check(2, 0, 0);
	check(4, 0, 0);
	check(6, 127, 0);
	begin(PYLINETABLE_LOCATIONS, locations, sizeof(locations), 100, 1);
	check(0, 0, 0); /* line 0, as of a module's first instruction */
	check(2, 1, 0);
	check(4, 0, 0);
}

/* Where an entry is broken, nothing has a line from there on. */
Test(pylinetable, behind_an_error_nothing_has_a_line)
{
	static const struct {
		uint8_t bytes[12];
		size_t len;
	} cases[] = {
		{ { 0xe8, 0, 0x12 }, 3 },	      /* no entry begins there */
		{ { 0xe8, 0, 0xe8 }, 3 },	      /* cut off */
		{ { 0xe8, 0, 0xe8, 0x7f, 0x7f }, 5 }, /* goes on and on */
		{ { 0xe8, 0, 0xe8, 0x40, 0x40, 0x40, 0x40, 0x40, 0x04 }, 9 }, /* 33 bits */
		{ { 0xe8, 0, 0xe8, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0 }, 10 },
		{ { 0xe8, 0, 0xf0, 0, 0, 1 }, 6 }, /* the last column is missing */
		{ { 0xe8, 0, 0xd0, 1 }, 4 },
		{ { 0xe8, 0, 0x80 }, 3 },
		{ { 0xe8, 0 }, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin(PYLINETABLE_LOCATIONS, cases[i].bytes, cases[i].len, 100, 5);
		check(0, 5, 0);
		check(2, 0, 0);
		check(50, 0, 0);
	}
}

Test(pylinetable, the_largest_numbers_are_read)
{
	/* + 0x7fffffff, - 0x7fffffff, a column of 2^31 */
	static const uint8_t bytes[] = { 0xe8, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 3,	   0xe8,
					 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 3,    0xf0, 0,
					 0,    0x40, 0x40, 0x40, 0x40, 0x40, 2,	   0 };

	begin(PYLINETABLE_LOCATIONS, bytes, sizeof(bytes), 100, 0);
	check(0, 0x7fffffff, 0);
	check(2, 0, 0);
	begin(PYLINETABLE_LOCATIONS, bytes, sizeof(bytes), 100, 9);
	check(0, 0, 0); /* beyond an int */
	check(2, 9, 0);
	check(4, 0, 0); /* a column that is none */
}

/* Each entry is one code unit and one line further, with a range without a line now and then; so
 * what is found from a mark must be the same as from the start. */
Test(pylinetable, long_tables_are_read_from_marks)
{
	enum { ENTRIES = 200000, UNITS = 2 * ENTRIES };
	uint8_t *bytes = malloc(3 * ENTRIES);
	size_t len = 0;

	for (unsigned i = 0; i < ENTRIES; i++) {
		bytes[len++] = i % 100 ? 0xe8 : 0xf8;
		if (i % 100)
			bytes[len++] = 2;
	}
	cr_assert_gt(len, 300 << 10);
	begin(PYLINETABLE_LOCATIONS, bytes, len, UNITS, 1);
	cr_assert_gt(table.marks_count, 90);
	for (unsigned i = 0; i < ENTRIES; i++)
		check(2 * i, i % 100 ? 1 + i - i / 100 : 0, 0);
	free(bytes);
}

/* Many entries of no code between two marks: the first instruction behind them is theirs. */
Test(pylinetable, marks_at_the_same_instruction_do_not_hide_a_range)
{
	enum { PAIRS = 10000 };
	uint8_t *bytes = calloc(2 * PAIRS + 4, 1);
	static const enum pylinetable_form forms[] = { PYLINETABLE_PAIRS, PYLINETABLE_LNOTAB };

	for (unsigned i = 0; i < PAIRS; i++)
		bytes[2 * i + 1] = 1;
	bytes[0] = 2;
	bytes[2 * PAIRS] = 2;
	bytes[2 * PAIRS + 1] = 5;
	for (unsigned k = 0; k < 2; k++) {
		begin(forms[k], bytes, 2 * PAIRS + 4, 100, 1);
		check(0, k ? 1 : 2, 0);
		check(2, k ? PAIRS + 1 : PAIRS + 6, 0);
	}
	check(4, PAIRS + 6, 0);
	free(bytes);
}

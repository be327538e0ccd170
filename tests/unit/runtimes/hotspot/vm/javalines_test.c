/* Line tables as HotSpot writes them, and bytes that are none. tests/tools/javanames was compared with
 * javap for whole libraries. */
#include <criterion/criterion.h>

#include "base/cursor.h"
#include "base/error.h"
#include "runtimes/hotspot/vm/javalines.h"

static uint32_t line, first_line;

static int find(const char *bytes, size_t len, int bci)
{
	struct cursor c;

	cursor_init(&c, bytes, len, "line table");
	return javalines_find(&c, UNSIGNED5_WITH_ZERO, bci, &line, &first_line);
}

/* bci 0: line 10 (an escape); 4: 11; 6: 9 (an escape: lines go back); 9: 16 */
static const char table[] = "\xff\x00\x14\x21\xff\x04\x03\x1f";

#define FIND(BCI) find(table, sizeof(table), BCI)

Test(javalines, the_line_is_that_of_the_last_bytecode_with_one)
{
	static const uint32_t lines[] = { 10, 10, 10, 10, 11, 11, 9, 9, 9, 16, 16 };

	for (int bci = 0; bci < (int)(sizeof(lines) / sizeof(*lines)); bci++) {
		cr_assert_eq(FIND(bci), 0);
		cr_expect(line == lines[bci] && first_line == 10, "%d: %u", bci, line);
	}
}

Test(javalines, before_the_first_bytecode_it_is_that_of_the_first)
{
	cr_assert_eq(FIND(-1), 0);
	cr_expect_eq(line, 10);
}

Test(javalines, of_two_lines_of_a_bytecode_the_first_counts_there)
{
	static const char twice[] = "\xff\x00\x14\x01\x12";

	cr_assert_eq(find(twice, sizeof(twice), 0), 0);
	cr_expect_eq(line, 10);
	cr_assert_eq(find(twice, sizeof(twice), 1), 0);
	cr_expect_eq(line, 11);
}

Test(javalines, an_empty_table_has_no_line)
{
	cr_assert_eq(find("\x00", 1, 3), 0);
	cr_expect_eq(line, 0);
	cr_expect_eq(first_line, 0);
}

Test(javalines, a_table_without_end_is_none)
{
	cr_expect_eq(find(table, sizeof(table) - 1, 3), ERR_FORMAT);
	cr_expect_eq(find(table, 2, 3), ERR_FORMAT);
	cr_expect_eq(find("", 0, 0), ERR_FORMAT);
}

Test(javalines, numbers_that_no_class_file_has_are_refused)
{
	cr_expect_eq(find("\xff\x01\x00\x00", 4, 0), ERR_FORMAT); /* bytecode -1 */
	cr_expect_eq(find("\xff\x00\xff\xff\xff\xff\x00\x00", 8, 0), ERR_FORMAT);
}

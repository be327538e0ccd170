/* Ends of lines as V8 counts them, and the lines and columns that follow from them. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/v8/heap/lines.h"

static void scan(struct v8_lines *l, const char *text)
{
	*l = (struct v8_lines){ 0 };
	cr_assert_eq(v8_lines_scan(l, text, strlen(text), false), 0);
	cr_assert_eq(v8_lines_finish(l), 0);
}

static void check(const struct v8_lines *l, uint32_t offset, uint32_t line, uint32_t column)
{
	uint32_t found_line, found_column;

	cr_assert(v8_lines_find(l, offset, &found_line, &found_column), "%u", offset);
	cr_expect_eq(found_line, line, "%u: line %u", offset, found_line);
	cr_expect_eq(found_column, column, "%u: column %u", offset, found_column);
}

Test(v8_lines, newlines)
{
	struct v8_lines l;
	uint32_t line, column;

	scan(&l, "ab\n\ncd");
	check(&l, 0, 0, 0);
	check(&l, 2, 0, 2); /* the newline is of the line that it ends */
	check(&l, 3, 1, 0);
	check(&l, 4, 2, 0);
	check(&l, 6, 2, 2); /* the text's end */
	cr_expect(!v8_lines_find(&l, 7, &line, &column));
	v8_lines_release(&l);
}

Test(v8_lines, an_empty_text_has_a_line)
{
	struct v8_lines l;

	scan(&l, "");
	check(&l, 0, 0, 0);
	v8_lines_release(&l);
}

Test(v8_lines, nothing_known_is_no_line)
{
	struct v8_lines l = { 0 };
	uint32_t line, column;

	cr_expect(!v8_lines_find(&l, 0, &line, &column));
}

Test(v8_lines, carriage_returns)
{
	struct v8_lines l;

	scan(&l, "a\r\nb\rc\r");
	cr_assert_eq(l.count, 4);
	check(&l, 3, 1, 0);
	check(&l, 5, 2, 0);
	check(&l, 7, 3, 0);
	v8_lines_release(&l);
}

/* The stretches of a cons string. */
Test(v8_lines, a_pair_may_be_in_two_pieces)
{
	struct v8_lines l = { 0 };

	cr_assert_eq(v8_lines_scan(&l, "a\r", 2, false), 0);
	cr_assert_eq(v8_lines_scan(&l, "\nb", 2, false), 0);
	cr_assert_eq(v8_lines_finish(&l), 0);
	cr_assert_eq(l.count, 2);
	check(&l, 3, 1, 0);
	v8_lines_release(&l);
}

Test(v8_lines, separators_of_two_bytes)
{
	static const uint16_t text[] = { 'a', 0x2028, 'b', 0x2029, 0x65e5, 0x0a0a };
	struct v8_lines l = { 0 };

	cr_assert_eq(v8_lines_scan(&l, text, sizeof(text) / sizeof(*text), true), 0);
	cr_assert_eq(v8_lines_finish(&l), 0);
	cr_assert_eq(l.count, 3);
	check(&l, 2, 1, 0);
	check(&l, 5, 2, 1);
	v8_lines_release(&l);
}

Test(v8_lines, ends_ascend)
{
	struct v8_lines l = { 0 };

	cr_assert_eq(v8_lines_add(&l, 5), 0);
	cr_expect_eq(v8_lines_add(&l, 4), ERR_FORMAT);
	v8_lines_release(&l);
}

/* Untrusted names in a line: control characters and length. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "pprof/graph/text.h"

static struct buffer out;

static void teardown(void)
{
	buffer_release(&out);
}

TestSuite(text, .fini = teardown);

static void expect(const char *want)
{
	cr_assert(out.len == strlen(want) && !memcmp(out.data, want, out.len), "'%.*s', not '%s'",
		  (int)out.len, (const char *)out.data, want);
	out.len = 0;
}

Test(text, controls_become_question_marks)
{
	cr_assert_eq(text_add(&out, "a\x1b[2Jb\n\t\0c\x7f", 11), 0);
	expect("a?[2Jb???c?");
	cr_assert_eq(text_add(&out,
			      "\xc2\x9b"
			      "31m \xc2\xb5s \xc2",
			      11),
		     0); /* CSI, and a mu */
	expect("?31m \xc2\xb5s ?");
}

Test(text, a_long_name_loses_its_middle)
{
	text_add_fitting(&out, "abcdefghijklmnop", 16, 0, 0);
	expect("abcdefghijklmnop");
	text_add_fitting(&out, "abcdefghijklmnop", 16, 16, 0);
	expect("abcdefghijklmnop");
	text_add_fitting(&out, "abcdefghijklmnop", 16, 15, 0);
	expect("abcdefg…jklmnop");
	text_add_fitting(&out, "abcdefghijklmnop", 16, 15, 4);
	expect("abcde…lmnop");
}

Test(text, columns_are_characters_and_colours_take_none)
{
	text_addf(&out, "line\n\x1b[31m12 ");
	text_add_fitting(&out, "äöüäöüäöüäöü", 24, 12, 0);
	expect("line\n\x1b[31m12 äöüä…üäöü");
}

Test(text, some_of_a_name_is_always_there)
{
	text_addf(&out, "%50s", "");
	text_add_fitting(&out, "abcdefghijklmnop", 16, 40, 0);
	cr_assert_eq(out.len, 50 + 7 + sizeof("…") - 1);
}

Test(text, there_is_an_end)
{
	struct error err;

	out.len = out.room = TEXT_MAX; /* not allocated: no byte of it is accessed */
	cr_assert_eq(text_add(&out, "x", 1), ERR_LIMIT);
	out.len = out.room = 0;
	cr_assert_eq(text_result(ERR_LIMIT, &err), ERR_LIMIT);
	cr_assert_str_eq(err.text, "the report is longer than 512 MiB");
	cr_assert_eq(text_result(0, &err), 0);
}

Test(text, a_prefix_is_counted_in_characters)
{
	cr_assert_eq(text_prefix("1.1µs", 6, 4), 5);
	cr_assert_eq(text_prefix("30s", 3, 4), 3);
	cr_assert_eq(text_prefix("1m30.5s", 7, 4), 4);
}

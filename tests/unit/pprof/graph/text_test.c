/* Untrusted names in a line: control characters and length. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/printer.h"
#include "pprof/graph/text.h"

static struct buffer out;
static struct printer to = { &out, 0 };

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
	print_foreign_bytes(&to, "a\x1b[2Jb\n\t\0c\x7f", 11);
	expect("a?[2Jb???c?");
	print_foreign_bytes(&to,
			    "\xc2\x9b"
			    "31m \xc2\xb5s \xc2",
			    11); /* CSI, and a mu */
	expect("?31m \xc2\xb5s ?");
	cr_assert_eq(to.rc, 0);
}

Test(text, a_long_name_loses_its_middle)
{
	text_add_fitting(&to, "abcdefghijklmnop", 16, 0, 0);
	expect("abcdefghijklmnop");
	text_add_fitting(&to, "abcdefghijklmnop", 16, 16, 0);
	expect("abcdefghijklmnop");
	text_add_fitting(&to, "abcdefghijklmnop", 16, 15, 0);
	expect("abcdefg…jklmnop");
	text_add_fitting(&to, "abcdefghijklmnop", 16, 15, 4);
	expect("abcde…lmnop");
}

Test(text, columns_are_characters_and_colours_take_none)
{
	print_to(&to, "line\n\x1b[31m12 ");
	text_add_fitting(&to, "äöüäöüäöüäöü", 24, 12, 0);
	expect("line\n\x1b[31m12 äöüä…üäöü");
}

Test(text, some_of_a_name_is_always_there)
{
	print_to(&to, "%50s", "");
	text_add_fitting(&to, "abcdefghijklmnop", 16, 40, 0);
	cr_assert_eq(out.len, 50 + 7 + sizeof("…") - 1);
}

Test(text, there_is_an_end)
{
	struct error err;

	out.len = out.room = PRINTER_MAX; /* not allocated: no byte of it is accessed */
	print_foreign(&to, "x");
	out.len = out.room = 0;
	cr_assert_eq(to.rc, ERR_LIMIT);
	cr_assert_eq(printer_result(&to, &err), ERR_LIMIT);
	cr_assert_str_eq(err.text, "the report is longer than 512 MiB");
}

Test(text, a_prefix_is_counted_in_characters)
{
	cr_assert_eq(text_prefix("1.1µs", 6, 4), 5);
	cr_assert_eq(text_prefix("30s", 3, 4), 3);
	cr_assert_eq(text_prefix("1m30.5s", 7, 4), 4);
}

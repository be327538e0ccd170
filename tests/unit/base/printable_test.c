/* What a terminal may be shown of foreign text. */
#include "base/printable.h"

#include <criterion/criterion.h>

#include "base/buffer.h"

static void shown(const char *from, const char *to)
{
	struct buffer b = { 0 };
	char text[64];

	strcpy(text, from);
	printable(text, sizeof(text));
	cr_assert_str_eq(text, to);
	cr_assert_eq(buffer_add_printable(&b, from, strlen(from)) || buffer_add(&b, "", 1), 0);
	cr_assert_str_eq((char *)b.data, to);
	buffer_release(&b);
}

Test(printable, what_is_shown_stays)
{
	shown("", "");
	shown("a b~", "a b~");
	shown("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd \xc2\xa0",
	      "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd \xc2\xa0");
}

Test(printable, what_acts_is_replaced)
{
	shown("\x01\t\n\x1b[2J\x7f", "???"
				     "?[2J?");
	shown("\xc2\x80-\xc2\x9b-\xc2\x9f", "?-?-?");
	shown("\xd8\x9c-\xe2\x80\x8e-\xe2\x80\x8f", "?-?-?"); /* marks of direction */
	shown("\xe2\x80\xaa-\xe2\x80\xae-\xe2\x81\xa6-\xe2\x81\xa9", "?-?-?-?"); /* overrides */
	shown("\xe2\x80\xa8-\xe2\x80\xa9", "?-?");				 /* separators */
}

Test(printable, bytes_that_are_no_character)
{
	shown("\x9b\xff\xe9", "???");
	shown("a\xe2\x80", "a??");
	shown("\xc0\x9b", "??");      /* overlong */
	shown("\xed\xa0\x80", "???"); /* a surrogate */
}

Test(printable, a_bound)
{
	char text[4] = { 'a', '\n', 'c', 'd' };

	printable(text, sizeof(text));
	cr_assert_str_eq(text, "a?c");
}

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

/* What reads as another name, or as none. */
Test(printable, what_is_invisible_is_replaced)
{
	shown("\xef\xbb\xbf"
	      "redis",
	      "?redis"); /* U+FEFF */
	shown("a\xe2\x80\x8b"
	      "b\xe2\x81\xa0"
	      "c\xe2\x81\xa4",
	      "a?b?c?"); /* U+200B, U+2060, U+2064 */
	shown("co\xc2\xad"
	      "op\xcd\x8f",
	      "co?op?");					  /* U+00AD, U+034F */
	shown("\xe3\x85\xa4-\xe1\x85\x9f-\xef\xbe\xa0", "?-?-?"); /* Hangul fillers */
	shown("\xf3\xa0\x81\xa1\xf3\xa0\x84\x80-\xf0\x9d\x85\xb3",
	      "?"
	      "?-?");				   /* tags, U+E0100, U+1D173 */
	shown("\xef\xbf\xb9-\xef\xbf\xbb", "?-?"); /* annotations */
}

/* A joiner between characters beyond Latin, a selector behind one. */
Test(printable, what_a_script_or_an_emoji_needs_stays)
{
	static const char *const texts[] = {
		"\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae\xd9\x88\xd8\xa7\xd9\x87\xd9\x85", /* Persian */
		"\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7",	/* Devanagari */
		"\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5", /* a heart on fire */
		"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", /* a family */
		"\xe8\x91\x9b\xf3\xa0\x84\x80\xe5\x9f\x8e", /* a variant of a Han character */
		"\xe1\xa0\xa8\xe1\xa0\x8e\xe1\xa0\xa0",	    /* Mongolian */
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		shown(texts[i], texts[i]);
}

Test(printable, joiners_elsewhere_are_replaced)
{
	shown("a\xe2\x80\x8d"
	      "b",
	      "a?b");
	shown("\xc3\xa9\xe2\x80\x8c\xd9\x85", "\xc3\xa9?\xd9\x85"); /* behind a Latin letter */
	shown("e\xcc\x81\xe2\x80\x8d\xd9\x85", "e\xcc\x81?\xd9\x85");
	shown("\xd9\x85\xe2\x80\x8d", "\xd9\x85?"); /* at the end */
	shown("\xd9\x85\xe2\x80\x8d"
	      "b",
	      "\xd9\x85?b");
	shown("\xd9\x85\xe2\x80\x8d\xe2\x80\x8d\xd9\x85", "\xd9\x85?"
							  "?\xd9\x85");
	shown("\xe2\x9d\xa4\xef\xb8\x8f\xef\xb8\x8f", "\xe2\x9d\xa4\xef\xb8\x8f?");
	shown("a\xef\xb8\x8f", "a?");
}

Test(printable, a_unit_has_at_most_its_bytes)
{
	/* U+20000 U+E0100 U+200D U+20000 */
	static const char text[] = "\xf0\xa0\x80\x80\xf3\xa0\x84\x80\xe2\x80\x8d\xf0\xa0\x80\x80";
	size_t size;

	cr_assert(printable_next(text, sizeof(text) - 1, &size));
	cr_assert_eq(size, PRINTABLE_MAX);
	for (size_t len = 1; len < sizeof(text); len++) {
		printable_next(text, len, &size);
		cr_assert(size <= len, "%zu of %zu", size, len);
	}
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

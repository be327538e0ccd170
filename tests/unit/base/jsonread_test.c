/* JSON as RFC 8259 has it: values, what is none, and texts that may be shown. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/jsonread.h"

static struct cursor c;

static void begin(const char *text)
{
	cursor_init(&c, text, strlen(text), "json");
}

static void assert_text(const char *json, const char *want)
{
	char text[64];

	begin(json);
	jsonread_text(&c, text, sizeof(text));
	jsonread_end(&c);
	cr_assert(!c.failed, "%s: %s", json, c.failed);
	cr_assert_str_eq(text, want);
}

Test(jsonread, texts_are_decoded)
{
	assert_text(" \"a\\\"b\\\\c\\/\" ", "a\"b\\c/");
	assert_text("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"",
		    "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_text("\"\xc3\xa9\"", "\xc3\xa9");
	assert_text("null", "");
}

Test(jsonread, control_characters_are_not_shown)
{
	assert_text("\"\\u001b[2J\\n\\u0000\\u007f\\u009b\xc2\x9b\"", "?[2J?????");
	assert_text("\"\\ud800x\\udc00\"", "\xef\xbf\xbdx\xef\xbf\xbd");
}

Test(jsonread, a_text_is_cut_at_a_character)
{
	char text[5];

	begin("\"abc\xc3\xa9z\"");
	jsonread_text(&c, text, sizeof(text));
	cr_assert(!c.failed);
	cr_assert_str_eq(text, "abc");
	cr_assert_eq(cursor_left(&c), 0);
}

Test(jsonread, members_are_read_and_skipped)
{
	char key[8];
	uint64_t sum = 0;
	double number = 0;

	begin("{\"x\": [1, {\"a\": [true, null]}, \"\\\"]\"], \"n\":7 ,\"d\" : -2.5e1, \"n\": 8}\n");
	for (bool first = jsonread_open(&c, '{'); jsonread_more(&c, &first, '}');) {
		jsonread_key(&c, key, sizeof(key));
		if (!strcmp(key, "n"))
			sum += jsonread_uint(&c);
		else if (!strcmp(key, "d"))
			number = jsonread_number(&c);
		else
			jsonread_skip(&c);
	}
	jsonread_end(&c);
	cr_assert(!c.failed, "%s", c.failed);
	cr_assert_eq(sum, 15);
	cr_assert_eq(number, -25);
}

Test(jsonread, null_is_no_number)
{
	begin("null");
	cr_assert(isnan(jsonread_number(&c)));
	cr_assert(!c.failed);
}

Test(jsonread, other_texts_fail)
{
	static const char *const bad[] = {
		"",	"{",	 "{\"a\"}", "{\"a\":}",	   "{a:1}",	 "[1 2]",
		"[1,]", "\"a",	 "\"\\x\"", "\"\\u12g4\"", "\"a\nb\"",	 "tru",
		"1e",	"1e999", "{} {}",   "[}",	   "{\"a\":1,}", "-"
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		begin(bad[i]);
		jsonread_skip(&c);
		jsonread_end(&c);
		cr_assert(c.failed, "%s", bad[i]);
	}
}

Test(jsonread, nesting_has_a_bound)
{
	char text[256];

	for (int depth = 60; depth <= 70; depth += 10) {
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		text[2 * depth] = '\0';
		begin(text);
		jsonread_skip(&c);
		cr_assert_eq(c.failed != NULL, depth > 64, "%d", depth);
	}
}

/* JSON strings: they are valid for any bytes. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"

static void expect(const char *text, size_t len, const char *wanted)
{
	struct buffer b = { 0 };

	cr_assert_eq(json_add_string(&b, text, len), 0);
	cr_assert_eq(b.len, strlen(wanted), "%.*s, not %s", (int)b.len, (char *)b.data, wanted);
	cr_assert_eq(memcmp(b.data, wanted, b.len), 0, "%.*s, not %s", (int)b.len,
		     (char *)b.data, wanted);
	buffer_release(&b);
}

#define EXPECT(text, wanted) expect(text, sizeof(text) - 1, "\"" wanted "\"")

Test(json, plain_text_stands_as_it_is)
{
	EXPECT("", "");
	EXPECT("operator new(unsigned long)", "operator new(unsigned long)");
	EXPECT("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	EXPECT("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

Test(json, what_json_reserves_is_escaped)
{
	EXPECT("a\"b\\c", "a\\\"b\\\\c");
	EXPECT("\n\t\x1b[2J\x7f", "\\u000a\\u0009\\u001b[2J\\u007f");
	EXPECT("a\0b", "a\\u0000b");
}

Test(json, what_is_no_utf8_is_replaced)
{
	EXPECT("\xff", "\\ufffd");
	EXPECT("a\x80z", "a\\ufffdz");
	EXPECT("\xc3", "\\ufffd");
	EXPECT("\xc3(", "\\ufffd(");
	EXPECT("\xe2\x82", "\\ufffd\\ufffd");
	EXPECT("\xc0\x80", "\\ufffd\\ufffd");		  /* overlong */
	EXPECT("\xe0\x9f\xbf", "\\ufffd\\ufffd\\ufffd");   /* overlong */
	EXPECT("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd");   /* a surrogate */
	EXPECT("\xf0\x8f\xbf\xbf", "\\ufffd\\ufffd\\ufffd\\ufffd");
	EXPECT("\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"); /* above U+10FFFF */
	EXPECT("\xf5\x80\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd");
}

Test(json, nothing_is_null)
{
	struct buffer b = { 0 };

	cr_assert_eq(json_add_text(&b, NULL), 0);
	cr_assert_eq(json_add_text(&b, "x"), 0);
	cr_assert_eq(b.len, 7);
	cr_assert_eq(memcmp(b.data, "null\"x\"", 7), 0);
	buffer_release(&b);
}

/* JSON strings: they are valid for any bytes. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"

static void expect(const char *text, size_t len, const char *wanted)
{
	struct buffer b = { 0 };
	struct json j = { &b, 0 };

	json_add_string(&j, text, len);
	cr_assert_eq(j.rc, 0);
	cr_assert_eq(b.len, strlen(wanted), "%.*s, not %s", (int)b.len, (char *)b.data, wanted);
	cr_assert_eq(memcmp(b.data, wanted, b.len), 0, "%.*s, not %s", (int)b.len, (char *)b.data,
		     wanted);
	buffer_release(&b);
}

#define EXPECT(text, wanted) expect(text, sizeof(text) - 1, "\"" wanted "\"")

Test(json, plain_text_stands_as_it_is)
{
	EXPECT("", "");
	EXPECT("operator new(unsigned long)", "operator new(unsigned long)");
	EXPECT("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	EXPECT("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
	       "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

Test(json, what_json_reserves_is_escaped)
{
	EXPECT("a\"b\\c", "a\\\"b\\\\c");
	EXPECT("\n\t\x1b[2J\x7f", "\\u000a\\u0009\\u001b[2J\\u007f");
	EXPECT("a\0b", "a\\u0000b");
}

Test(json, what_is_not_shown_is_escaped)
{
	EXPECT("a\xe2\x80\x8d\xe2\x80\xae\xef\xbb\xbf", "a\\u200d\\u202e\\ufeff");
	EXPECT("\xf3\xa0\x81\xa1", "\\udb40\\udc61"); /* U+E0061 */
	EXPECT("\xd9\x85\xe2\x80\x8c\xd8\xae",
	       "\xd9\x85\xe2\x80\x8c\xd8\xae"); /* a joiner in Persian */
}

Test(json, what_is_no_utf8_is_replaced)
{
	EXPECT("\xff", "\\ufffd");
	EXPECT("a\x80z", "a\\ufffdz");
	EXPECT("\xc3", "\\ufffd");
	EXPECT("\xc3(", "\\ufffd(");
	EXPECT("\xe2\x82", "\\ufffd\\ufffd");
	EXPECT("\xc0\x80", "\\ufffd\\ufffd");		 /* overlong */
	EXPECT("\xe0\x9f\xbf", "\\ufffd\\ufffd\\ufffd"); /* overlong */
	EXPECT("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"); /* a surrogate */
	EXPECT("\xf0\x8f\xbf\xbf", "\\ufffd\\ufffd\\ufffd\\ufffd");
	EXPECT("\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"); /* above U+10FFFF */
	EXPECT("\xf5\x80\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd");
}

Test(json, nothing_is_null)
{
	struct buffer b = { 0 };
	struct json j = { &b, 0 };

	json_add_text(&j, NULL);
	json_add_text(&j, "x");
	cr_assert(!j.rc && b.len == 7);
	cr_assert_eq(memcmp(b.data, "null\"x\"", 7), 0);
	buffer_release(&b);
}

Test(json, times_are_in_utc_and_before_1970_too)
{
	struct buffer b = { 0 };
	struct json j = { &b, 0 };

	json_add_time(&j, 1700000000123456789, 3);
	json_add_time(&j, 1700000000000000009, 9);
	json_add_time(&j, -1, 9);
	cr_assert(!j.rc && !buffer_add(&b, "", 1));
	cr_assert_str_eq((char *)b.data, "\"2023-11-14T22:13:20.123Z\""
					 "\"2023-11-14T22:13:20.000000009Z\""
					 "\"1969-12-31T23:59:59.999999999Z\"");
	buffer_release(&b);
}

Test(json, nothing_is_written_after_a_failure)
{
	struct buffer b = { 0 };
	struct json j = { &b, ERR_LIMIT };

	json_add(&j, "x");
	json_addf(&j, "%d", 1);
	json_add_text(&j, "x");
	json_add_time(&j, 1, 9);
	cr_assert(j.rc == ERR_LIMIT && !b.len);
}

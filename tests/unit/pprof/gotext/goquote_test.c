/* Quotes as Go's %q writes them. */
#include <criterion/criterion.h>

#include "base/buffer.h"
#include "pprof/gotext/goquote.h"

static void quotes(const char *text, size_t len, const char *want)
{
	struct buffer out = { 0 };

	cr_assert_eq(goquote(text, len, &out), 0);
	cr_assert_eq(buffer_add(&out, "", 1), 0);
	cr_assert_str_eq((char *)out.data, want);
	buffer_release(&out);
}

#define QUOTES(text, want) quotes(text, sizeof(text) - 1, want)

Test(goquote, leaves_what_can_be_seen)
{
	QUOTES("", "\"\"");
	QUOTES("plain text, 'quoted'", "\"plain text, 'quoted'\"");
	QUOTES("w\u00f6rker \u4e2d \U0001f600", "\"w\u00f6rker \u4e2d \U0001f600\"");
}

Test(goquote, escapes_the_rest)
{
	QUOTES("\"\\", "\"\\\"\\\\\"");
	QUOTES("\a\b\f\n\r\t\v", "\"\\a\\b\\f\\n\\r\\t\\v\"");
	QUOTES("\0\x1b\x7f", "\"\\x00\\x1b\\x7f\"");
	QUOTES("\u00a0\xc2\x85\u200b\ufeff\ue000", "\"\\u00a0\\u0085\\u200b\\ufeff\\ue000\"");
	QUOTES("\U000e0001", "\"\\U000e0001\"");
}

Test(goquote, shows_bytes_that_are_no_utf8)
{
	QUOTES("\xff", "\"\\xff\"");
	QUOTES("\xc3", "\"\\xc3\"");
	QUOTES("\xc0\x80", "\"\\xc0\\x80\"");
	QUOTES("\xed\xa0\x80", "\"\\xed\\xa0\\x80\"");
	QUOTES("\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\"");
	QUOTES("\xe4\xb8x", "\"\\xe4\\xb8x\"");
}

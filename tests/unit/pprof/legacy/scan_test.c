/* The scanners of legacy texts: numbers as Go's package strconv accepts them, white space as its
 * package strings defines it. */
#include <criterion/criterion.h>
#include <string.h>

#include "pprof/legacy/scan.h"

static struct cursor text(const char *s)
{
	struct cursor c;

	cursor_init(&c, s, strlen(s), "text");
	return c;
}

static void is_number(const char *s, unsigned base, int64_t want)
{
	int64_t v = 0;

	cr_assert(scan_int(text(s), base, &v) && v == want, "'%s': %ld", s, v);
}

static void is_none(const char *s, unsigned base)
{
	int64_t v;

	cr_assert(!scan_int(text(s), base, &v), "'%s'", s);
}

Test(legacy_scan, numbers_in_base_ten)
{
	is_number("0", 10, 0);
	is_number("007", 10, 7);
	is_number("-9223372036854775808", 10, INT64_MIN);
	is_number("+9223372036854775807", 10, INT64_MAX);
	is_none("9223372036854775808", 10);
	is_none("-9223372036854775809", 10);
	is_none("18446744073709551616", 10);
	is_none("", 10);
	is_none("-", 10);
	is_none("1_0", 10);
	is_none("a", 10);
}

Test(legacy_scan, numbers_in_the_base_that_they_name)
{
	is_number("0", 0, 0);
	is_number("12", 0, 12);
	is_number("010", 0, 8);
	is_number("0o17", 0, 15);
	is_number("0XfF", 0, 255);
	is_number("-0b101", 0, -5);
	is_number("1_000", 0, 1000);
	is_number("0x_ff", 0, 255);
	is_number("0_7", 0, 7);
	is_none("08", 0);
	is_none("0x", 0);
	is_none("_1", 0);
	is_none("1_", 0);
	is_none("1__0", 0);
	is_none("0xg", 0);
}

static void trims_to(const char *s, const char *want)
{
	struct cursor c = text(s);

	scan_trim(&c);
	cr_assert(scan_equals(&c, want), "'%s'", s);
}

Test(legacy_scan, trims_what_unicode_calls_space)
{
	trims_to("", "");
	trims_to(" \t\v\r\n", "");
	trims_to("\u00a0 a b\u3000", "a b");
	trims_to("\xc2\x85x\xc2\x85", "x");
	trims_to("\xa0x\xc2", "\xa0x\xc2"); /* not UTF-8, so no space */
	trims_to("\u200b", "\u200b");
}

Test(legacy_scan, runs_and_literals)
{
	struct cursor c = text("12ab -0x7f0xg"), run;

	cr_assert(scan_run(&c, is_digit, &run) && scan_equals(&run, "12"));
	cr_assert(!scan_run(&c, is_digit, &run) && !cursor_left(&run));
	cr_assert(!scan_take(&c, "abc") && scan_take(&c, "ab") && scan_take(&c, " -"));
	cr_assert(scan_take_0x(&c) && scan_run(&c, is_xdigit, &run) && scan_equals(&run, "7f0"));
	cr_assert(!scan_take_0x(&c) && scan_take(&c, "xg") && !cursor_left(&c));
	cr_assert_eq(scan_peek(&c, 0), -1);
	cr_assert_eq(scan_skip(&c, is_solid), 0);
}

Test(legacy_scan, finds_and_cuts)
{
	struct cursor c = text("a=b=c"), piece = scan_piece(&c, 2, 99);

	cr_assert_eq(scan_find(&c, "="), 1);
	cr_assert_eq(scan_find(&c, "=d"), -1);
	cr_assert(scan_equals(&piece, "b=c"));
	piece = scan_piece(&c, 4, 2);
	cr_assert_eq(cursor_left(&piece), 0);
	cr_assert_eq(scan_find(&piece, "c"), -1);
	cr_assert(scan_is_comment(text(" \u00a0# x")) && scan_is_comment(text("\t")));
	cr_assert(!scan_is_comment(text("x #")));
}

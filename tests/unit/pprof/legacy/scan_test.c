/* The scanners of Go's texts take what fmt writes, and nothing else. */
#include <criterion/criterion.h>
#include <string.h>

#include "pprof/legacy/scan.h"

static struct cursor text(const char *s)
{
	struct cursor c;

	cursor_init(&c, s, strlen(s), "text");
	return c;
}

static void is_number(const char *s, int64_t want)
{
	struct cursor c = text(s);
	int64_t v = scan_number(&c);

	cr_expect(!c.failed && !cursor_left(&c) && v == want, "'%s': %ld", s, v);
}

static void is_none(const char *s)
{
	struct cursor c = text(s);

	cr_expect(!scan_number(&c) && c.failed, "'%s'", s);
}

Test(legacy_scan, numbers)
{
	is_number("0", 0);
	is_number("70", 70);
	is_number("-9223372036854775808", INT64_MIN);
	is_number("9223372036854775807", INT64_MAX);
	is_none("9223372036854775808");
	is_none("-9223372036854775809");
	is_none("18446744073709551616");
	is_none("");
	is_none("-");
	is_none("+1");
	is_none("007");
	is_none("a");
}

Test(legacy_scan, counts_have_no_sign)
{
	struct cursor c = text("-1");

	cr_assert(!scan_count(&c) && c.failed);
}

Test(legacy_scan, addresses)
{
	struct cursor c = text("7fff0 0xffffffffffffffff"), other = text("7F");

	cr_assert_eq(scan_address(&c), 0x7fff0);
	scan_expect(&c, " 0x");
	cr_assert_eq(scan_address(&c), UINT64_MAX);
	cr_assert(!c.failed && !cursor_left(&c));
	cr_assert(!scan_address(&other) && other.failed);
}

Test(legacy_scan, literals)
{
	struct cursor c = text("12ab");

	cr_assert(!scan_take(&c, "13") && scan_take(&c, "12"));
	scan_expect(&c, "ab");
	cr_assert(!c.failed);
	scan_expect(&c, "c");
	cr_assert(c.failed && !scan_take(&c, ""));
}

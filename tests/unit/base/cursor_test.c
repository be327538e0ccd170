/* The one reader of untrusted bytes: every field, every truncation, every overflow. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

static void on(struct cursor *c, const char *bytes, size_t len)
{
	cursor_init(c, bytes, len, "bytes");
}

Test(cursor, reads_integers)
{
	struct cursor c;

	on(&c, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 15);
	cr_assert_eq(cursor_uint(&c, 1), 0x01);
	cr_assert_eq(cursor_uint(&c, 2), 0x0302);
	cr_assert_eq(cursor_uint(&c, 4), 0x07060504);
	cr_assert_eq(cursor_uint(&c, 8), 0x0f0e0d0c0b0a0908);
	cr_assert_eq(cursor_left(&c), 0);
	cr_assert_null(c.failed);
}

Test(cursor, fails_once_and_stays_failed)
{
	struct error err = { 0 };
	struct cursor c;

	on(&c, "\x01\x02\x03", 3);
	cursor_uint(&c, 2);
	cr_assert_eq(cursor_uint(&c, 2), 0);
	cr_assert_eq(cursor_uint(&c, 1), 0, "what would fit is not read any more");
	cr_assert_eq(cursor_left(&c), 0);
	cr_assert_eq(cursor_error(&c, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, "bytes: ends too early at offset 2");
	cursor_fail(&c, "another reason");
	cr_assert_str_eq(c.failed, "ends too early");
}

/* Reads a structure that has a field of every kind. True if all of it was there. */
static bool read_all(const char *bytes, size_t len)
{
	struct cursor c, line;
	bool had_line;

	on(&c, bytes, len);
	cursor_uint(&c, 8);
	cursor_uleb(&c);
	cursor_sleb(&c);
	cursor_bytes(&c, 3);
	had_line = cursor_line(&c, &line);
	if (!had_line)
		return false;
	cursor_number(&line, 16);
	cursor_expect(&line, '-');
	cursor_blanks(&line);
	cursor_number(&line, 10);
	return !c.failed && !line.failed;
}

Test(cursor, survives_truncation_at_every_byte)
{
	static const char whole[] = "12345678\xe5\x8e\x26\xc0\xbb\x78"
				    "abcfF0-  99\n";
	size_t len = sizeof(whole) - 1;

	cr_assert(read_all(whole, len));
	for (size_t n = 0; n < len - 2; n++) {
		char *copy = malloc(n + 1); /* a sanitizer detects a read beyond it */

		memcpy(copy, whole, n);
		cr_assert_not(read_all(copy, n), "%zu bytes", n);
		free(copy);
	}
}

Test(cursor, reads_leb128)
{
	static const struct {
		const char *bytes;
		size_t len;
		uint64_t u;
		int64_t s;
	} all[] = {
		{ "\x02", 1, 2, 2 },
		{ "\x7f", 1, 127, -1 },
		{ "\xe5\x8e\x26", 3, 624485, 624485 },
		{ "\xc0\xbb\x78", 3, 1973696, -123456 },
		{ "\x80\x00", 2, 0, 0 },
		{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct cursor c;

		on(&c, all[i].bytes, all[i].len);
		cr_assert_eq(cursor_uleb(&c), all[i].u, "uleb %zu", i);
		cr_assert_eq(cursor_left(&c), 0);
		on(&c, all[i].bytes, all[i].len);
		cr_assert_eq(cursor_sleb(&c), all[i].s, "sleb %zu", i);
	}
}

/* The tenth byte holds one bit of an unsigned number, or the sign of a signed one. */
Test(cursor, takes_leb128_of_64_bits_and_no_more)
{
	char bytes[12];
	struct cursor c;

	memset(bytes, 0x80, sizeof(bytes));
	for (unsigned last = 0; last < 256; last++) {
		bytes[9] = (char)last;
		on(&c, bytes, sizeof(bytes));
		cr_assert_eq(cursor_uleb(&c), last == 1 ? 1ull << 63 : 0);
		cr_assert_eq(!c.failed, last <= 1, "unsigned, %u", last);
		on(&c, bytes, sizeof(bytes));
		cr_assert_eq(cursor_sleb(&c), last == 0x7f ? INT64_MIN : 0);
		cr_assert_eq(!c.failed, last == 0 || last == 0x7f, "signed, %u", last);
	}
	on(&c, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10);
	cr_assert_eq(cursor_sleb(&c), INT64_MAX);
	on(&c, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
	cr_assert_eq(cursor_uleb(&c), UINT64_MAX);
	on(&c, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
	cr_assert_eq(cursor_uleb(&c), 0);
	cr_assert_str_eq(c.failed, "number of more than 64 bits");
}

Test(cursor, refuses_leb128_that_ends_too_early)
{
	struct cursor c;

	for (size_t n = 0; n < 10; n++) {
		char *copy = malloc(n + 1); /* a sanitizer detects a read beyond it */

		memset(copy, 0xff, n);
		on(&c, copy, n);
		cursor_uleb(&c);
		cr_assert_str_eq(c.failed, "ends too early");
		cr_assert_eq(c.failed_at, n);
		on(&c, copy, n);
		cursor_sleb(&c);
		cr_assert_str_eq(c.failed, "ends too early");
		free(copy);
	}
}

Test(cursor, splits_lines)
{
	struct cursor c, line;

	on(&c, "a\n\nlast", 7);
	cr_assert(cursor_line(&c, &line));
	cr_assert_eq(cursor_left(&line), 1);
	cr_assert(cursor_line(&c, &line));
	cr_assert_eq(cursor_left(&line), 0);
	cr_assert(cursor_line(&c, &line));
	cr_assert_eq(cursor_left(&line), 4);
	cr_assert_not(cursor_line(&c, &line));
}

Test(cursor, reads_numbers)
{
	struct cursor c;

	on(&c, "ffffffffffffffff", 16);
	cr_assert_eq(cursor_number(&c, 16), UINT64_MAX);
	on(&c, "10000000000000000", 17);
	cursor_number(&c, 16);
	cr_assert_not_null(c.failed);
	on(&c, "18446744073709551616", 20);
	cursor_number(&c, 10);
	cr_assert_not_null(c.failed);
	on(&c, "12ab", 4);
	cr_assert_eq(cursor_number(&c, 10), 12);
	cr_assert_eq(cursor_left(&c), 2);
	on(&c, "-1", 2);
	cursor_number(&c, 10);
	cr_assert_str_eq(c.failed, "number expected");
}

Test(cursor, huge_lengths_do_not_wrap)
{
	struct cursor c;

	on(&c, "abc", 3);
	cr_assert_null(cursor_bytes(&c, UINT64_MAX));
	on(&c, NULL, 100);
	cr_assert_eq(cursor_left(&c), 0);
}

/* Numbers as HotSpot writes them (the table in unsigned5.hpp), and bytes that are none. */
#include <criterion/criterion.h>

#include "base/cursor.h"
#include "runtimes/hotspot/vm/unsigned5.h"

static struct cursor c;

static uint32_t read_all(const char *bytes, size_t len, enum unsigned5_form form)
{
	cursor_init(&c, bytes, len, "number");
	return unsigned5_read(&c, form);
}

Test(unsigned5, one_byte_below_192_is_itself)
{
	cr_expect_eq(read_all("\x00", 1, UNSIGNED5_WITH_ZERO), 0);
	cr_expect_eq(read_all("\xbf", 1, UNSIGNED5_WITH_ZERO), 191);
	cr_expect_eq(cursor_left(&c), 0);
}

Test(unsigned5, without_zero_each_byte_is_one_more)
{
	cr_expect_eq(read_all("\x01", 1, UNSIGNED5_NO_ZERO), 0);
	cr_expect_eq(read_all("\xbf", 1, UNSIGNED5_NO_ZERO), 190);
	cr_expect_eq(read_all("\xc0\x01", 2, UNSIGNED5_NO_ZERO), 191);
	cr_expect_eq(read_all("\xc1\x01", 2, UNSIGNED5_NO_ZERO), 192);
}

Test(unsigned5, each_byte_counts_64_times_the_one_before)
{
	cr_expect_eq(read_all("\xc0\x00", 2, UNSIGNED5_WITH_ZERO), 192);
	cr_expect_eq(read_all("\xc0\x01", 2, UNSIGNED5_WITH_ZERO), 256);
	cr_expect_eq(read_all("\xc0\xc0\x01", 3, UNSIGNED5_WITH_ZERO), 192 + 192 * 64 + 4096);
}

Test(unsigned5, the_fifth_byte_is_the_last)
{
	read_all("\xff\xff\xff\xff\xff\x05", 6, UNSIGNED5_WITH_ZERO);
	cr_expect_eq(cursor_left(&c), 1);
	cr_expect_not(c.failed);
}

Test(unsigned5, a_number_that_is_cut_off_fails)
{
	read_all("\xc0", 1, UNSIGNED5_WITH_ZERO);
	cr_expect(c.failed);
	read_all("", 0, UNSIGNED5_NO_ZERO);
	cr_expect(c.failed);
}

Test(unsigned5, a_zero_is_no_number_where_there_are_none)
{
	read_all("\x00", 1, UNSIGNED5_NO_ZERO);
	cr_expect(c.failed);
	read_all("\xc0\x00", 2, UNSIGNED5_NO_ZERO);
	cr_expect(c.failed);
}

Test(unsigned5, signs_are_in_bit_0)
{
	cursor_init(&c, "\x00\x01\x02\x03", 4, "numbers");
	for (int i = 0; i < 4; i++)
		cr_expect_eq(unsigned5_read_signed(&c, UNSIGNED5_WITH_ZERO),
			     i & 1 ? -(i + 1) / 2 : i / 2);
}

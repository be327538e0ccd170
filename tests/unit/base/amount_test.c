/* How durations and sizes are written for people. */
#include <criterion/criterion.h>

#include "base/amount.h"

Test(amount, durations_have_three_digits_and_a_unit)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} all[] = {
		{ 0, "0 µs" },
		{ 950, "0.95 µs" },
		{ 36400, "36.4 µs" },
		{ 999400, "999 µs" },
		{ 999600, "1 ms" },
		{ 1234567, "1.23 ms" },
		{ 380000000, "380 ms" },
		{ 999600000, "1 s" },
		{ 1840000000, "1.84 s" },
		{ 59900000000, "59.9 s" },
		{ 62000000000, "1 min 02 s" },
		{ 7500000000000, "2 h 05 min" },
		{ 86400000000000, "24 h 00 min" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		cr_assert_str_eq(shown_duration(all[i].ns), all[i].text);
}

Test(amount, sizes_have_three_digits_and_a_unit)
{
	cr_assert_str_eq(shown_bytes(0), "0 B");
	cr_assert_str_eq(shown_bytes(999), "999 B");
	cr_assert_str_eq(shown_bytes(1023), "0.999 KiB");
	cr_assert_str_eq(shown_bytes(5 << 20), "5 MiB");
	cr_assert_str_eq(shown_bytes(12345678), "11.8 MiB");
	cr_assert_str_eq(shown_bytes(UINT64_MAX), "16 EiB");
}

/* How values are written. The expected texts are from google/pprof's measurement_test.go, and for
 * the ends of the range from its code. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/graph/measure.h"

static void expect_label(int64_t value, const char *from, const char *to, const char *want)
{
	char text[MEASURE_MAX];

	measure_label(value, from, to, text);
	cr_assert_str_eq(text, want, "%ld %s in %s: '%s', not '%s'", value, from, to, text, want);
}

Test(measure, labels_have_two_digits_and_a_unit)
{
	expect_label(0, "s", "minimum", "0");
	expect_label(1500, "ms", "auto", "1.50s");
	expect_label(-1500, "ms", "auto", "-1.50s");
	expect_label(2048, "bytes", "auto", "2kB");
	expect_label(1, "ns", "s", "0");
	expect_label(7, "count", "minimum", "7");
	expect_label(7, "widgets", "minimum", "7");
	expect_label(7, "widgets", "widgets", "7widgets");
	expect_label(INT64_MIN, "count", "minimum", "-9223372036854775808");
}

Test(measure, a_hostile_unit_is_cut_and_tamed)
{
	char unit[5000], text[MEASURE_MAX];

	memset(unit, '\x1b', sizeof(unit) - 1);
	unit[sizeof(unit) - 1] = '\0';
	measure_label(INT64_MAX, "no unit", unit, text);
	cr_assert_lt(strlen(text), (size_t)MEASURE_MAX);
	cr_assert_eq(strchr(text, '\x1b'), NULL);
}

static void expect_percent(int64_t value, int64_t total, const char *want)
{
	char text[MEASURE_MAX];

	cr_assert_str_eq(measure_percent(value, total, text), want, "%ld of %ld", value, total);
}

Test(measure, percentages_keep_two_digits)
{
	expect_percent(1, 0, "    0%");
	expect_percent(0, 7, "    0%");
	expect_percent(7, 7, "  100%");
	expect_percent(-7, 7, "  100%");
	expect_percent(9994, 10000, "99.94%");
	expect_percent(9995, 10000, "  100%");
	expect_percent(1, 100, " 1.00%");
	expect_percent(1, 1000, "  0.1%");
	expect_percent(1, 8000, "0.013%");
	expect_percent(1, INT64_MAX, "1.1e-17%");
}

Test(measure, sums_stay_within_their_range)
{
	cr_assert_eq(measure_sum(INT64_MAX, 1), INT64_MAX);
	cr_assert_eq(measure_sum(INT64_MIN, -1), INT64_MIN);
	cr_assert_eq(measure_sum(INT64_MAX, INT64_MIN), -1);
	cr_assert_eq(measure_magnitude(INT64_MIN), INT64_MAX);
	cr_assert_eq(measure_share(INT64_MAX, 1), INT64_MAX);
	cr_assert_eq(measure_share(INT64_MIN, 1), INT64_MIN);
	cr_assert_eq(measure_share(-1000, 0.005), -5);
}

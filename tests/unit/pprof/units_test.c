/* Conversions as in google/pprof's internal/measurement: the cases of its measurement_test.go, and
 * others. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "pprof/units.h"

struct conversion {
	int64_t value;
	const char *from, *to;
	double want;
	const char *unit;
};

static void check(const struct conversion *c, size_t count)
{
	for (size_t i = 0; i < count; i++, c++) {
		const char *unit = NULL;
		double got = units_scale(c->value, c->from, c->to, &unit);

		cr_expect(fabs(got - c->want) <= fabs(c->want) * 1e-12 && !strcmp(unit, c->unit),
			  "%ld %s in %s: %.17g %s", c->value, c->from, c->to, got, unit);
	}
}

#define CHECK(...) \
	do { \
		static const struct conversion list[] = { __VA_ARGS__ }; \
		check(list, sizeof(list) / sizeof(*list)); \
	} while (0)

Test(units, convert)
{
	CHECK({ 1, "s", "ms", 1000, "ms" }, { 1, "kb", "b", 1024, "B" },
	      { 1, "kbyte", "b", 1024, "B" }, { 1, "kilobyte", "b", 1024, "B" },
	      { 1, "mb", "kb", 1024, "kB" }, { 1, "gb", "mb", 1024, "MB" },
	      { 1024, "gb", "tb", 1, "TB" }, { 1024, "tb", "pb", 1, "PB" },
	      { 2048, "mb", "auto", 2, "GB" }, { 3600, "s", "hrs", 1, "hrs" },
	      { 5, "GCUs", "kilogcu", 0.005, "k*GCU" });
}

Test(units, choose_one_in_which_the_value_is_at_least_1)
{
	CHECK({ 999, "ns", "auto", 999, "ns" }, { 1000, "ns", "minimum", 1, "us" },
	      { 1, "bytes", "auto", 1, "B" }, { 0, "bytes", "auto", 0, "B" },
	      { 0, "ns", "auto", 0, "s" }, { 7200, "seconds", "auto", 2, "hrs" },
	      { -3072, "B", "auto", -3, "kB" });
}

Test(units, names)
{
	CHECK({ 1, "MICROSECONDS", "ns", 1000, "ns" }, { 1, "\u03bcs", "ns", 1000, "ns" },
	      { 1, "\u039cS", "ns", 1000, "ns" }, { 1, "hour", "s", 3600, "s" },
	      { 1, "hrs", "s", 3600, "s" }, { 1, "kbs", "b", 1024, "B" });
}

Test(units, what_is_not_known_stays)
{
	CHECK({ 5, "furlong", "mile", 5, "mile" }, { 5, "furlong", "count", 5, "" },
	      { 5, "", "", 5, "" }, { 5, "samples", "auto", 5, "" }, { 5, "bytes", "", 5, "B" },
	      { 5000, "ms", "furlong", 5, "s" },
	      { 5, "a_name_that_is_longer_than_any_unit_is", "s", 5, "s" });
}

Test(units, extremes)
{
	CHECK({ INT64_MIN, "count", "count", -0x1p63, "" },
	      { INT64_MIN, "b", "auto", -0x1p63, "B" },
	      { INT64_MAX, "ns", "hrs", 9223372036854775807e0 / 3600e9, "hrs" });
}

Test(units, kinds)
{
	cr_expect(units_compatible("kb", "Megabytes"));
	cr_expect(units_compatible("hours", "ns"));
	cr_expect_not(units_compatible("kb", "ns"));
	cr_expect_not(units_compatible("kb", "count"));
	cr_expect_not(units_compatible("count", "count"));
}

Test(units, how_many_of_one_another_is)
{
	cr_assert_eq(units_ratio("ms", "microseconds"), 1000);
	cr_assert_eq(units_ratio("Seconds", "ms"), 1000);
	cr_assert_eq(units_ratio("bytes", "kB"), 0x1p-10);
	cr_assert_eq(units_ratio("count", "bytes"), 1, "cannot be converted");
	cr_assert_eq(units_ratio("", "bytes"), 1);
}

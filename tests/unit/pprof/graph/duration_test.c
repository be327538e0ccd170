/* Go's time.Duration.String (time_test.go, durationTests). */
#include <criterion/criterion.h>

#include "pprof/graph/duration.h"

static void expect(int64_t nanos, const char *want)
{
	char text[DURATION_MAX];

	cr_assert_str_eq(duration_text(nanos, text), want, "%ld: '%s'", nanos, text);
}

Test(duration, as_go_writes_it)
{
	expect(0, "0s");
	expect(1, "1ns");
	expect(1100, "1.1µs");
	expect(2200000, "2.2ms");
	expect(3300000000, "3.3s");
	expect(245 * 1000000000L, "4m5s");
	expect(245001 * 1000000L, "4m5.001s");
	expect(18367001 * 1000000L, "5h6m7.001s");
	expect(480000000001, "8m0.000000001s");
	expect(INT64_MAX, "2562047h47m16.854775807s");
	expect(INT64_MIN, "-2562047h47m16.854775808s");
}

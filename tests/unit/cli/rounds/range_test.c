/* --from, --to and --last, and the bars. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cli/rounds/range.h"
#include "cli/rounds/spark.h"

/* 2023-11-14 22:13:20 UTC */
#define NOW 1700000000000000000

static void assert_range(const char *from, const char *to, const char *last, const char *want)
{
	struct range_options o = { .from = from, .to = to, .last = last };
	char text[80], first[24], end[24];
	struct error err = { 0 };
	struct batch_range r;
	int rc = range_make(&r, &o, NOW, &err);

	snprintf(text, sizeof(text), "%s to %s",
		 r.from == INT64_MIN ? "-" : range_time(r.from, first),
		 r.to == INT64_MAX ? "-" : range_time(r.to, end));
	cr_assert_str_eq(rc ? err.text : text, want);
}

Test(range, without_options_it_is_everything)
{
	assert_range(NULL, NULL, NULL, "- to -");
}

Test(range, a_time_of_day_is_the_last_one_and_to_follows_it)
{
	assert_range("10:05", "10:10", NULL, "2023-11-14 10:05:00 to 2023-11-14 10:10:00");
	assert_range("23:50", "00:10", NULL, "2023-11-13 23:50:00 to 2023-11-14 00:10:00");
	assert_range("22:13:20", NULL, NULL, "2023-11-14 22:13:20 to -");
	assert_range("22:13:21", NULL, NULL, "2023-11-13 22:13:21 to -");
	assert_range(NULL, "23:00", NULL, "- to 2023-11-13 23:00:00");
}

Test(range, a_date_is_all_of_its_day)
{
	assert_range("2023-11-12", "2023-11-12", NULL,
		     "2023-11-12 00:00:00 to 2023-11-13 00:00:00");
	assert_range("2023-11-12T10:05", "10:10", NULL,
		     "2023-11-12 10:05:00 to 2023-11-12 10:10:00");
	assert_range("2023-11-12T10:05:00+01:00", "@1699999999", NULL,
		     "2023-11-12 09:05:00 to 2023-11-14 22:13:19");
	assert_range(NULL, "2023-11-12", NULL, "- to 2023-11-13 00:00:00");
}

Test(range, last_ends_now_or_at_to)
{
	assert_range(NULL, NULL, "1h", "2023-11-14 21:13:20 to 2023-11-14 22:13:20");
	assert_range(NULL, "10:10", "5m", "2023-11-14 10:05:00 to 2023-11-14 10:10:00");
	assert_range(NULL, NULL, "2000000h", "1970-01-01 00:00:00 to 2023-11-14 22:13:20");
}

Test(range, what_is_no_range_is_refused)
{
	assert_range("10:05", NULL, "1h", "'--last' and '--from' exclude each other");
	assert_range("2023-11-12", "2023-11-11T00:00", NULL,
		     "'--to 2023-11-11T00:00' is not after '--from 2023-11-12'");
	assert_range("25:00", NULL, NULL,
		     "'25:00' is no time; expected one like 10:05, 2026-11-21, "
		     "2026-11-21T17:15:00Z or @1700000000");
	assert_range("10", NULL, NULL,
		     "'10' is no time; expected one like 10:05, 2026-11-21, "
		     "2026-11-21T17:15:00Z or @1700000000");
}

Test(range, moved_back_it_is_as_long)
{
	struct range_options o = { .last = "1h" }, open = { .to = "10:10" };
	struct error err;
	char text[24];
	struct batch_range r;

	cr_assert_eq(range_make(&r, &o, NOW, &err), 0);
	range_back(&r, 24 * 3600 * 1000000000ull);
	cr_assert_str_eq(range_time(r.from, text), "2023-11-13 21:13:20");
	cr_assert_str_eq(range_time(r.to, text), "2023-11-13 22:13:20");
	cr_assert_eq(range_make(&r, &open, NOW, &err), 0);
	range_back(&r, UINT64_MAX);
	cr_assert_eq(r.from, INT64_MIN);
}

static void assert_bars(const double *values, size_t count, size_t columns, bool ascii,
			const char *want)
{
	struct buffer b = { 0 };

	cr_assert_eq(spark_add(&b, values, count, columns, ascii) || buffer_add(&b, "", 1), 0);
	cr_assert_str_eq((char *)b.data, want);
	buffer_release(&b);
}

Test(spark, bars_go_from_the_least_to_the_most)
{
	static const double values[] = { 10, NAN, 24, 17, 10, 11, 12, 13 };

	assert_bars(values, 4, 80, false, "▁ █▅");
	assert_bars(values, 8, 80, true, "_ #=_..-");
	assert_bars(values, 8, 4, true, "_#.-"); /* the largest of each two */
	assert_bars(values, 1, 80, true, "_");
	assert_bars(values + 1, 1, 80, true, "");
}

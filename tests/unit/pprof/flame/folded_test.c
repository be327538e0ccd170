#include <criterion/criterion.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/flame/difference.h"
#include "pprof/flame/reports.h"
#include "tests/unit/pprof/report/fixture.h"

static void init(struct profile *p)
{
	profile_init(p);
	profile_add_type(p, "samples", "count");
}

static void sample(struct profile *p, int64_t value, uint32_t leaf, uint32_t caller)
{
	uint32_t stack[2] = { leaf, caller };

	profile_add_sample(p, stack, leaf ? caller ? 2 : 1 : 0, &value, NULL, 0);
}

static void assert_folded(const struct profile *p, enum report_by by, const char *expected)
{
	struct report_view v = { .by = by };
	struct buffer text = { 0 };

	cr_assert_eq(report_folded(p, &v, &text, NULL), 0);
	buffer_add(&text, "", 1);
	cr_assert_str_eq((char *)text.data, expected);
	buffer_release(&text);
}

Test(folded, sorted_and_added_up)
{
	struct profile p;
	uint32_t a, b, c;

	init(&p);
	c = add_frame(&p, "c");
	b = add_frame(&p, "b b");
	a = add_frame(&p, "a");
	sample(&p, 3, c, a);
	sample(&p, 1, b, a);
	sample(&p, 4, c, a);
	sample(&p, 0, b, b);
	sample(&p, 9, a, 0);
	sample(&p, 2, 0, 0);
	assert_folded(&p, REPORT_BY_FUNCTION, "[no stack] 2\na 9\na;b b 1\na;c 7\n");
	profile_release(&p);
}

/* Functions of the same name are one line, even if their files differ. */
Test(folded, lines_that_read_alike_are_one)
{
	struct profile p;
	uint32_t one, two, odd;

	init(&p);
	one = add_location(&p, 1, 0, add_function(&p, "init", "a.c"), 0);
	two = add_location(&p, 2, 0, add_function(&p, "init", "b.c"), 0);
	odd = add_frame(&p, "x;y\nz\x7f");
	sample(&p, 1, one, 0);
	sample(&p, 2, two, 0);
	sample(&p, 4, odd, one);
	assert_folded(&p, REPORT_BY_FUNCTION, "init 3\ninit;x:y z  4\n");
	profile_release(&p);
}

Test(folded, a_difference_has_two_columns)
{
	struct profile_label base;
	struct profile p;
	uint32_t a, b;
	int64_t zero = 0;

	init(&p);
	a = add_frame(&p, "a");
	b = add_frame(&p, "b");
	sample(&p, 5, a, 0);
	sample(&p, -3, a, 0);
	sample(&p, -7, b, 0);
	assert_folded(&p, REPORT_BY_FUNCTION, "a 3 5\nb 7 0\n");
	profile_release(&p);

	init(&p); /* the label alone makes it a difference, too */
	a = add_frame(&p, "a");
	sample(&p, 5, a, 0);
	base = string_label(&p, "pprof::base", "true");
	profile_add_sample(&p, &a, 1, &zero, &base, 1);
	assert_folded(&p, REPORT_BY_FUNCTION, "a 0 5\n");
	profile_release(&p);
}

Test(folded, threads_stand_below_their_stacks)
{
	struct profile_label thread;
	int64_t two = 2;
	struct profile p;
	uint32_t a;

	init(&p);
	a = add_frame(&p, "a");
	thread = string_label(&p, "thread", "io");
	profile_add_sample(&p, &a, 1, &two, &thread, 1);
	sample(&p, 1, a, 0);
	assert_folded(&p, REPORT_BY_THREAD, "[no thread];a 1\nio;a 2\n");
	profile_release(&p);
}

Test(folded, ends_of_the_range)
{
	int64_t sides[SIDES];
	struct profile p;
	uint32_t a;

	init(&p);
	a = add_frame(&p, "a");
	sample(&p, INT64_MAX, a, 0);
	sample(&p, INT64_MAX, a, 0);
	sample(&p, INT64_MIN, a, 0);
	assert_folded(&p, REPORT_BY_FUNCTION, "a 9223372036854775807 9223372036854775807\n");
	difference_split(INT64_MIN, sides);
	cr_assert_eq(sides[SIDE_BASE], INT64_MAX);
	cr_assert_eq(sides[SIDE_NEW], 0);
	profile_release(&p);
}

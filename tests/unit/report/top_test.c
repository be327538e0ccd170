/* Flat and cum as google/pprof counts them. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "pprof/profile.h"
#include "report/top.h"

static uint32_t function(struct profile *p, const char *name)
{
	struct profile_function fn = { 0 };
	uint32_t id;

	profile_string(p, name, &fn.name);
	profile_add_function(p, &fn, &id);
	return id;
}

static uint32_t location(struct profile *p, uint64_t address, uint32_t inner, uint32_t outer)
{
	struct profile_line lines[2] = { { .function = inner }, { .function = outer } };
	struct profile_location loc = { .address = address };
	uint32_t id;

	profile_add_location(p, &loc, lines, inner ? outer ? 2 : 1 : 0, &id);
	return id;
}

/* One type, and as many samples as a test adds. */
static void init(struct profile *p)
{
	profile_init(p);
	profile_add_type(p, "samples", "count");
}

static void sample(struct profile *p, int64_t value, size_t depth, const uint32_t *stack)
{
	profile_add_sample(p, stack, depth, &value, NULL, 0);
}

static void assert_row(const struct report_top *top, size_t i, const char *name, int64_t flat,
		       int64_t cum)
{
	cr_assert_lt(i, top->count);
	cr_assert_str_eq(top->rows[i].name, name);
	cr_assert_eq(top->rows[i].flat, flat, "%s: flat %ld", name, top->rows[i].flat);
	cr_assert_eq(top->rows[i].cum, cum, "%s: cum %ld", name, top->rows[i].cum);
}

Test(top, counts_recursion_once_and_inlined_calls_as_frames)
{
	uint32_t a, b, stack[3];
	struct report_top top;
	struct profile p;

	init(&p);
	a = function(&p, "a");
	b = function(&p, "b");
	/* b inlined into a, called by a, called by a */
	stack[0] = location(&p, 1, b, a);
	stack[1] = location(&p, 2, a, 0);
	stack[2] = location(&p, 3, a, 0);
	sample(&p, 10, 3, stack);
	sample(&p, 5, 2, stack + 1);
	cr_assert_eq(report_top_rows(&p, 0, &top, NULL), 0);
	cr_assert_eq(top.total, 15);
	cr_assert_eq(top.count, 2);
	assert_row(&top, 0, "b", 10, 10);
	assert_row(&top, 1, "a", 5, 15);
	report_top_release(&top);
	profile_release(&p);
}

/* As google/pprof shows them: names alone tell functions apart. */
Test(top, goes_by_name_or_file)
{
	struct profile_mapping m = { 0 };
	struct profile_function twin = { .start_line = 70 };
	struct profile_location loc = { .address = 9 };
	struct report_top top;
	struct profile p;
	uint32_t id, twice[2];

	init(&p);
	twice[0] = location(&p, 1, function(&p, "a"), 0);
	profile_string(&p, "a", &twin.name);
	profile_string(&p, "other.c", &twin.filename);
	profile_add_function(&p, &twin, &id);
	twice[1] = location(&p, 2, id, 0);
	sample(&p, 1, 2, twice);
	sample(&p, 2, 1, twice + 1);
	profile_string(&p, "/lib/libfoo.so", &m.filename);
	profile_add_mapping(&p, &m, &loc.mapping);
	for (loc.address = 10; loc.address < 15; loc.address++) {
		profile_add_location(&p, &loc, NULL, 0, &id);
		sample(&p, 4, 1, &id);
	}
	id = location(&p, 0xabc, 0, 0);
	sample(&p, 1, 1, &id);
	cr_assert_eq(report_top_rows(&p, 0, &top, NULL), 0);
	cr_assert_eq(top.count, 3);
	assert_row(&top, 0, "[libfoo.so]", 20, 20);
	assert_row(&top, 1, "a", 3, 3);
	assert_row(&top, 2, "<unknown>", 1, 1);
	report_top_release(&top);
	profile_release(&p);
}

Test(top, orders_by_flat_then_cum_then_name)
{
	static const char *const names[] = { "leaf", "z", "y", "main" };
	struct report_top top;
	struct profile p;
	uint32_t stack[4];

	init(&p);
	for (uint32_t i = 0; i < 4; i++)
		stack[i] = location(&p, i + 1, function(&p, names[i]), 0);
	sample(&p, 3, 4, stack);
	sample(&p, 2, 1, stack + 3);
	cr_assert_eq(report_top_rows(&p, 0, &top, NULL), 0);
	assert_row(&top, 0, "leaf", 3, 3);
	assert_row(&top, 1, "main", 2, 5);
	assert_row(&top, 2, "y", 0, 3);
	assert_row(&top, 3, "z", 0, 3);
	report_top_release(&top);
	profile_release(&p);
}

Test(top, differences_and_zeros)
{
	struct report_top top;
	struct profile p;
	uint32_t less, more, zero;

	init(&p);
	less = location(&p, 1, function(&p, "less"), 0);
	more = location(&p, 2, function(&p, "more"), 0);
	zero = location(&p, 3, function(&p, "zero"), 0);
	sample(&p, -7, 1, &less);
	sample(&p, 4, 1, &more);
	sample(&p, 0, 1, &zero);
	cr_assert_eq(report_top_rows(&p, 0, &top, NULL), 0);
	cr_assert_eq(top.total, 11);
	cr_assert_eq(top.count, 2);
	assert_row(&top, 0, "less", -7, -7);
	assert_row(&top, 1, "more", 4, 4);
	report_top_release(&top);
	profile_release(&p);
}

Test(top, sums_do_not_wrap)
{
	struct report_top top;
	struct profile p;
	uint32_t a, b;

	init(&p);
	a = location(&p, 1, function(&p, "a"), 0);
	b = location(&p, 2, function(&p, "b"), 0);
	sample(&p, INT64_MAX, 1, &a);
	sample(&p, INT64_MAX, 1, &a);
	sample(&p, INT64_MIN, 1, &b);
	sample(&p, INT64_MIN, 1, &b);
	cr_assert_eq(report_top_rows(&p, 0, &top, NULL), 0);
	cr_assert_eq(top.total, INT64_MAX);
	assert_row(&top, 0, "a", INT64_MAX, INT64_MAX);
	assert_row(&top, 1, "b", INT64_MIN, INT64_MIN);
	report_top_release(&top);
	profile_release(&p);
}

Test(top, picks_the_type_and_refuses_what_is_not_there)
{
	const int64_t values[] = { 1, 1000 };
	struct error err = { 0 };
	struct report_top top;
	struct profile p;
	uint32_t id;

	init(&p);
	profile_add_type(&p, "cpu", "nanoseconds");
	id = location(&p, 1, function(&p, "a"), 0);
	profile_add_sample(&p, &id, 1, values, NULL, 0);
	profile_add_sample(&p, NULL, 0, values, NULL, 0);
	cr_assert_eq(report_top_rows(&p, 1, &top, NULL), 0);
	cr_assert_eq(top.total, 2000, "samples without a stack count, too");
	assert_row(&top, 0, "a", 1000, 1000);
	report_top_release(&top);
	cr_assert_eq(report_top_rows(&p, 2, &top, &err), ERR_USAGE);
	cr_assert_str_eq(err.text, "the profile has 2 sample types, not 3");
	report_top_release(&top);
	profile_release(&p);
}

Test(top, empty_profile)
{
	struct report_top top;
	struct profile p;

	init(&p);
	cr_assert_eq(report_top_rows(&p, 0, &top, NULL), 0);
	cr_assert_eq(top.count, 0);
	cr_assert_eq(top.total, 0);
	report_top_release(&top);
	profile_release(&p);
}

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

Test(top, counts_recursion_once_and_inlined_calls_as_frames)
{
	uint32_t a, b, stack[4];
	struct report_top top;
	int64_t value = 10;
	struct profile p;

	profile_init(&p);
	profile_add_type(&p, "samples", "count");
	a = function(&p, "a");
	b = function(&p, "b");
	/* b inlined into a, called by a, called by a */
	stack[0] = location(&p, 1, b, a);
	stack[1] = location(&p, 2, a, 0);
	stack[2] = location(&p, 3, a, 0);
	profile_add_sample(&p, stack, 3, &value, NULL, 0);
	value = 5;
	profile_add_sample(&p, stack + 1, 2, &value, NULL, 0);
	stack[0] = location(&p, 0xabc, 0, 0);
	value = 1;
	profile_add_sample(&p, stack, 1, &value, NULL, 0);
	cr_assert_eq(report_top(&p, 0, &top, NULL), 0);
	cr_assert_eq(top.total, 16);
	cr_assert_eq(top.count, 3);
	cr_assert_str_eq(top.rows[0].name, "b");
	cr_assert_eq(top.rows[0].flat, 10);
	cr_assert_str_eq(top.rows[1].name, "a");
	cr_assert_eq(top.rows[1].flat, 5);
	cr_assert_eq(top.rows[1].cum, 15);
	cr_assert_str_eq(top.rows[2].name, "0000000000000abc ");
	report_top_release(&top);
	cr_assert_eq(report_top(&p, 1, &top, NULL), ERR_USAGE);
	profile_release(&p);
}

/* The model: which entries are kept once, which are not, and growing arrays. */
#include <criterion/criterion.h>

#include "pprof/append.h"
#include "pprof/profile.h"

Test(profile, keeps_functions_once)
{
	struct profile_function fn = { 0 };
	uint32_t first, again, other;
	struct profile p;

	profile_init(&p);
	profile_add_function(&p, &fn, &first);
	profile_add_function(&p, &fn, &again);
	cr_assert_eq(first, 1, "numbers count from 1");
	cr_assert_eq(first, again);
	fn.start_line = 1;
	profile_add_function(&p, &fn, &other);
	cr_assert_eq(other, 2);
	cr_assert_eq(p.function_count, 2);
	profile_release(&p);
}

Test(profile, keeps_locations_once)
{
	struct profile_location loc = { .address = 1 };
	struct profile_line lines[2] = { { .line = 1 }, { .line = 2 } };
	uint32_t first, id;
	struct profile p;

	profile_init(&p);
	profile_add_location(&p, &loc, lines, 2, &first);
	profile_add_location(&p, &loc, lines, 2, &id);
	cr_assert_eq(id, first);
	profile_add_location(&p, &loc, lines, 1, &id);
	cr_assert_eq(id, 2, "fewer lines");
	lines[1].column = 4;
	profile_add_location(&p, &loc, lines, 2, &id);
	cr_assert_eq(id, 3, "another column");
	loc.is_folded = true;
	profile_add_location(&p, &loc, lines, 2, &id);
	cr_assert_eq(id, 4);
	loc.mapping = 1;
	profile_add_location(&p, &loc, lines, 2, &id);
	cr_assert_eq(id, 5);
	cr_assert_eq(p.line_count, 9);
	profile_release(&p);
}

/* Entries that were changed in place are found by their new contents. */
Test(profile, indexes_may_be_forgotten)
{
	struct profile_function fn = { 0 };
	struct profile_location loc = { .address = 1 };
	struct profile p;
	uint32_t id;

	profile_init(&p);
	profile_add_function(&p, &fn, &id);
	profile_add_location(&p, &loc, NULL, 0, &id);
	p.functions[0].start_line = 5;
	p.locations[0].address = 6;
	profile_forget_indexes(&p);
	profile_add_function(&p, &fn, &id);
	cr_assert_eq(id, 2);
	profile_add_location(&p, &loc, NULL, 0, &id);
	cr_assert_eq(id, 2);
	fn.start_line = 5;
	loc.address = 6;
	profile_add_function(&p, &fn, &id);
	cr_assert_eq(id, 1);
	profile_add_location(&p, &loc, NULL, 0, &id);
	cr_assert_eq(id, 1);
	profile_release(&p);
}

/* They differ in their last line only, as in profiles without addresses. */
Test(profile, many_locations_with_one_address, .timeout = 20)
{
	struct profile_location loc = { 0 };
	struct profile_line lines[3] = { { .line = 1 }, { .line = 1 } };
	struct profile p;
	uint32_t id;

	profile_init(&p);
	for (int64_t i = 0; i < 200000; i++) {
		lines[2].line = i;
		profile_add_location(&p, &loc, lines, 3, &id);
		cr_assert_eq(id, i + 1);
	}
	profile_release(&p);
}

Test(profile, does_not_merge_mappings_nor_samples)
{
	struct profile_mapping m = { .start = 1 };
	int64_t value = 9;
	struct profile p;
	uint32_t id;

	profile_init(&p);
	profile_add_type(&p, "a", "b");
	profile_add_mapping(&p, &m, &id);
	profile_add_mapping(&p, &m, &id);
	cr_assert_eq(id, 2);
	for (int64_t i = 0; i < 1000; i++) {
		struct profile_label label = { .num = i };

		value = -i;
		profile_add_sample(&p, &id, 1, &value, &label, 1);
	}
	cr_assert_eq(p.sample_count, 1000);
	for (int64_t i = 0; i < 1000; i++) {
		cr_assert_eq(p.values[p.samples[i].first_value], -i);
		cr_assert_eq(p.labels[p.samples[i].first_label].num, i);
	}
	profile_release(&p);
}

Test(profile, strings_are_numbers)
{
	struct profile p;
	uint32_t id;

	profile_init(&p);
	profile_string(&p, NULL, &id);
	cr_assert_eq(id, 0);
	profile_string(&p, "x", &id);
	cr_assert_eq(id, 1);
	profile_add_comment(&p, "x");
	profile_add_comment_id(&p, 1);
	cr_assert_eq(p.comment_count, 2);
	cr_assert_eq(p.strings.count, 2);
	profile_release(&p);
}

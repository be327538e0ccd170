/* google/pprof's Profile.Aggregate: what is not kept is removed, the rest is unchanged. */
#include <criterion/criterion.h>

#include "pprof/aggregate.h"
#include "pprof/profile.h"

static struct profile p;

static void setup(void)
{
	struct profile_function f = { .start_line = 5 };
	struct profile_mapping m = { .has_functions = true,
				     .has_filenames = true,
				     .has_line_numbers = true,
				     .has_inline_frames = true };
	struct profile_location l = { .address = 0x10 };
	struct profile_line lines[2] = { { .line = 10, .column = 3 }, { .line = 20, .column = 4 } };
	uint32_t id;

	profile_init(&p);
	profile_string(&p, "inner", &f.name);
	profile_string(&p, "_inner", &f.system_name);
	profile_string(&p, "a.c", &f.filename);
	profile_add_function(&p, &f, &lines[0].function);
	profile_string(&p, "outer", &f.name);
	profile_add_function(&p, &f, &lines[1].function);
	profile_add_mapping(&p, &m, &l.mapping);
	profile_add_location(&p, &l, lines, 2, &id);
}

static void teardown(void)
{
	profile_release(&p);
}

TestSuite(aggregate, .init = setup, .fini = teardown);

static const struct profile_line *line(size_t i)
{
	return &p.lines[p.locations[0].first_line + i];
}

Test(aggregate, all_is_all)
{
	profile_aggregate(&p, KEEP_ALL);
	cr_assert_eq(p.locations[0].lines, 2);
	cr_assert_eq(line(0)->column, 3);
	cr_assert_eq(p.locations[0].address, 0x10);
	cr_assert(p.mappings[0].has_inline_frames && p.mappings[0].has_functions);
}

Test(aggregate, without_inlined_calls_the_outermost_line_stays)
{
	profile_aggregate(&p, KEEP_ALL & ~KEEP_INLINES);
	cr_assert_eq(p.locations[0].lines, 1);
	cr_assert_eq(line(0)->line, 20);
	cr_assert_not(p.mappings[0].has_inline_frames);
	cr_assert(p.mappings[0].has_line_numbers);
}

Test(aggregate, functions_alone)
{
	profile_aggregate(&p, KEEP_INLINES | KEEP_FUNCTIONS);
	cr_assert_eq(line(0)->line, 0);
	cr_assert_eq(line(0)->column, 0);
	cr_assert_eq(p.locations[0].address, 0);
	cr_assert_eq(p.functions[0].filename, 0);
	cr_assert_neq(p.functions[0].name, 0);
	cr_assert_neq(p.functions[0].system_name, 0);
	cr_assert_not(p.mappings[0].has_filenames || p.mappings[0].has_line_numbers);
}

Test(aggregate, files_alone)
{
	profile_aggregate(&p, KEEP_INLINES | KEEP_FILENAMES);
	cr_assert_eq(p.functions[0].name, 0);
	cr_assert_eq(p.functions[0].system_name, 0);
	cr_assert_neq(p.functions[0].filename, 0);
	cr_assert_eq(p.functions[0].start_line, 5, "as there");
	cr_assert_not(p.mappings[0].has_functions);
}

Test(aggregate, columns_go_with_lines)
{
	profile_aggregate(&p, KEEP_ALL & ~KEEP_COLUMNS);
	cr_assert_eq(line(0)->line, 10);
	cr_assert_eq(line(0)->column, 0);
	profile_aggregate(&p, KEEP_ALL & ~KEEP_LINES);
	cr_assert_eq(line(0)->line, 0);
}

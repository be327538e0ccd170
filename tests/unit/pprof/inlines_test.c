/* google/pprof's Profile.Aggregate without inlined calls: the rest is unchanged. */
#include <criterion/criterion.h>

#include "pprof/inlines.h"
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

TestSuite(inlines, .init = setup, .fini = teardown);

Test(inlines, without_inlined_calls_the_outermost_line_stays)
{
	const struct profile_location *l = &p.locations[0];

	profile_drop_inlines(&p);
	cr_assert_eq(l->lines, 1);
	cr_assert_eq(l->address, 0x10);
	cr_assert_eq(p.lines[l->first_line].line, 20);
	cr_assert_eq(p.lines[l->first_line].column, 0);
	cr_assert_not(p.mappings[0].has_inline_frames);
	cr_assert(p.mappings[0].has_line_numbers && p.mappings[0].has_functions);
}

/* Locations are made from stacks as in runtime/pprof: inlined, cut, repeated and foreign frames. */
#include <criterion/criterion.h>

#include "runtimes/go/session/builder.h"
#include "tests/unit/runtimes/go/profile/made_up.h"

static struct profile p;
static struct pcframes frames;
static struct builder b;

static void begin(unsigned minor)
{
	cr_assert_eq(profile_init(&p), 0);
	made_up_init(&frames, minor);
	builder_init(&b, &p, &frames);
}

static void end(void)
{
	builder_release(&b);
	pcframes_release(&frames);
	profile_release(&p);
}

/* The locations of a stack as "inner,middle,outer main", with commas within a location. */
static const char *stack(const uint64_t *pcs, size_t count)
{
	static char text[512];
	const uint32_t *locations;
	size_t n;

	text[0] = '\0';
	cr_assert_eq(builder_locate(&b, pcs, count, &locations, &n), 0);
	for (size_t i = 0; i < n; i++) {
		const struct profile_location *l = &p.locations[locations[i] - 1];

		strcat(text, i ? " " : "");
		for (size_t j = 0; j < l->lines; j++) {
			uint32_t f = p.lines[l->first_line + j].function;

			strcat(text, j ? "," : "");
			strcat(text, strset_get(&p.strings, p.functions[f - 1].name));
		}
	}
	return text;
}

#define STACK(...) stack((const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

Test(builder, inlined_frames_are_one_location)
{
	begin(22);
	cr_assert_str_eq(STACK(INNER, MIDDLE, OUTER, MAIN, EXIT),
			 "main.inner,main.middle,main.outer main.main");
	cr_assert_eq(p.locations[0].address, INNER - 1, "the first frame's instruction");
	cr_assert_eq(p.lines[0].line, 11);
	cr_assert_eq(p.lines[1].line, 21);
	cr_assert_eq(p.functions[0].start_line, 10);
	cr_assert_eq(p.functions[0].name, p.functions[0].system_name);
	cr_assert_str_eq(STACK(INNER, MIDDLE, OUTER, AGAIN),
			 "main.inner,main.middle,main.outer main.again");
	cr_assert_eq(p.location_count, 3);
	end();
}

Test(builder, what_is_alone_is_alone)
{
	begin(22);
	cr_assert_str_eq(STACK(EXIT), "");
	cr_assert_str_eq(stack(NULL, 0), "");
	cr_assert_str_eq(STACK(MAIN, MAIN, MAIN), "main.main main.main main.main");
	cr_assert_eq(p.location_count, 1);
	end();
}

Test(builder, a_stack_cut_within_what_is_inlined_is_completed)
{
	begin(22);
	cr_assert_str_eq(STACK(MAIN, INNER), "main.main main.inner,main.middle,main.outer");
	cr_assert_str_eq(STACK(MIDDLE), "main.middle,main.outer");
	end();
}

/* From Go 1.19 on, a pc that already has a location can still join the location of the frames
 * before it, as their caller. */
Test(builder, a_known_pc_may_be_what_was_inlined_into)
{
	begin(19);
	cr_assert_str_eq(STACK(OUTER), "main.outer");
	cr_assert_str_eq(STACK(INNER, MIDDLE, OUTER), "main.inner,main.middle,main.outer");
	end();
	begin(18);
	cr_assert_str_eq(STACK(OUTER), "main.outer");
	cr_assert_str_eq(STACK(INNER, MIDDLE, OUTER), "main.inner,main.middle main.outer");
	end();
}

/* Up to Go 1.21 two instances of one generic function had the same name. */
Test(builder, names_of_instances)
{
	begin(22);
	cr_assert_str_eq(STACK(GENERIC_IN, GENERIC, MAIN),
			 "main.F[go.shape.string],main.F[go.shape.int] main.main");
	end();
	begin(21);
	cr_assert_str_eq(STACK(GENERIC_IN, GENERIC, MAIN),
			 "main.F[go.shape.string] main.F[go.shape.int] main.main");
	end();
}

Test(builder, what_is_not_gos_has_a_location_without_a_name)
{
	struct profile_mapping go = { .start = 0x1000, .limit = 0x8000 };
	struct profile_mapping c = { .start = 0x80000, .limit = 0xa0000 };

	begin(22);
	cr_assert_eq(builder_add_mapping(&b, &go), 0);
	cr_assert_eq(builder_add_mapping(&b, &c), 0);
	cr_assert_str_eq(STACK(FOREIGN, FOREIGN, MAIN), "  main.main");
	cr_assert_eq(p.locations[0].address, FOREIGN - 1);
	cr_assert_eq(p.locations[0].mapping, 2);
	cr_assert_eq(p.locations[1].mapping, 1);
	cr_assert_eq(builder_finish(&b), 0);
	cr_assert(p.mappings[0].has_functions);
	cr_assert_not(p.mappings[1].has_functions, "a location of it has none");
	end();
}

Test(builder, a_mapping_that_was_never_looked_up_says_nothing)
{
	struct profile_mapping m = { .start = 0x8000, .limit = 0x9000 };

	begin(22);
	cr_assert_eq(builder_add_mapping(&b, &m), 0);
	STACK(MAIN);
	cr_assert_eq(p.locations[0].mapping, 0);
	cr_assert_eq(builder_finish(&b), 0);
	cr_assert_not(p.mappings[0].has_functions);
	end();
}

Test(builder, one_table_of_frames_serves_several_profiles)
{
	struct profile other;
	struct builder second;
	const uint32_t *locations;
	const uint64_t pcs[] = { MAIN };
	size_t count;

	begin(22);
	STACK(INNER, MIDDLE, OUTER, MAIN);
	cr_assert_eq(profile_init(&other), 0);
	builder_init(&second, &other, &frames);
	cr_assert_eq(builder_locate(&second, pcs, 1, &locations, &count), 0);
	cr_assert_eq(count, 1);
	cr_assert_eq(locations[0], 1);
	cr_assert_eq(other.location_count, 1);
	builder_release(&second);
	profile_release(&other);
	end();
}

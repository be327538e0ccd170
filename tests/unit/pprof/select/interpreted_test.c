/* What is left of stacks without native frames. A frame whose name begins with "c" is native, one
 * with "?" is native code outside of any mapping, one with "p", "r" or "h" is Python's, Ruby's or PHP's,
 * "s" is Python's "[not merged]"; any other has no mapping. */
#include "base/error.h"
#include "pprof/merge.h"
#include "pprof/select/interpreted.h"
#include "pprof/validate.h"
#include "tests/unit/pprof/stacks.h"

static const char *const mappings[] = { "/lib/m", "[python]", "[ruby]", "[php]" };

static void add_mappings(struct profile *p)
{
	for (size_t i = 1; i < sizeof(mappings) / sizeof(*mappings); i++) {
		struct profile_mapping m = { 0 };
		uint32_t id;

		cr_assert(!profile_string(p, mappings[i], &m.filename) &&
			  !profile_add_mapping(p, &m, &id));
		cr_assert_eq(id, i + 1);
	}
}

static uint32_t location(struct profile *p, const char *name)
{
	static const char kinds[] = "cprh";
	const char *kind = strchr(kinds, *name);
	struct profile_location l = { .mapping = kind ? (uint32_t)(kind - kinds) + 1 : 0,
				      .address = *name == '?' };
	struct profile_function f = { 0 };
	struct profile_line line = { 0 };
	bool seam = *name == 's';
	uint32_t id = 0;

	l.mapping = seam ? 2 : l.mapping;
	cr_assert(!profile_string(p, seam ? "[not merged]" : name, &f.name) &&
		  !profile_add_function(p, &f, &line.function) &&
		  !profile_add_location(p, &l, &line, 1, &id));
	return id;
}

/* Frames are separated by blanks, samples by '|'. Each sample has the value 1. */
static void make(struct profile *p, const char *samples)
{
	char text[256], *state, *of_sample;

	stacks_begin(p);
	add_mappings(p);
	snprintf(text, sizeof(text), "%s", samples);
	for (char *s = strtok_r(text, "|", &state); s; s = strtok_r(NULL, "|", &state)) {
		uint32_t ids[16];
		size_t count = 0;
		int64_t one = 1;

		for (char *n = strtok_r(s, " ", &of_sample); n; n = strtok_r(NULL, " ", &of_sample))
			ids[count++] = location(p, n);
		cr_assert(!profile_add_sample(p, ids, count, &one, NULL, 0));
	}
}

static int64_t total(const struct profile *p)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->sample_count; i++)
		sum += p->values[p->samples[i].first_value];
	return sum;
}

static void check(const char *samples, const char *want)
{
	struct profile p;
	int64_t before;

	make(&p, samples);
	before = total(&p);
	cr_assert_eq(interpreted_only(&p, NULL), 0);
	cr_expect_eq(profile_validate(&p, NULL), 0);
	cr_expect_eq(total(&p), before);
	stacks_expect(&p, want);
	cr_assert_eq(interpreted_only(&p, NULL), 0);
	stacks_expect(&p, want);
	profile_release(&p);
}

Test(interpreted, native_frames_go)
{
	check("c1 p1 c2 p2 c3", "p1 p2");
	check("p1|h1 c1|c1 r1", "p1 | h1 | r1");
	check("?1 p1 ?2", "p1");
	check("p1 c1 r1 c2 h1", "p1 r1 h1");
}

Test(interpreted, a_stack_without_any_is_one_frame)
{
	check("c1 c2|p1|c3", "[native] | p1 | [native]");
	check("?1", "[native]");
	check("s", "[native]");
}

Test(interpreted, seams_go)
{
	check("p1 s c1 p2 c2", "p1 p2");
	check("c1 s p1", "p1");
}

Test(interpreted, frames_that_stand_for_no_code_stay)
{
	check("[not_sampled]", "[not_sampled]");
	check("leaf p1 c1 thread|leaf c1 c2 thread", "leaf p1 thread | leaf [native] thread");
}

Test(interpreted, a_compacted_profile_has_each_stack_once)
{
	struct profile p;

	make(&p, "c1 p1|c2 p1|c1|c2|p1 c3");
	cr_assert_eq(interpreted_only(&p, NULL), 0);
	cr_expect_eq(p.sample_count, 5);
	cr_assert_eq(profile_compact(&p, NULL), 0);
	stacks_expect(&p, "p1 | [native]");
	cr_expect_eq(p.values[p.samples[0].first_value], 3);
	cr_expect_eq(p.values[p.samples[1].first_value], 2);
	profile_release(&p);
}

/* Live profiles have tables of them. */
Test(interpreted, locations_keep_their_numbers)
{
	struct profile p;

	make(&p, "c1 p1|c2");
	cr_assert_eq(interpreted_only(&p, NULL), 0);
	cr_expect_eq(p.locations[0].mapping, 1);
	cr_expect_eq(p.locations[1].mapping, 2);
	cr_expect_eq(p.locations[2].mapping, 1);
	profile_release(&p);
}

Test(interpreted, any_is_true_for_functions_of_interpreters)
{
	static const struct {
		const char *samples;
		bool any;
	} all[] = { { "c1 p1", true },	{ "h1", true }, { "c1|r1", true },
		    { "c1 ?1", false }, { "s", false }, { "[native]", false } };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct profile p;

		make(&p, all[i].samples);
		cr_expect_eq(interpreted_any(&p), all[i].any, "%s", all[i].samples);
		profile_release(&p);
	}
}

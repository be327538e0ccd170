/* One rule is broken at a time, in a profile in which every field is set. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "pprof/validate.h"
#include "tests/unit/pprof/full.h"

static struct profile p;

static void fill(void)
{
	fill_profile(&p);
}

static void release(void)
{
	profile_release(&p);
}

static void assert_offence(const char *message)
{
	struct error err = { 0 };

	cr_assert_eq(profile_validate(&p, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, message);
	cr_assert_eq(profile_validate(&p, NULL), ERR_FORMAT);
}

Test(validate, has_nothing_against_a_good_one, .init = fill, .fini = release)
{
	struct profile empty;

	cr_assert_eq(profile_validate(&p, NULL), 0);
	profile_init(&empty);
	cr_assert_eq(profile_validate(&empty, NULL), 0);
	profile_release(&empty);
}

Test(validate, samples_have_types_and_values, .init = fill, .fini = release)
{
	size_t types = p.type_count;

	p.type_count = 0;
	assert_offence("sample 1 is there without a sample type");
	p.type_count = types;
	p.samples[1].first_value++;
	assert_offence("sample 2 has not a value for each sample type");
	p.samples[1].first_value = SIZE_MAX;
	assert_offence("sample 2 has not a value for each sample type");
}

Test(validate, samples_name_locations, .init = fill, .fini = release)
{
	p.stack[1] = 3;
	assert_offence("sample 1 names location 3 of only 2");
	p.stack[1] = 0;
	assert_offence("sample 1 names location 0 of only 2");
	p.samples[0].locations = 3;
	assert_offence("sample 1 has locations beyond their table");
}

Test(validate, samples_have_labels, .init = fill, .fini = release)
{
	p.labels[0].num_unit = 90;
	assert_offence("sample 1 names string 90 of only 18");
	p.labels[0].num_unit = 0;
	p.labels[1].key = 18;
	assert_offence("sample 1 names string 18 of only 18");
	p.labels[1].key = 17;
	cr_assert_eq(profile_validate(&p, NULL), 0);
	p.samples[1].labels = 1;
	p.samples[1].first_label = 2;
	assert_offence("sample 2 has labels beyond their table");
}

Test(validate, locations_name_mappings_and_functions, .init = fill, .fini = release)
{
	p.locations[1].mapping = 2;
	assert_offence("location 2 names mapping 2 of only 1");
	p.locations[1].mapping = 0;
	p.lines[1].function = 3;
	assert_offence("location 1 names function 3 of only 2");
	p.lines[1].function = 0;
	assert_offence("location 1 has a line without a function");
	p.lines[1].function = 1;
	p.locations[0].lines = SIZE_MAX;
	assert_offence("location 1 has lines beyond their table");
}

Test(validate, all_name_strings, .init = fill, .fini = release)
{
	const struct {
		uint32_t *string;
		const char *message;
	} cases[] = {
		{ &p.types[1].unit, "sample type 2 names string 99 of only 18" },
		{ &p.period_type.type, "period type 1 names string 99 of only 18" },
		{ &p.comments[0], "comment 1 names string 99 of only 18" },
		{ &p.drop_frames, "drop_frames names string 99 of only 18" },
		{ &p.keep_frames, "keep_frames names string 99 of only 18" },
		{ &p.default_type, "default_sample_type names string 99 of only 18" },
		{ &p.doc_url, "doc_url names string 99 of only 18" },
		{ &p.mappings[0].filename, "mapping 1 names string 99 of only 18" },
		{ &p.mappings[0].build_id, "mapping 1 names string 99 of only 18" },
		{ &p.functions[1].name, "function 2 names string 99 of only 18" },
		{ &p.functions[1].system_name, "function 2 names string 99 of only 18" },
		{ &p.functions[1].filename, "function 2 names string 99 of only 18" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t right = *cases[i].string;

		*cases[i].string = 99;
		assert_offence(cases[i].message);
		*cases[i].string = right;
	}
}

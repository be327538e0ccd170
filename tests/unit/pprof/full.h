/* A profile in which every field of profile.proto is set, for tests. */
#ifndef TESTS_UNIT_PPROF_FULL_H
#define TESTS_UNIT_PPROF_FULL_H

#include <criterion/criterion.h>

#include "pprof/profile.h"

static inline void fill_profile(struct profile *p)
{
	struct profile_mapping m = { .start = 0x400000,
				     .limit = 0x500000,
				     .offset = 0x1000,
				     .has_functions = true,
				     .has_filenames = true,
				     .has_line_numbers = true,
				     .has_inline_frames = true };
	struct profile_function fn = { .start_line = 7 };
	struct profile_location loc = { .address = 0x400123, .is_folded = true };
	struct profile_line lines[2] = { { .line = 8, .column = 3 }, { .line = 300 } };
	struct profile_label labels[2] = { { 0 }, { .num = -5 } };
	int64_t values[2] = { 3, -1 };
	uint32_t ids[2];

	cr_assert_eq(profile_init(p), 0);
	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	profile_string(p, "/bin/x", &m.filename);
	profile_string(p, "abcd", &m.build_id);
	profile_add_mapping(p, &m, &loc.mapping);
	profile_string(p, "f", &fn.name);
	profile_string(p, "_Z1fv", &fn.system_name);
	profile_string(p, "f.c", &fn.filename);
	profile_add_function(p, &fn, &lines[0].function);
	fn.start_line = 9;
	profile_add_function(p, &fn, &lines[1].function);
	profile_add_location(p, &loc, lines, 2, &ids[0]);
	loc.address = 0xffffffffff600000;
	loc.is_folded = false;
	profile_add_location(p, &loc, NULL, 0, &ids[1]);
	profile_string(p, "thread", &labels[0].key);
	profile_string(p, "worker", &labels[0].str);
	profile_string(p, "tid", &labels[1].key);
	profile_string(p, "bytes", &labels[1].num_unit);
	profile_add_sample(p, ids, 2, values, labels, 2);
	profile_add_sample(p, ids, 0, values, NULL, 0);
	profile_add_comment(p, "a comment");
	p->time_nanos = 1700000000000000000;
	p->duration_nanos = 30000000000;
	p->period = 10101010;
	p->period_type = p->types[1];
	p->default_type = p->types[1].type;
	profile_string(p, "drop", &p->drop_frames);
	profile_string(p, "keep", &p->keep_frames);
	profile_string(p, "https://example.org", &p->doc_url);
}

#endif

/* Merging: which entries become one, which do not, and their order. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "pprof/merge.h"
#include "tests/unit/pprof/full.h"

static struct profile one, two, sum;

static uint32_t string(struct profile *p, const char *text)
{
	uint32_t id = 0;

	cr_assert_eq(profile_string(p, text, &id), 0);
	return id;
}

static void make(struct profile *p)
{
	cr_assert_eq(profile_init(p), 0);
	profile_add_type(p, "samples", "count");
}

static void make_both(void)
{
	make(&one);
	make(&two);
}

static void release(void)
{
	profile_release(&one);
	profile_release(&two);
	profile_release(&sum);
}

static uint32_t mapping(struct profile *p, uint64_t start, uint64_t size, const char *file,
			const char *build_id)
{
	struct profile_mapping m = { .start = start,
				     .limit = start + size,
				     .filename = string(p, file),
				     .build_id = string(p, build_id) };
	uint32_t id = 0;

	cr_assert_eq(profile_add_mapping(p, &m, &id), 0);
	return id;
}

static uint32_t location(struct profile *p, uint32_t in, uint64_t address, const char *function)
{
	struct profile_location l = { .mapping = in, .address = address };
	struct profile_function f = { .name = string(p, function) };
	struct profile_line line = { .line = 1 };
	uint32_t id = 0;

	cr_assert_eq(profile_add_function(p, &f, &line.function), 0);
	cr_assert_eq(profile_add_location(p, &l, &line, 1, &id), 0);
	return id;
}

static void sample(struct profile *p, uint32_t at, int64_t value)
{
	cr_assert_eq(profile_add_sample(p, &at, 1, &value, NULL, 0), 0);
}

static void labelled(struct profile *p, int64_t value, const struct profile_label *labels, size_t n)
{
	cr_assert_eq(profile_add_sample(p, NULL, 0, &value, labels, n), 0);
}

static void merge(void)
{
	struct merge *m;

	cr_assert_eq(merge_new(&m, NULL), 0);
	cr_assert_eq(merge_add(m, &one, NULL), 0);
	cr_assert_eq(merge_add(m, &two, NULL), 0);
	cr_assert_eq(merge_finish(m, &sum, NULL), 0);
}

static int64_t value(size_t i)
{
	cr_assert_lt(i, sum.sample_count);
	return sum.values[sum.samples[i].first_value];
}

static const char *text(uint32_t id)
{
	return strset_get(&sum.strings, id);
}

Test(merge, one_program_at_two_addresses, .init = make_both, .fini = release)
{
	sample(&one, location(&one, mapping(&one, 0x400000, 0x2000, "/x", ""), 0x400010, "f"), 3);
	sample(&two, location(&two, mapping(&two, 0x700000, 0x1800, "/x", ""), 0x700010, "f"), 4);
	merge();
	cr_assert_eq(sum.sample_count, 1);
	cr_assert_eq(value(0), 7);
	cr_assert_eq(sum.mapping_count, 1, "sizes are equal in pages");
	cr_assert_eq(sum.location_count, 1);
	cr_assert_eq(sum.locations[0].address, 0x400010);
}

Test(merge, a_build_id_counts_for_more_than_a_name, .init = make_both, .fini = release)
{
	sample(&one, location(&one, mapping(&one, 0, 0x1000, "/x", "id"), 1, "f"), 1);
	sample(&two, location(&two, mapping(&two, 0, 0x1000, "/moved/x", "id"), 1, "f"), 1);
	sample(&two, location(&two, mapping(&two, 0, 0x1000, "/x", "other"), 1, "f"), 1);
	merge();
	cr_assert_eq(sum.sample_count, 2);
	cr_assert_eq(sum.mapping_count, 2);
	cr_assert_str_eq(text(sum.mappings[0].filename), "/x");
}

Test(merge, the_program_stays_first, .init = make_both, .fini = release)
{
	uint32_t lib;

	mapping(&one, 0, 0x1000, "/unused", "");
	lib = mapping(&one, 0x5000, 0x1000, "/lib.so", "");
	mapping(&two, 0, 0x1000, "/also unused", "");
	sample(&one, location(&one, lib, 0x5001, "f"), 1);
	merge();
	cr_assert_eq(sum.mapping_count, 2);
	cr_assert_str_eq(text(sum.mappings[0].filename), "/unused");
	cr_assert_str_eq(text(sum.mappings[1].filename), "/lib.so");
	cr_assert_eq(sum.locations[0].mapping, 2);
}

Test(merge, order_is_that_of_samples, .init = make_both, .fini = release)
{
	location(&one, 0, 9, "unused");
	sample(&two, location(&two, 0, 2, "late"), 1);
	location(&one, 0, 2, "early");
	sample(&one, location(&one, 0, 1, "first"), 1);
	merge();
	cr_assert_eq(sum.function_count, 2);
	cr_assert_str_eq(text(sum.functions[0].name), "first");
	cr_assert_str_eq(text(sum.functions[1].name), "late");
	for (uint32_t i = 0; i < sum.strings.count; i++)
		cr_assert_str_neq(text(i), "unused");
}

Test(merge, nothing_is_left_of_zeros, .init = make_both, .fini = release)
{
	sample(&one, location(&one, 0, 1, "zero"), 0);
	sample(&one, location(&one, 0, 2, "cancelled"), 5);
	sample(&one, location(&one, 0, 3, "stays"), 5);
	sample(&two, location(&two, 0, 2, "cancelled"), -5);
	merge();
	cr_assert_eq(sum.sample_count, 1);
	cr_assert_eq(sum.function_count, 1);
	cr_assert_str_eq(text(sum.functions[0].name), "stays");
}

Test(merge, sums_wrap, .init = make_both, .fini = release)
{
	sample(&one, location(&one, 0, 1, "f"), INT64_MAX);
	sample(&two, location(&two, 0, 1, "f"), 1);
	merge();
	cr_assert_eq(value(0), INT64_MIN);
}

Test(merge, order_of_labels_does_not_matter, .init = make_both, .fini = release)
{
	struct profile_label a[3] = { { string(&one, "tid"), 0, 7, 0 },
				      { string(&one, "z"), string(&one, "v"), 0, 0 },
				      { string(&one, "b"), string(&one, "v"), 0, 0 } };
	struct profile_label b[4] = { { string(&two, "b"), string(&two, "v"), 0, 0 },
				      { string(&two, "empty"), 0, 0, 0 },
				      { string(&two, "z"), string(&two, "v"), 0, 0 },
				      { string(&two, "tid"), 0, 7, 0 } };

	labelled(&one, 1, a, 3);
	labelled(&two, 1, b, 4);
	b[3].num = 8;
	labelled(&two, 1, b, 4);
	b[3].num = 7;
	b[3].num_unit = string(&two, "bytes");
	labelled(&two, 1, b, 4);
	merge();
	cr_assert_eq(sum.sample_count, 3);
	cr_assert_eq(value(0), 2);
	cr_assert_eq(sum.samples[0].labels, 3);
	cr_assert_str_eq(text(sum.labels[0].key), "b");
	cr_assert_str_eq(text(sum.labels[1].key), "z");
	cr_assert_str_eq(text(sum.labels[2].key), "tid");
}

/* Two values of one key in a different order make different samples. */
Test(merge, order_of_a_keys_values_matters, .init = make_both, .fini = release)
{
	uint32_t key = string(&one, "k"), x = string(&one, "x"), y = string(&one, "y");
	struct profile_label xy[2] = { { key, x, 0, 0 }, { key, y, 0, 0 } };
	struct profile_label yx[2] = { { key, y, 0, 0 }, { key, x, 0, 0 } };

	labelled(&one, 1, xy, 2);
	labelled(&one, 1, yx, 2);
	merge();
	cr_assert_eq(sum.sample_count, 2);
}

Test(merge, the_header_of_two, .init = make_both, .fini = release)
{
	one.time_nanos = 200;
	two.time_nanos = 100;
	one.duration_nanos = two.duration_nanos = 5;
	one.period = 10;
	two.period = 20;
	one.drop_frames = string(&one, "drop");
	two.keep_frames = string(&two, "keep");
	two.doc_url = string(&two, "doc");
	two.default_type = string(&two, "samples");
	profile_add_comment(&one, "b");
	profile_add_comment(&two, "a");
	profile_add_comment(&two, "b");
	merge();
	cr_assert_eq(sum.time_nanos, 100);
	cr_assert_eq(sum.duration_nanos, 10);
	cr_assert_eq(sum.period, 20);
	cr_assert_str_eq(text(sum.drop_frames), "drop");
	cr_assert_eq(sum.keep_frames, 0, "the first profile's");
	cr_assert_str_eq(text(sum.doc_url), "doc");
	cr_assert_str_eq(text(sum.default_type), "samples");
	cr_assert_eq(sum.comment_count, 2);
	cr_assert_str_eq(text(sum.comments[0]), "b");
}

Test(merge, types_must_be_the_same, .init = make_both, .fini = release)
{
	struct error err = { 0 };
	struct merge *m;

	cr_assert_eq(merge_new(&m, NULL), 0);
	cr_assert_eq(merge_add(m, &one, NULL), 0);
	profile_add_type(&two, "cpu", "nanoseconds");
	cr_assert_eq(merge_add(m, &two, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, "incompatible sample types: 'samples/count' and "
				   "'samples/count cpu/nanoseconds'");
	cr_assert_eq(merge_add_common(m, &two, NULL), 0);
	cr_assert_eq(merge_finish(m, &sum, NULL), 0);
	cr_assert_eq(sum.type_count, 1);
}

Test(merge, of_nothing, .fini = release)
{
	struct merge *m;

	cr_assert_eq(merge_new(&m, NULL), 0);
	cr_assert_eq(merge_finish(m, &sum, NULL), 0);
	cr_assert_eq(sum.sample_count, 0);
	cr_assert_eq(sum.strings.count, 1);
	merge_free(NULL);
}

/* Many labels of one sample, not in order, as a hostile file could have. */
Test(merge, a_hundred_thousand_labels, .init = make_both, .fini = release, .timeout = 20)
{
	enum { COUNT = 100000 };
	struct profile_label *labels = calloc(COUNT, sizeof(*labels));
	char key[16];

	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(key, sizeof(key), "%u", COUNT - i);
		labels[i] = (struct profile_label){ string(&one, key), 0, i + 1, 0 };
	}
	labelled(&one, 1, labels, COUNT);
	merge();
	cr_assert_eq(sum.label_count, COUNT);
	cr_assert_str_eq(text(sum.labels[0].key), "1");
	cr_assert_str_eq(text(sum.labels[1].key), "10");
	free(labels);
}

Test(merge, compacts_in_place, .init = make_both, .fini = release)
{
	sample(&one, location(&one, 0, 1, "f"), 1);
	sample(&one, 1, 2);
	location(&one, 0, 2, "unused");
	cr_assert_eq(profile_compact(&one, NULL), 0);
	cr_assert_eq(one.sample_count, 1);
	cr_assert_eq(one.function_count, 1);
	cr_assert_eq(one.values[0], 3);
	sample(&one, location(&one, 0, 5, "g"), 1);
	cr_assert_eq(one.location_count, 2, "it can be built on");
}

Test(merge, keeps_every_field)
{
	struct profile p;

	fill_profile(&p);
	cr_assert_eq(profile_compact(&p, NULL), 0);
	cr_assert_eq(p.sample_count, 2);
	cr_assert_eq(p.location_count, 2);
	cr_assert(p.locations[0].is_folded);
	cr_assert_eq(p.lines[0].column, 3);
	cr_assert_eq(p.functions[1].start_line, 9);
	cr_assert(p.mappings[0].has_inline_frames);
	cr_assert_eq(p.mappings[0].offset, 0x1000);
	cr_assert_str_eq(strset_get(&p.strings, p.labels[1].num_unit), "bytes");
	profile_release(&p);
}

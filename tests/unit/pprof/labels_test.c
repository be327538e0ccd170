/* Labels are set and removed in every sample. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "pprof/labels.h"
#include "tests/unit/pprof/full.h"

/* Its first sample has thread=worker and tid=-5 bytes, its second none. */
static struct profile p;

static void init(void)
{
	fill_profile(&p);
}

static void release(void)
{
	profile_release(&p);
}

static const struct profile_label *label(size_t sample, size_t i)
{
	cr_assert_lt(i, p.samples[sample].labels);
	return &p.labels[p.samples[sample].first_label + i];
}

static const char *text(uint32_t string)
{
	return strset_get(&p.strings, string);
}

Test(labels, set_in_every_sample, .init = init, .fini = release)
{
	static const char *const values[] = { "x", "", "y" };

	cr_assert_eq(profile_set_label(&p, "a", values, 3), 0);
	cr_assert_eq(p.samples[0].labels, 4);
	cr_assert_eq(p.samples[1].labels, 2);
	cr_assert_str_eq(text(label(0, 0)->key), "a");
	cr_assert_str_eq(text(label(0, 0)->str), "x");
	cr_assert_str_eq(text(label(0, 1)->str), "y");
	cr_assert_str_eq(text(label(0, 2)->key), "thread");
	cr_assert_str_eq(text(label(0, 3)->key), "tid", "numbers come last");
	cr_assert_str_eq(text(label(1, 1)->str), "y");
}

Test(labels, replace_those_of_the_key, .init = init, .fini = release)
{
	static const char *const values[] = { "other" };

	cr_assert_eq(profile_set_label(&p, "thread", values, 1), 0);
	cr_assert_eq(p.samples[0].labels, 2);
	cr_assert_str_eq(text(label(0, 0)->str), "other");
	cr_assert_eq(profile_set_label(&p, "tid", values, 1), 0);
	cr_assert_eq(p.samples[0].labels, 3, "a number and a string of one key are two things");
}

Test(labels, removed, .init = init, .fini = release)
{
	cr_assert_eq(profile_remove_label(&p, "tid"), 0);
	cr_assert_eq(p.samples[0].labels, 2, "it is a number");
	cr_assert_eq(profile_remove_label(&p, "thread"), 0);
	cr_assert_eq(profile_remove_label(&p, "no such"), 0);
	cr_assert_eq(p.samples[0].labels, 1);
}

/* The arrays of a profile grow by rules of their own (pprof/profile.c), which must also work for an
 * array that has replaced one. */
Test(labels, samples_can_be_added_afterwards, .init = init, .fini = release)
{
	static const char *const values[] = { "v" };
	struct profile_label l = { .num = 1 };
	int64_t sample[2] = { 1, 1 };

	profile_string(&p, "k", &l.key);
	for (int i = 0; i < 100; i++) {
		cr_assert_eq(profile_add_sample(&p, NULL, 0, sample, &l, 1), 0);
		if (i % 7 == 0)
			cr_assert_eq(profile_set_label(&p, "a", values, 1), 0);
		if (i % 21 == 0)
			cr_assert_eq(profile_remove_label(&p, "a"), 0);
	}
	cr_assert_eq(p.sample_count, 102);
	cr_assert_eq(label(101, 0)->num, 1);
}

/* Filters remove samples and leave their labels in the profile's array. */
Test(labels, of_removed_samples_do_not_count, .init = init, .fini = release)
{
	static const char *const yes[] = { "true" }, *const no[] = { "false" };
	uint32_t *units = labels_units(&p);
	uint32_t tid = label(0, 1)->key;

	cr_assert_str_eq(text(tid), "tid");
	cr_assert_str_eq(text(units[tid]), "bytes");
	free(units);
	cr_assert_not(sample_is_base(&p, &p.samples[0]));
	cr_assert_eq(profile_set_label(&p, "pprof::base", no, 1), 0);
	cr_assert_not(sample_is_base(&p, &p.samples[0]));
	cr_assert_eq(profile_set_label(&p, "pprof::base", yes, 1), 0);
	cr_assert(sample_is_base(&p, &p.samples[0]));

	p.sample_count = 0;
	units = labels_units(&p);
	cr_assert_eq(units[tid], 0);
	free(units);
}

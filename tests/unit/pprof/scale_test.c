/* Values are multiplied: rounding, the ends of 64 bits, and which samples stay. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/columns.h"
#include "pprof/scale.h"

static struct profile p;

static void add(struct profile *to, int64_t a, int64_t b)
{
	int64_t values[2] = { a, b };

	cr_assert_eq(profile_add_sample(to, NULL, 0, values, NULL, 0), 0);
}

static void make(struct profile *to)
{
	cr_assert_eq(profile_init(to), 0);
	profile_add_type(to, "samples", "count");
	profile_add_type(to, "cpu", "nanoseconds");
}

static void init(void)
{
	make(&p);
}

static void release(void)
{
	profile_release(&p);
}

static int64_t scaled(int64_t value, double ratio)
{
	int64_t result;

	init();
	add(&p, value, 1);
	profile_scale(&p, ratio);
	result = p.values[0];
	release();
	return result;
}

Test(scale, rounds_halves_away_from_zero)
{
	cr_assert_eq(scaled(5, 0.5), 3);
	cr_assert_eq(scaled(-5, 0.5), -3);
	cr_assert_eq(scaled(5, 0.4), 2);
	cr_assert_eq(scaled(-7, -1), 7);
	cr_assert_eq(scaled((1L << 53) + 1, 1), (1L << 53) + 1, "1 changes nothing at all");
}

Test(scale, ends_of_64_bits)
{
	cr_assert_eq(scaled(INT64_MAX, 2), INT64_MAX);
	cr_assert_eq(scaled(INT64_MAX, -2), INT64_MIN);
	cr_assert_eq(scaled(INT64_MIN, -1), INT64_MAX);
	cr_assert_eq(scaled(1, INFINITY), INT64_MAX);
	cr_assert_eq(scaled(0, INFINITY), 0, "not a number");
	cr_assert_eq(scaled(1, NAN), 0);
}

Test(scale, zeros_go, .init = init, .fini = release)
{
	add(&p, 1, 0);
	add(&p, 100, 0);
	add(&p, 0, 0);
	profile_scale(&p, 0.01);
	cr_assert_eq(p.sample_count, 1);
	cr_assert_eq(p.values[p.samples[0].first_value], 1);
}

Test(scale, each_type_by_its_own, .init = init, .fini = release)
{
	static const double ratios[2] = { 1, 10 }, ones[2] = { 1, 1 };

	add(&p, 3, 4);
	add(&p, 3, 0);
	profile_scale_each(&p, ones);
	cr_assert_eq(p.sample_count, 2);
	profile_scale_each(&p, ratios);
	cr_assert_eq(p.sample_count, 1, "only what was multiplied counts, as in google/pprof");
	cr_assert_eq(p.values[0], 3);
	cr_assert_eq(p.values[1], 40);
}

Test(scale, normalizes, .init = init, .fini = release)
{
	struct profile base;

	make(&base);
	add(&base, 30, 5);
	add(&base, 10, 5);
	add(&p, 10, 0);
	add(&p, 10, 0);
	cr_assert_eq(profile_normalize(&p, &base, NULL), 0);
	cr_assert_eq(p.values[0], 20);
	cr_assert_eq(p.values[1], 0, "what is 0 stays so");
	profile_release(&base);
}

Test(scale, normalizes_to_the_same_types_only, .init = init, .fini = release)
{
	struct error err = { 0 };
	struct profile base;

	cr_assert_eq(profile_init(&base), 0);
	profile_add_type(&base, "samples", "count");
	cr_assert_eq(profile_normalize(&p, &base, &err), ERR_FORMAT);
	cr_assert_str_eq(err.text, "incompatible sample types: 'samples/count cpu/nanoseconds' and "
				   "'samples/count'");
	profile_release(&base);
}

Test(scale, a_cleared_type_is_zero_and_samples_stay, .init = init, .fini = release)
{
	add(&p, 3, 0);
	add(&p, 4, 5);
	profile_zero_column(&p, 0);
	cr_assert_eq(p.sample_count, 2);
	cr_assert(p.values[0] == 0 && p.values[1] == 0 && p.values[2] == 0 && p.values[3] == 5);
}

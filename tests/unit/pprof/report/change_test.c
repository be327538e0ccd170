/* The test that tells a change from noise. tests/profiles/merge.test has the table. */
#include <criterion/criterion.h>
#include <math.h>

#include "pprof/report/change.h"

static void assert_near(double found, double expected)
{
	cr_assert_lt(fabs(found - expected), expected * 1e-9, "%.17g, not %.17g", found, expected);
}

/* The exact values are sums of binomial coefficients. */
Test(change_chance, is_the_binomial_tail_twice)
{
	assert_near(change_chance(18, 46, 1, 1), 0.0006173782640671298);
	assert_near(change_chance(46, 18, 1, 1), 0.0006173782640671298);
	assert_near(change_chance(0, 8, 1, 1), 2.0 / 256);
	assert_near(change_chance(0, 2, 3, 1), 2.0 / 16);
	assert_near(change_chance(2, 0, 1, 3), 2.0 / 16);
	assert_near(change_chance(0, 1, 1e6 - 1, 1), 2e-6);
}

Test(change_chance, is_1_for_what_is_expected)
{
	assert_near(change_chance(0, 0, 1, 1), 1);
	assert_near(change_chance(50, 50, 1, 1), 1);
	assert_near(change_chance(100, 300, 1, 3), 1);
	assert_near(change_chance(1, 0, 1, 1), 1);
}

/* Beside the bound from which it is not summed any more. */
Test(change_chance, is_the_same_for_very_many)
{
	double summed = change_chance(1998000, 2001900, 1, 1);
	double approximated = change_chance(1998100, 2002001, 1, 1);

	cr_assert_float_eq(summed, approximated, 0.002, "%g, %g", summed, approximated);
	cr_assert_float_eq(summed, 0.0512, 0.002, "%g", summed);
}

Test(change_chance, falls_as_counts_differ_more)
{
	double last = 2;

	for (int64_t new = 100; new <= 1000000000000; new *= 10) {
		double p = change_chance(100, new, 1, 1);

		cr_assert(p < last || p == 0, "%ld: %g after %g", new, p, last);
		cr_assert(p >= 0 && p <= 1);
		last = p;
	}
	cr_assert_eq(change_chance(INT64_MAX, 0, 1, 1), 0);
	cr_assert_eq(change_chance(INT64_MAX, INT64_MAX, 1, 1), 1);
	cr_assert_geq(change_chance(INT64_MAX, INT64_MAX, 1e-300, 1), 0);
}

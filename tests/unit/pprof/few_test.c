/* Wilson's interval by another way: the shares from which half of the samples are just 1.96
 * standard deviations away. */
#include <criterion/criterion.h>

#include <math.h>

#include "pprof/few.h"

Test(few, is_where_the_interval_ends)
{
	static const int64_t counts[] = { 1, 2, 7, 30, 92 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		double half = few_error(counts[i]), share = 0.5 + half;

		cr_assert_float_eq(half / sqrt(share * (1 - share) / (double)counts[i]), 1.96, 1e-9,
				   "%ld samples: %g", counts[i], half);
	}
	cr_assert_eq(few_error(93), 0);
	cr_assert_eq(few_error(INT64_MAX), 0);
	cr_assert_eq(few_error(0), 0);
	cr_assert_eq(few_error(-5), 0);
}

Test(few, is_said_in_words)
{
	char text[FEW_TEXT];

	cr_assert_str_eq(few_text(2, text),
			 "few samples (2): what is shown as 50 % may be 9 to 91 %");
	cr_assert_str_eq(few_text(30, text),
			 "few samples (30): what is shown as 50 % may be 33 to 67 %");
	cr_assert_str_eq(few_text(93, text), "");
}

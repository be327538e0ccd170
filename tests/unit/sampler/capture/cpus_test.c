#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "sampler/capture/cpus.h"

static unsigned bound(const char *text)
{
	return cpus_bound_of(text, strlen(text));
}

Test(cpus, numbers_may_be_missing)
{
	cr_assert_eq(bound("0\n"), 1);
	cr_assert_eq(bound("0-3\n"), 4);
	cr_assert_eq(bound("0,2,64-127,9\n"), 128);
}

Test(cpus, what_is_no_list_tells_nothing)
{
	cr_assert_eq(bound(""), 0);
	cr_assert_eq(bound("none\n"), 0);
	cr_assert_eq(bound("0-99999999999999999999\n"), 0);
}

Test(cpus, this_machine_has_at_least_those_that_are_counted)
{
	cr_assert_geq((long)cpus_bound(), sysconf(_SC_NPROCESSORS_CONF));
	cr_assert_lt(cpus_bound(), 1u << 16);
}

/*
 * The same as amount() of tests/lib/harness.py: mere repetitions are done `less` times, or `all`
 * times if SAMPLER_TEST_LONG=1 is set.
 */
#ifndef TESTS_UNIT_AMOUNT_H
#define TESTS_UNIT_AMOUNT_H

#include <stdlib.h>
#include <string.h>

static inline size_t amount(size_t less, size_t all)
{
	const char *asked = getenv("SAMPLER_TEST_LONG");

	return asked && !strcmp(asked, "1") ? all : less;
}

#endif

/*
 * As amount() of tests/lib/harness.py: what only repeats is done less often, unless
 * SAMPLER_TEST_LONG=1 asks for all of it.
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

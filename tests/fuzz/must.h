/* Conditions that must hold for any input. */
#ifndef TESTS_FUZZ_MUST_H
#define TESTS_FUZZ_MUST_H

#include <stdbool.h>
#include <stdlib.h>

static inline void must(bool holds)
{
	if (!holds)
		abort();
}

#endif

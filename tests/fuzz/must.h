/* What holds whatever the input is. */
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

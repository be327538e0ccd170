/* Estimates of heap samples: Go's numbers, and back from them. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "pprof/gotext/heapscale.h"

static void scaled(int64_t count, int64_t size, int64_t rate, int64_t want_count, int64_t want_size)
{
	heapscale(&count, &size, rate);
	cr_assert(count == want_count && size == want_size, "%ld %ld", count, size);
}

/* The results of google/pprof's scaleHeapSample. */
Test(heapscale, as_go_computes)
{
	scaled(1, 1, 524288, 524288, 524288);
	scaled(3, 300, 524288, 15730, 1573014);
	scaled(1, 524288, 524288, 1, 829411);
	scaled(7, 7 << 20, 524288, 8, 8488876);
	scaled(1, INT64_MAX, 2, 1, INT64_MIN);
	scaled(INT64_MAX, 1, 524288, INT64_MIN, INT64_MIN);
	scaled(-2, -500, 524288, -4195, -1048826);
	scaled(-2, 500, 524288, 4193, -1048326);
	scaled(3, 9007199254740993, 1125899906842624, 3, 9679784058195898);
}

Test(heapscale, leaves_alone)
{
	scaled(5, 10, 1, 5, 10);
	scaled(5, 10, 0, 5, 10);
	scaled(5, 10, -7, 5, 10);
	scaled(0, 10, 512, 0, 0);
	scaled(5, 0, 512, 0, 0);
}

static void back(int64_t count, int64_t size, int64_t rate, int64_t block)
{
	int64_t want_count = count, want_size = size, c, s;

	heapscale(&want_count, &want_size, rate);
	c = want_count;
	s = want_size;
	cr_assert(heapscale_undo(&c, &s, rate, block), "%ld objects of %ld at %ld", count,
		  size / count, rate);
	if (block)
		cr_assert(c == count && s == size, "%ld %ld, not %ld %ld", c, s, count, size);
	heapscale(&c, &s, rate);
	cr_assert(c == want_count && s == want_size);
}

Test(heapscale, finds_the_way_back)
{
	srand(1);
	for (int i = 0; i < 20000; i++) {
		int64_t count = rand() % 5000 + 1, block = rand() % (1 << (rand() % 20)) + 1;
		int64_t rate = (int64_t)1 << (rand() % 20 + 1);

		back(count, count * block, rate, block);
	}
}

Test(heapscale, says_when_there_is_none)
{
	int64_t count = 3, size = 5;

	cr_assert(!heapscale_undo(&count, &size, 524288, 0)); /* there is no such estimate */
	count = size = 0;
	cr_assert(heapscale_undo(&count, &size, 524288, 0));
}

/* Ranges, which are cut into pieces, are compared with their definition: of all that cover an
 * address, the one added last. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/ranges.h"

enum { SPACE = 64, COUNT_MAX = 24 };

static const struct range *by_definition(const struct range *all, size_t count, uint64_t addr)
{
	while (count--)
		if (all[count].start <= addr && addr < all[count].end)
			return &all[count];
	return NULL;
}

static void check(const struct range *all, size_t count)
{
	struct ranges r = { 0 };

	for (size_t i = 0; i < count; i++)
		cr_assert_eq(ranges_add(&r, all[i].start, all[i].end, all[i].of), 0);
	cr_assert_eq(ranges_settle(&r), 0);
	cr_assert(r.count <= 2 * count);
	for (uint64_t addr = 0; addr <= SPACE; addr++) {
		const struct range *want = by_definition(all, count, addr);
		const struct range *got = ranges_find(&r, addr);

		cr_assert_eq(got != NULL, want != NULL);
		cr_assert(!got || got->of == want->of);
	}
	ranges_release(&r);
}

Test(ranges, agree_with_the_definition)
{
	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct range all[COUNT_MAX];
		size_t count = (size_t)rand() % COUNT_MAX;

		for (size_t i = 0; i < count; i++) {
			uint64_t start = (uint64_t)rand() % SPACE;

			all[i] = (struct range){ start, start + (uint64_t)rand() % 20,
						 (uint32_t)i };
		}
		check(all, count);
	}
}

Test(ranges, leave_out_what_is_empty_or_backwards)
{
	struct ranges r = { 0 };

	cr_assert_eq(ranges_add(&r, 5, 5, 0), 0);
	cr_assert_eq(ranges_add(&r, 6, 5, 0), 0);
	cr_assert_eq(ranges_settle(&r), 0);
	cr_assert_eq(r.count, 0);
	cr_assert_null(ranges_find(&r, 5));
	ranges_release(&r);
}

Test(ranges, reach_the_ends_of_the_address_space)
{
	struct ranges r = { 0 };

	cr_assert_eq(ranges_add(&r, 0, UINT64_MAX, 1), 0);
	cr_assert_eq(ranges_add(&r, UINT64_MAX - 1, UINT64_MAX, 2), 0);
	cr_assert_eq(ranges_settle(&r), 0);
	cr_assert_eq(ranges_find(&r, 0)->of, 1);
	cr_assert_eq(ranges_find(&r, UINT64_MAX - 1)->of, 2);
	cr_assert_null(ranges_find(&r, UINT64_MAX));
	ranges_release(&r);
}

Test(ranges, inner_wins_in_whatever_order_it_came)
{
	struct ranges r = { 0 };

	cr_assert_eq(ranges_add(&r, 40, 50, 2), 0);
	cr_assert_eq(ranges_add(&r, 10, 100, 0), 0);
	cr_assert_eq(ranges_add(&r, 10, 20, 1), 0);
	cr_assert_eq(ranges_add(&r, 40, 50, 3), 0);
	ranges_inner_wins(&r);
	cr_assert_eq(ranges_settle(&r), 0);
	cr_assert_eq(ranges_find(&r, 10)->of, 1);
	cr_assert_eq(ranges_find(&r, 20)->of, 0);
	cr_assert_eq(ranges_find(&r, 45)->of, 2);
	cr_assert_eq(ranges_find(&r, 50)->of, 0);
	ranges_release(&r);
}

/* One range around a million others: each lookup stays one binary search. */
Test(ranges, stay_fast_when_one_spans_them_all, .timeout = 20)
{
	struct ranges r = { 0 };

	cr_assert_eq(ranges_add(&r, 0, UINT64_MAX, 0), 0);
	for (uint64_t i = 1; i < 1000000; i++)
		cr_assert_eq(ranges_add(&r, 16 * i, 16 * i + 8, (uint32_t)i), 0);
	cr_assert_eq(ranges_settle(&r), 0);
	for (uint64_t i = 1; i < 1000000; i++) {
		cr_assert_eq(ranges_find(&r, 16 * i + 7)->of, i);
		cr_assert_eq(ranges_find(&r, 16 * i + 8)->of, 0);
	}
	ranges_release(&r);
}

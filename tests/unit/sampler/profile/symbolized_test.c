/* Places that earlier profiles have symbolized. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/profile/symbolized.h"

static void fill(struct profile *p, size_t locations)
{
	profile_init(p);
	for (uint32_t i = 1; i <= locations; i++) {
		struct profile_location l = { .address = i * 100 };
		uint32_t id;

		profile_add_location(p, &l, NULL, 0, &id);
		cr_assert_eq(id, i);
	}
}

static struct symbolized_place *places(const struct symbolized_place *from, size_t count)
{
	struct symbolized_place *copy = malloc(count * sizeof(*copy));

	memcpy(copy, from, count * sizeof(*copy));
	return copy;
}

Test(symbolized, finds_by_image_and_address)
{
	const struct symbolized_place all[] = { { 0x10, 0, 1 }, { 0x10, 1, 2 }, { 0x20, 0, 3 } };
	struct symbolized k = { .count = 0 };
	struct profile p;

	cr_assert_null(symbolized_find(&k, 0, 0x10));
	fill(&p, 3);
	cr_assert_eq(symbolized_take(&k, &p, places(all, 3), 3), 0);
	cr_assert_eq(p.location_count, 0, "it was taken over");
	cr_assert_eq(symbolized_find(&k, 0, 0x10)->address, 100);
	cr_assert_eq(symbolized_find(&k, 1, 0x10)->address, 200);
	cr_assert_eq(symbolized_find(&k, 0, 0x20)->address, 300);
	cr_assert_null(symbolized_find(&k, 1, 0x20));
	fill(&p, 1);
	cr_assert_eq(symbolized_take(&k, &p, places(all + 1, 1), 1), 0);
	cr_assert_null(symbolized_find(&k, 1, 0x10), "there are not two locations any more");
	cr_assert_null(symbolized_find(&k, 0, 0x10));
	symbolized_release(&k);
}

/* Places come from the decoding process, which a hostile file may have taken over. */
Test(symbolized, places_that_lie)
{
	const struct symbolized_place all[] = {
		{ 0x10, 0, 0 }, { 0x20, 0, 4 }, { 0x30, 0, UINT32_MAX },
		{ 0x40, 0, 2 }, { 0x40, 0, 1 },
	};
	struct symbolized k = { .count = 0 };
	struct profile p;

	fill(&p, 3);
	cr_assert_eq(symbolized_take(&k, &p, places(all, 5), 5), 0);
	for (uint64_t addr = 0x10; addr < 0x40; addr += 0x10)
		cr_assert_null(symbolized_find(&k, 0, addr));
	cr_assert_eq(symbolized_find(&k, 0, 0x40)->address, 200);
	symbolized_release(&k);
}

/* A million entries for one place do not take quadratic time. */
Test(symbolized, many_that_are_the_same, .timeout = 20)
{
	enum { MANY = 1000000 };
	struct symbolized_place *all = calloc(MANY, sizeof(*all));
	struct symbolized k = { .count = 0 };
	struct profile p;

	for (size_t i = 0; i < MANY; i++)
		all[i].location = 1;
	fill(&p, 1);
	cr_assert_eq(symbolized_take(&k, &p, all, MANY), 0);
	cr_assert_not_null(symbolized_find(&k, 0, 0));
	symbolized_release(&k);
}

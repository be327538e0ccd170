/* Mappings of addresses: the tree is compared with trying all of them, as google/pprof does. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/legacy/build.h"

enum { MAPPINGS = 12, ADDRESSES = 40 };

static uint32_t first_that_holds(const struct profile_mapping *m, size_t count, uint64_t a)
{
	for (size_t i = 0; i < count; i++)
		if (m[i].start <= a && a < m[i].limit)
			return (uint32_t)i + 1;
	return 0;
}

static uint32_t first_to_extend(struct profile_mapping *m, size_t count, uint64_t a)
{
	for (size_t i = 0; i < count; i++)
		if (m[i].offset && m[i].start - m[i].offset <= a && a < m[i].start) {
			m[i].start -= m[i].offset;
			m[i].offset = 0;
			return (uint32_t)i + 1;
		}
	return 0;
}

/* google/pprof's remapMappingIDs, word by word. */
static size_t by_trying(struct profile_mapping *m, size_t count, const uint64_t *addresses,
			uint32_t *ids)
{
	uint32_t fake = 0;

	for (size_t i = 0; i < ADDRESSES; i++) {
		uint64_t a = addresses[i];

		ids[i] = a ? first_that_holds(m, count, a) : 0;
		if (!a || ids[i])
			continue;
		ids[i] = first_to_extend(m, count, a);
		if (ids[i])
			continue;
		if (!fake) {
			m[count++] = (struct profile_mapping){ .limit = UINT64_MAX };
			fake = (uint32_t)count;
		}
		ids[i] = fake;
	}
	return count;
}

static uint64_t number(void)
{
	uint64_t v = (uint64_t)rand() % 64;

	return rand() % 16 ? v : UINT64_MAX - v % 2;
}

static void compare(void)
{
	struct profile_mapping plain[MAPPINGS + 1] = { 0 };
	uint64_t addresses[ADDRESSES];
	uint32_t have[ADDRESSES] = { 0 }, want[ADDRESSES];
	size_t count = (size_t)rand() % MAPPINGS;
	struct legacy l;

	legacy_init(&l, NULL, NULL);
	for (size_t i = 0; i < count; i++)
		plain[i] = (struct profile_mapping){ .start = number(),
						     .limit = number(),
						     .offset = number() };
	l.mappings = malloc(sizeof(plain));
	memcpy(l.mappings, plain, sizeof(plain));
	l.mapping_room = MAPPINGS + 1;
	l.mapping_count = count;
	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = number();
	cr_assert_eq(legacy_cover(&l, addresses, ADDRESSES, have), 0);
	count = by_trying(plain, count, addresses, want);
	cr_assert_eq(l.mapping_count, count);
	for (size_t i = 0; i < ADDRESSES; i++)
		cr_assert_eq(have[i], want[i], "address %lx", addresses[i]);
	for (size_t i = 0; i < count; i++)
		cr_assert(l.mappings[i].start == plain[i].start &&
			  l.mappings[i].offset == plain[i].offset);
	legacy_release(&l);
}

Test(legacy_cover, is_as_trying_all)
{
	srand(4711);
	for (int i = 0; i < 20000; i++)
		compare();
}

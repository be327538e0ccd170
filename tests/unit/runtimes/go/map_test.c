/* Made-up maps in the layouts of the releases, and invalid ones. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/map.h"
#include "tests/unit/runtimes/go/gomaps.h"

enum { KEY = 16, ELEM = 8, ENTRY = KEY + ELEM, BUCKET = 16 + 8 * ENTRY, GROUP = 8 + 8 * ENTRY };

static const struct gomap_kind hmap = { 23, KEY, ELEM }, swiss = { 24, KEY, ELEM };

static struct gomem mem;
static uint64_t seen; /* the set of reported keys, a bit for each */
static unsigned told;

static void enter(void)
{
	gomem_init(&mem);
	seen = told = 0;
}

TestSuite(gomap, .init = enter);

static int tell(void *ctx, const void *key, const void *elem)
{
	uint64_t k[2], e;

	(void)ctx;
	memcpy(k, key, sizeof(k));
	memcpy(&e, elem, sizeof(e));
	cr_assert_lt(k[0], 64);
	cr_assert_eq(k[1], k[0] + 1000);
	cr_assert_eq(e, k[0] + 2000);
	cr_assert_not(seen & 1ull << k[0], "key %lu is told twice", k[0]);
	seen |= 1ull << k[0];
	told++;
	return 0;
}

static int read_map(uint64_t map, const struct gomap_kind *kind)
{
	seen = told = 0;
	return gomap_each(&mem.memory.memory, map, kind, 60, tell, NULL);
}

static void put_in_bucket(uint64_t bucket, unsigned cell, uint64_t k)
{
	gomem_put(&mem, bucket + cell, 5 + k, 1);
	gomem_put(&mem, bucket + 8 + cell * KEY, k, 8);
	gomem_put(&mem, bucket + 8 + cell * KEY + 8, k + 1000, 8);
	gomem_put(&mem, bucket + 8 + 8 * KEY + cell * ELEM, k + 2000, 8);
}

static void put_in_group(uint64_t group, unsigned slot, uint64_t k)
{
	gomem_put(&mem, group + slot, k, 1);
	gomem_put(&mem, group + 8 + slot * ENTRY, k, 8);
	gomem_put(&mem, group + 8 + slot * ENTRY + 8, k + 1000, 8);
	gomem_put(&mem, group + 8 + slot * ENTRY + KEY, k + 2000, 8);
}

static uint64_t word_at(uint64_t at)
{
	uint64_t word;

	memcpy(&word, gomem_at(&mem, at), sizeof(word));
	return word;
}

/* A map of two buckets, the first with an overflow bucket: keys 0, 1, 2, 3. */
static uint64_t chained(uint64_t *overflow)
{
	uint64_t map = gomem_hmap(&mem, 4, 1, ENTRY), buckets = word_at(map + 16);

	*overflow = gomem_alloc(&mem, BUCKET);
	put_in_bucket(buckets, 0, 0);
	put_in_bucket(buckets, 7, 1);
	gomem_put(&mem, buckets + BUCKET - 8, *overflow, 8);
	put_in_bucket(*overflow, 3, 2);
	put_in_bucket(buckets + BUCKET, 1, 3);
	return map;
}

Test(gomap, nothing_is_an_empty_map)
{
	cr_assert_eq(read_map(0, &hmap), 0);
	cr_assert_eq(read_map(0, &swiss), 0);
	cr_assert_eq(read_map(gomem_alloc(&mem, 48), &hmap), 0);
	cr_assert_eq(read_map(gomem_alloc(&mem, 48), &swiss), 0);
	cr_assert_eq(told, 0);
}

Test(gomap, buckets_and_those_behind_them)
{
	uint64_t overflow, map = chained(&overflow);

	cr_assert_eq(read_map(map, &hmap), 0);
	cr_assert_eq(seen, 0xf);
}

/* A map that grows from two buckets to four. The first old bucket was moved: its cells are marked
 * as moved, or as empty and moved. */
Test(gomap, what_grows)
{
	uint64_t map = gomem_hmap(&mem, 3, 2, ENTRY), fresh = word_at(map + 16);
	uint64_t old = gomem_alloc(&mem, 2 * BUCKET);

	gomem_put(&mem, map + 24, old, 8);
	gomem_put(&mem, map + 32, 1, 8);
	put_in_bucket(old, 0, 0);
	put_in_bucket(old, 1, 1);
	memcpy(gomem_at(&mem, old), "\2\3\4\4\4\4\4\4", 8);
	put_in_bucket(fresh, 0, 0);
	put_in_bucket(fresh + 2 * BUCKET, 0, 1);
	put_in_bucket(old + BUCKET, 4, 2);
	cr_assert_eq(read_map(map, &hmap), 0);
	cr_assert_eq(seen, 7);
	gomem_put(&mem, map + 8, 8, 1); /* growth to the same size: four old buckets, too */
	cr_assert_eq(read_map(map, &hmap), 0);
	cr_assert_eq(seen, 7);
}

Test(gomap, a_map_that_is_being_written_to_is_refused)
{
	uint64_t overflow, map = chained(&overflow), other = gomem_swiss(&mem, 1, ENTRY);

	gomem_put(&mem, map + 8, 4, 1);
	cr_assert_eq(read_map(map, &hmap), ERR_FORMAT);
	put_in_group(word_at(other + 16), 0, 1);
	gomem_put(&mem, other + 34, 1, 1);
	cr_assert_eq(read_map(other, &swiss), ERR_FORMAT);
	cr_assert_eq(told, 0);
}

Test(gomap, a_chain_that_is_a_ring)
{
	uint64_t overflow, map = chained(&overflow);

	gomem_put(&mem, overflow, 0, 8); /* empty, so that no entry ends the reading */
	gomem_put(&mem, map, 3, 8);
	cr_assert_eq(read_map(map, &hmap), 0);
	gomem_put(&mem, overflow + BUCKET - 8, overflow, 8);
	cr_assert_eq(read_map(map, &hmap), ERR_FORMAT);
}

Test(gomap, headers_that_lie)
{
	uint64_t overflow, map = chained(&overflow);

	for (uint64_t count = 0; count < 10; count++) {
		gomem_put(&mem, map, count, 8);
		cr_assert_eq(read_map(map, &hmap), count == 4 || !count ? 0 : ERR_FORMAT);
	}
	gomem_put(&mem, map, 61, 8);
	cr_assert_eq(read_map(map, &hmap), ERR_LIMIT);
	gomem_put(&mem, map, UINT64_MAX, 8);
	cr_assert_eq(read_map(map, &hmap), ERR_FORMAT);
	gomem_put(&mem, map, 4, 8);
	for (unsigned log = 8; log < 256; log++) {
		gomem_put(&mem, map + 9, log, 1);
		cr_assert_eq(read_map(map, &hmap), ERR_LIMIT);
	}
	gomem_put(&mem, map + 9, 1, 1);
	gomem_put(&mem, map + 16, 8, 8);
	cr_assert_eq(read_map(map, &hmap), ERR_FORMAT);
	cr_assert_eq(read_map(12, &hmap), ERR_FORMAT);
}

/* Memory in which the map's header changes at its first `changes` reads. */
struct moving {
	struct memory memory;
	uint64_t map;
	unsigned changes;
};

static int read_moving(const struct memory *memory, uint64_t at, void *to, size_t len)
{
	struct moving *m = (struct moving *)memory;

	if (at == m->map && m->changes) {
		m->changes--;
		gomem_put(&mem, at + 12, m->changes, 4); /* the hash seed */
	}
	return mem.memory.memory.read(&mem.memory.memory, at, to, len);
}

Test(gomap, what_changes_is_read_again)
{
	uint64_t overflow, map = chained(&overflow);
	struct moving m = { { .read = read_moving }, map, 7 };

	cr_assert_eq(gomap_each(&m.memory, map, &hmap, 60, tell, NULL), 0);
	cr_assert_eq(seen, 0xf);
	m.changes = 1000;
	cr_assert_eq(gomap_each(&m.memory, map, &hmap, 60, tell, NULL), ERR_FORMAT);
	cr_assert_gt(m.changes, 900);
}

Test(gomap, one_group)
{
	uint64_t map = gomem_swiss(&mem, 3, ENTRY), group = word_at(map + 16);

	for (unsigned i = 0; i < 3; i++)
		put_in_group(group, 3 * i, i);
	gomem_put(&mem, group + 1, 0xfe, 1); /* deleted */
	cr_assert_eq(read_map(map, &swiss), 0);
	cr_assert_eq(seen, 7);
	gomem_put(&mem, map, 4, 8);
	cr_assert_eq(read_map(map, &swiss), ERR_FORMAT);
	gomem_put(&mem, map + 16, 0, 8);
	cr_assert_eq(read_map(map, &swiss), ERR_FORMAT);
}

static uint64_t table(uint64_t index, unsigned depth, unsigned groups, uint64_t first, unsigned n)
{
	uint64_t t = gomem_alloc(&mem, 32), at = gomem_alloc(&mem, (size_t)groups * GROUP);

	gomem_put(&mem, t, n, 2);
	gomem_put(&mem, t + 2, 8 * groups, 2);
	gomem_put(&mem, t + 6, depth, 1);
	gomem_put(&mem, t + 8, index, 8);
	gomem_put(&mem, t + 16, at, 8);
	gomem_put(&mem, t + 24, groups - 1, 8);
	for (unsigned i = 0; i < groups; i++)
		memset(gomem_at(&mem, at + i * GROUP), 0x80, 8);
	for (unsigned i = 0; i < n; i++)
		put_in_group(at + i % groups * GROUP, i / groups, first + i);
	return t;
}

/* A directory of four entries: one table has two of them, two tables have one each. */
static uint64_t directory(uint64_t tables[3])
{
	uint64_t map = gomem_swiss(&mem, 20, ENTRY), dir = gomem_alloc(&mem, 32);

	tables[0] = table(0, 1, 2, 0, 9);
	tables[1] = table(2, 2, 1, 9, 4);
	tables[2] = table(3, 2, 128, 13, 7);
	gomem_put(&mem, map + 16, dir, 8);
	gomem_put(&mem, map + 24, 4, 8);
	gomem_put(&mem, map + 32, 2, 1);
	gomem_put(&mem, dir, tables[0], 8);
	for (unsigned i = 0; i < 3; i++)
		gomem_put(&mem, dir + 8 * (i + 1), tables[i], 8);
	return map;
}

Test(gomap, a_directory_of_tables)
{
	uint64_t tables[3], map = directory(tables);

	cr_assert_eq(read_map(map, &swiss), 0);
	cr_assert_eq(seen, (1u << 20) - 1);
	cr_assert_eq(told, 20);
}

static void refuses(uint64_t map, uint64_t at, uint64_t value, size_t len)
{
	uint8_t before[8];

	memcpy(before, gomem_at(&mem, at), len);
	gomem_put(&mem, at, value, len);
	cr_assert_eq(read_map(map, &swiss), ERR_FORMAT, "%lu at %lu of %lu", value, at, map);
	memcpy(gomem_at(&mem, at), before, len);
}

Test(gomap, tables_that_lie)
{
	uint64_t tables[3], map = directory(tables), t = tables[0];

	refuses(map, map, 19, 8);
	refuses(map, map, 21, 8);
	refuses(map, map + 24, 3, 8);
	refuses(map, map + 24, UINT64_MAX, 8);
	refuses(map, map + 32, 64, 1);
	refuses(map, map + 32, 3, 1);
	refuses(map, t, 8, 2);
	refuses(map, t + 2, 0, 2);
	refuses(map, t + 2, 24, 2);
	refuses(map, t + 2, 32, 2);
	refuses(map, t + 2, 2048, 2);
	refuses(map, t + 6, 2, 1);
	refuses(map, t + 6, 0, 1);
	refuses(map, t + 6, 3, 1);
	refuses(map, t + 8, 1, 8);
	refuses(map, t + 8, UINT64_MAX, 8);
	refuses(map, t + 16, 0, 8);
	refuses(map, t + 24, 127, 8);
	refuses(map, t + 24, UINT64_MAX, 8);
	gomem_put(&mem, map + 24, 1u << 20, 8);
	gomem_put(&mem, map + 32, 20, 1);
	cr_assert_eq(read_map(map, &swiss), ERR_LIMIT);
}

static int stop(void *ctx, const void *key, const void *elem)
{
	(void)key, (void)elem;
	return ++*(int *)ctx == 2 ? 42 : 0;
}

Test(gomap, the_callback_ends_it)
{
	uint64_t overflow, map = chained(&overflow);
	int calls = 0;

	cr_assert_eq(gomap_each(&mem.memory.memory, map, &hmap, 60, stop, &calls), 42);
	cr_assert_eq(calls, 2);
}

/* Memory with holes is read through a cache of its blocks: the same bytes, the same failures, fewer
 * reads. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memcache.h"
#include "base/process/memory.h"
#include "tests/unit/amount.h"

enum { PAGE = 4096, PAGES = 256 };

/* Pages, some of which are missing. Each byte depends on its address. */
struct holey {
	struct memory memory;
	uint64_t start;
	uint8_t salt;
	bool missing[PAGES];
	size_t reads;
};

static uint8_t byte_at(uint64_t addr, uint8_t salt)
{
	return (uint8_t)((addr * UINT64_C(0x9e3779b97f4a7c15)) >> 56) + salt;
}

static int read_holey(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	struct holey *h = (struct holey *)(uintptr_t)m;
	uint8_t *to = buf;

	h->reads++;
	for (size_t i = 0; i < len; i++) {
		uint64_t page = (addr + i - h->start) / PAGE;

		if (page >= PAGES || h->missing[page])
			return ERR_IO;
		to[i] = byte_at(addr + i, h->salt);
	}
	return 0;
}

static struct holey holey(void)
{
	return (struct holey){ .memory = { .read = read_holey }, .start = 0x7f0000010000 };
}

static bool right(const struct holey *h, uint64_t addr, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] != byte_at(addr + i, h->salt))
			return false;
	return true;
}

Test(memcache, any_read_gives_what_the_memory_has)
{
	static const size_t sizes[] = { PAGE, 64 << 10, 256 << 10 };
	int reads = (int)amount(4000, 20000);
	uint8_t buf[3 * PAGE];

	for (size_t s = 0; s < 3; s++) {
		struct holey h = holey();
		struct memcache *c;
		const struct memory *m;

		for (size_t i = 0; i < PAGES; i++)
			h.missing[i] = rand() % 16 == 0;
		cr_assert_eq(memcache_new(&c, &h.memory, sizes[s], 4), 0);
		m = memcache_memory(c);
		for (int i = 0; i < reads; i++) {
			uint64_t addr = h.start - PAGE + (uint64_t)rand() % ((PAGES + 2) * PAGE);
			size_t len = (size_t)rand() % (i % 2 ? sizeof(buf) : 64);
			int want = h.memory.read(&h.memory, addr, buf, len);
			uint64_t word;

			memset(buf, 0, sizeof(buf));
			cr_assert_eq(m->read(m, addr, buf, len), want);
			if (!want)
				cr_assert(right(&h, addr, buf, len));
			want = h.memory.read(&h.memory, addr, buf, sizeof(word));
			cr_assert_eq(memory_read_u64(m, addr, &word), want);
			if (!want)
				cr_assert(right(&h, addr, (uint8_t *)&word, sizeof(word)));
		}
		memcache_free(c);
	}
}

Test(memcache, a_walk_down_reads_each_block_once)
{
	struct holey h = holey();
	struct memcache *c;
	const struct memory *m;
	uint64_t word;

	cr_assert_eq(memcache_new(&c, &h.memory, 64 << 10, 8), 0);
	m = memcache_memory(c);
	for (uint64_t at = PAGES * PAGE; at; at -= 8)
		cr_assert_eq(memory_read_u64(m, h.start + at - 8, &word), 0);
	cr_assert_eq(h.reads, PAGES * PAGE / (64 << 10));
	cr_assert_eq(memcache_reads(c), h.reads);
	cr_assert_eq(memcache_bytes(c), PAGES * PAGE);
	memcache_free(c);
}

Test(memcache, what_was_forgotten_is_read_anew)
{
	struct holey h = holey();
	struct memcache *c;
	const struct memory *m;
	uint8_t byte;

	cr_assert_eq(memcache_new(&c, &h.memory, 64 << 10, 4), 0);
	m = memcache_memory(c);
	cr_assert_eq(m->read(m, h.start, &byte, 1), 0);
	h.salt++;
	cr_assert_eq(m->read(m, h.start, &byte, 1), 0);
	cr_assert_eq(byte, byte_at(h.start, 0));
	memcache_forget(c);
	cr_assert_eq(m->read(m, h.start, &byte, 1), 0);
	cr_assert_eq(byte, byte_at(h.start, 1));
	memcache_free(c);
}

Test(memcache, the_end_of_a_mapping_takes_few_reads)
{
	struct holey h = holey();
	struct memcache *c;
	const struct memory *m;
	uint64_t word;

	/* The last page of the first block is missing: halves of it are read, down to a page. */
	h.missing[15] = true;
	cr_assert_eq(memcache_new(&c, &h.memory, 64 << 10, 4), 0);
	m = memcache_memory(c);
	for (uint64_t at = 0; at < 15 * PAGE; at += 8)
		cr_assert_eq(memory_read_u64(m, h.start + at, &word), 0);
	cr_assert_eq(memory_read_u64(m, h.start + 15 * PAGE, &word), ERR_IO);
	cr_assert_eq(memcache_reads(c), 4);
	cr_assert_eq(memcache_bytes(c), 15 * PAGE);
	memcache_free(c);
}

Test(memcache, no_address_space_ends_it)
{
	struct holey h = holey();
	struct memcache *c;
	const struct memory *m;
	uint64_t word;

	cr_assert_eq(memcache_new(&c, &h.memory, 64 << 10, 4), 0);
	m = memcache_memory(c);
	cr_assert_eq(memory_read_u64(m, UINT64_MAX - 3, &word), ERR_IO);
	cr_assert_eq(memory_read_u64(m, UINT64_MAX - 7, &word), ERR_IO);
	cr_assert_eq(memory_read_u64(m, 0, &word), ERR_IO);
	cr_assert_eq(m->read(m, UINT64_MAX, &word, 0), 0);
	memcache_free(c);
}

/* Made-up sums of Go 1.26 and 1.18, which are used only if they agree. tests/rounds/gometrics.test
 * is about real ones. */
#include <criterion/criterion.h>

#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/memstats.h"

enum {
	START = 0x10000,
	BYTES = 1 << 16,
	MEMSTATS = START + 8,
	PACER = START + 0x8000,
	CACHES = START + 0xc000,
	HEAP_IN_USE = 700,
	HEAP_RELEASED = 40,
	HEAP_FREE = 60
};

static uint64_t words[BYTES / 8];
static struct memory_bytes memory;
static struct golive live;
static struct gomemstats s;

static uint64_t *at(uint64_t address)
{
	return &words[(address - START) / 8];
}

static void put_all(uint64_t address, const uint64_t *values, size_t count)
{
	memcpy(at(address), values, count * sizeof(*values));
}

/* The three parts of heapStats, to be added up. Each has bytes committed, released, in the heap, in
 * stacks, in the GC's buffers. */
static void put_deltas(const struct golayout *l)
{
	put_all(MEMSTATS + l->heap_stats, (uint64_t[]){ 900, 50, 800, 30, 10 }, 5);
	put_all(MEMSTATS + l->heap_stats + l->delta_bytes,
		(uint64_t[]){ (uint64_t)-100, (uint64_t)-10, (uint64_t)-100, 5, 0 }, 5);
	put_all(MEMSTATS + l->heap_stats + 2 * l->delta_bytes, (uint64_t[]){ 10, 0, 0, 5, 0 }, 5);
}

static void begin(const char *version)
{
	const struct golayout *l = golayout_of(version);

	memory_bytes_init(&memory, words, START, sizeof(words));
	live = (struct golive){ .memory = &memory.memory,
				.vars = { .layout = l, .memstats = MEMSTATS, .pacer = PACER },
				.places.cache_alloc = CACHES };
	put_deltas(l);
}

/* The sums 1 to 6 are of stacks, mspans, mcaches, buckets, GC, others. */
static void begin_1_26(void)
{
	begin("go1.26.1");
	put_all(MEMSTATS + live.vars.layout->last_gc - 48, (uint64_t[]){ 1, 2, 3, 4, 5, 6 }, 6);
	put_all(PACER + live.vars.layout->pacer.heap_free - 16,
		(uint64_t[]){ HEAP_IN_USE, HEAP_RELEASED, HEAP_FREE, 0, 0, 831 }, 6);
}

static void look(void)
{
	gomemstats_read(&live, &s);
}

static void expect_memory(void)
{
	look();
	cr_assert(s.has_memory);
	cr_assert_eq(s.heap_sys, 800);
	cr_assert_eq(s.heap_idle, 100);
	cr_assert_eq(s.heap_inuse, 700);
	cr_assert_eq(s.heap_released, 40);
	cr_assert_eq(s.stack_inuse, 40);
	cr_assert_eq(s.stack_sys, 41);
	cr_assert(s.mspan_sys == 2 && s.mcache_sys == 3 && s.buckhash_sys == 4);
	cr_assert(s.gc_sys == 15 && s.other_sys == 6);
	cr_assert_eq(s.sys, 871);
}

Test(gomemstats, sums_that_agree)
{
	begin_1_26();
	expect_memory();
}

Test(gomemstats, in_1_18_they_are_elsewhere)
{
	begin("go1.18.1");
	put_all(MEMSTATS + 48, (uint64_t[]){ 800, 700, 40, 0, 0, 1, 0, 2, 0, 3, 4, 0, 0, 5, 6 },
		15);
	expect_memory();
	*at(MEMSTATS + 64) = 41;
	look();
	cr_assert(!s.has_memory);
}

Test(gomemstats, sums_that_never_agree_are_not_believed)
{
	const uint64_t places[] = { PACER, MEMSTATS, MEMSTATS, MEMSTATS, PACER };

	begin_1_26();
	for (int i = 0; i < 5; i++) {
		const struct golayout *l = live.vars.layout;
		const uint32_t offsets[] = { l->pacer.heap_free, l->heap_stats, l->heap_stats + 16,
					     l->last_gc - 8, l->pacer.heap_free + 24 };

		++*at(places[i] + offsets[i]);
		look();
		cr_assert(!s.has_memory, "%d", i);
		--*at(places[i] + offsets[i]);
	}
	expect_memory();
	live.vars.pacer = START + BYTES;
	look();
	cr_assert(!s.has_memory);
	live.vars.memstats = 0;
	look();
	cr_assert(!s.has_memory && !s.has_inuse && !s.has_pauses);
}

/* A fixalloc: bytes of an object, bytes in use, address of the sum that counts its memory. */
static void put_fixalloc(uint64_t address, uint64_t size, uint64_t inuse, uint64_t stat)
{
	*at(address) = size;
	*at(address + 48) = inuse;
	*at(address + 56) = stat;
}

Test(gomemstats, allocators_are_known_by_what_they_count)
{
	uint64_t mspan = MEMSTATS, mcache = MEMSTATS;

	begin_1_26();
	mspan += live.vars.layout->last_gc - 40;
	mcache += live.vars.layout->last_gc - 32;
	look();
	cr_assert(!s.has_inuse);
	put_fixalloc(CACHES, 1208, 4832, mcache);
	put_fixalloc(CACHES - 72, 160, 320, mspan);
	look();
	cr_assert(s.has_inuse && s.mcache_inuse == 4832 && s.mspan_inuse == 320);
	put_fixalloc(CACHES - 72, 160, 320, mspan + 8); /* another allocator between them */
	put_fixalloc(CACHES - 144, 160, 480, mspan);
	look();
	cr_assert(s.has_inuse && s.mspan_inuse == 480);
	put_fixalloc(CACHES, 1208, 4833, mcache);
	look();
	cr_assert(!s.has_inuse);
	put_fixalloc(CACHES, 0, 0, mcache);
	look();
	cr_assert(!s.has_inuse);
}

Test(gomemstats, collections)
{
	uint64_t last_gc = MEMSTATS, numgc = MEMSTATS;
	const double half = 0.5, much = 1.5;

	begin_1_26();
	last_gc += live.vars.layout->last_gc;
	numgc += golayout_numgc(live.vars.layout);
	*at(last_gc) = 17;
	*at(last_gc + 16 + 8) = 1000;
	*at(last_gc + 16 + 8 * (GO_PAUSES + 255)) = 2000;
	*at(numgc) = 3;
	memcpy(at(numgc + 8), &half, sizeof(half));
	look();
	cr_assert(s.has_pauses && s.last_gc == 17 && s.pause_ns[1] == 1000 &&
		  s.pause_end[255] == 2000);
	cr_assert(s.gc_cpu_fraction > 0.4 && s.gc_cpu_fraction < 0.6);
	memcpy(at(numgc + 8), &much, sizeof(much));
	look();
	cr_assert(!s.has_pauses);
	memcpy(at(numgc + 8), &half, sizeof(half));
	*at(numgc) = 0; /* although there is a time of the last one */
	look();
	cr_assert(!s.has_pauses);
}

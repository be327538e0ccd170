/*
 * The runtime can check its sums itself (doubleCheckReadMemStats). What the heap has in use and has
 * released must be the same in the pacer and in the sums of what all Ps have reported. What is
 * mapped must be the same by purpose and in total. A running program changes the sums while they
 * are read, so they are read again until they agree. If they never do, they are not used.
 */
#include "runtimes/go/numbers/memstats.h"

#include <string.h>

#include "base/process/memory.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"

enum {
	TRIES = 8,
	DELTAS = 3,	 /* consistentHeapStats.stats */
	DELTA_WORDS = 6, /* heapStatsDelta: committed, released, inHeap, inStacks, inWorkBufs, and
			  * up to 1.24 inPtrScalarBits */
	FIXALLOC_BYTES = 72,
	FIXALLOC_INUSE = 48,
	FIXALLOC_STAT = 56, /* fixalloc, each release */
};

/* runtime.mstats: memory from the system by purpose, up to other_sys, which is before
 * last_gc_unix. */
struct purposes {
	uint64_t stacks, mspan, mcache, buckhash, gc_misc, other;
};

struct numbers_memstats_reading {
	const struct golive *live;
	const struct golayout *layout;
	uint64_t memstats, pacer;
	struct purposes system;
	uint64_t inuse, released, free; /* of the heap */
	int64_t deltas[DELTA_WORDS];	/* sums over DELTAS */
};

static bool numbers_memstats_get(const struct numbers_memstats_reading *r, uint64_t at, void *buf,
				 size_t len)
{
	return !r->live->memory->read(r->live->memory, at, buf, len);
}

/* 1.18 has the heap's numbers in mstats, and behind each of mspan_sys and mcache_sys a word for the
 * part in use, which is computed only on request. */
static bool read_1_18(struct numbers_memstats_reading *r)
{
	enum { HEAP_SYS = 48, WORDS = 15 };
	uint64_t w[WORDS];

	if (!numbers_memstats_get(r, r->memstats + HEAP_SYS, w, sizeof(w)))
		return false;
	r->inuse = w[1];
	r->released = w[2];
	r->free = w[0] - w[1] - w[2];
	r->system = (struct purposes){ w[5], w[7], w[9], w[10], w[13], w[14] };
	return true;
}

/* Reads heapInUse, heapReleased, heapFree. */
static bool read_newer(struct numbers_memstats_reading *r)
{
	uint64_t heap[3];

	if (!numbers_memstats_get(r, r->memstats + r->layout->last_gc - sizeof(r->system),
				  &r->system, sizeof(r->system)) ||
	    !numbers_memstats_get(r, r->pacer + r->layout->pacer.heap_free - 16, heap,
				  sizeof(heap)))
		return false;
	r->inuse = heap[0];
	r->released = heap[1];
	r->free = heap[2];
	return true;
}

static bool read_deltas(struct numbers_memstats_reading *r)
{
	size_t len = r->layout->tiny; /* what precedes the counters of objects */

	memset(r->deltas, 0, sizeof(r->deltas));
	if (len > sizeof(r->deltas))
		return false;
	for (size_t i = 0; i < DELTAS; i++) {
		int64_t delta[DELTA_WORDS] = { 0 };

		if (!numbers_memstats_get(
			    r, r->memstats + r->layout->heap_stats + i * r->layout->delta_bytes,
			    delta, len))
			return false;
		for (size_t n = 0; n < DELTA_WORDS; n++)
			r->deltas[n] = (int64_t)((uint64_t)r->deltas[n] + (uint64_t)delta[n]);
	}
	return true;
}

static uint64_t stacks(const struct numbers_memstats_reading *r)
{
	return (uint64_t)r->deltas[3];
}

/* gcWorkBufInUse and gcProgPtrScalarBitsInUse. */
static uint64_t gc_inuse(const struct numbers_memstats_reading *r)
{
	return (uint64_t)r->deltas[4] + (uint64_t)r->deltas[5];
}

static uint64_t mapped(const struct numbers_memstats_reading *r)
{
	const struct purposes *s = &r->system;

	return r->inuse + r->free + r->released + s->stacks + s->mspan + s->mcache + s->buckhash +
	       s->gc_misc + s->other + stacks(r) + gc_inuse(r);
}

static bool numbers_memstats_agrees(const struct numbers_memstats_reading *r)
{
	uint64_t committed = (uint64_t)r->deltas[0], ready;

	if (r->inuse != (uint64_t)r->deltas[2] || r->released != (uint64_t)r->deltas[1] ||
	    r->inuse + r->free != committed - stacks(r) - gc_inuse(r))
		return false;
	return r->layout->minor < 19 ||
	       (numbers_memstats_get(r, r->pacer + r->layout->pacer.heap_free + 24, &ready,
				     sizeof(ready)) &&
		ready == mapped(r) - r->released);
}

static bool numbers_memstats_read_memory(struct numbers_memstats_reading *r)
{
	for (int i = 0; i < TRIES; i++) {
		if (!(r->layout->minor < 19 ? read_1_18(r) : read_newer(r)) || !read_deltas(r))
			return false;
		if (numbers_memstats_agrees(r))
			return true;
	}
	return false;
}

static void tell_memory(const struct numbers_memstats_reading *r, struct gomemstats *s)
{
	s->has_memory = true;
	s->sys = mapped(r);
	s->heap_sys = r->inuse + r->free + r->released;
	s->heap_idle = r->free + r->released;
	s->heap_inuse = r->inuse;
	s->heap_released = r->released;
	s->stack_inuse = stacks(r);
	s->stack_sys = stacks(r) + r->system.stacks;
	s->mspan_sys = r->system.mspan;
	s->mcache_sys = r->system.mcache;
	s->buckhash_sys = r->system.buckhash;
	s->gc_sys = r->system.gc_misc + gc_inuse(r);
	s->other_sys = r->system.other;
}

/* Reads how much the allocator at `at` has in use. False unless it is the one that adds its memory
 * to the counter at `stat`. */
static bool read_fixalloc(const struct numbers_memstats_reading *r, uint64_t at, uint64_t stat,
			  uint64_t *inuse)
{
	uint64_t w[FIXALLOC_BYTES / 8];

	if (!numbers_memstats_get(r, at, w, sizeof(w)) || w[FIXALLOC_STAT / 8] != stat || !w[0] ||
	    w[FIXALLOC_INUSE / 8] % w[0])
		return false;
	*inuse = w[FIXALLOC_INUSE / 8];
	return true;
}

/* mheap_.spanalloc is right before cachealloc; since 1.26 there is another one between them. */
static bool read_inuse(const struct numbers_memstats_reading *r, struct gomemstats *s)
{
	uint64_t caches = r->live->places.cache_alloc, sys = r->memstats;
	uint64_t mspan = sys + (r->layout->minor < 19 ? 104 : r->layout->last_gc - 40);
	uint64_t mcache = sys + (r->layout->minor < 19 ? 120 : r->layout->last_gc - 32);

	return caches && read_fixalloc(r, caches, mcache, &s->mcache_inuse) &&
	       (read_fixalloc(r, caches - FIXALLOC_BYTES, mspan, &s->mspan_inuse) ||
		read_fixalloc(r, caches - 2 * FIXALLOC_BYTES, mspan, &s->mspan_inuse));
}

/* Consecutive fields of mstats. */
struct pauses {
	uint64_t last_gc, total, ns[GO_PAUSES], end[GO_PAUSES];
	uint32_t cycles, forced;
	double cpu_fraction;
};

static bool read_pauses(const struct numbers_memstats_reading *r, struct gomemstats *s)
{
	struct pauses p;
	uint32_t cycles;

	for (int i = 0; i < TRIES; i++) {
		if (!numbers_memstats_get(r, r->memstats + r->layout->last_gc, &p, sizeof(p)) ||
		    !numbers_memstats_get(r, r->memstats + golayout_numgc(r->layout), &cycles,
					  sizeof(cycles)))
			return false;
		if (cycles == p.cycles)
			break;
	}
	if (cycles != p.cycles || !cycles != !p.last_gc ||
	    !(p.cpu_fraction >= 0 && p.cpu_fraction <= 1))
		return false;
	s->last_gc = p.last_gc;
	memcpy(s->pause_ns, p.ns, sizeof(p.ns));
	memcpy(s->pause_end, p.end, sizeof(p.end));
	s->gc_cpu_fraction = p.cpu_fraction;
	return true;
}

void gomemstats_read(const struct golive *live, struct gomemstats *s)
{
	struct numbers_memstats_reading r = { .live = live,
					      .layout = live->vars.layout,
					      .memstats = live->vars.memstats,
					      .pacer = live->vars.pacer };

	memset(s, 0, sizeof(*s));
	if (!r.memstats)
		return;
	if (r.pacer && numbers_memstats_read_memory(&r))
		tell_memory(&r, s);
	s->has_inuse = read_inuse(&r, s);
	s->has_pauses = read_pauses(&r, s);
}

/*
 * A profile -> the text that Go's runtime/pprof writes with debug=1, for people and for
 * tools that read nothing else.
 *
 * The text has less than the protobuf: no mappings, no time, no number labels, no
 * comments, and addresses only for whole locations. And some of what Go writes is not in
 * the protobuf: how far into its function an address is, the addresses between inlined
 * calls, allocations' frames below the first one that is not the runtime's, cycles.
 */
#ifndef PPROF_LEGACY_WRITE_H
#define PPROF_LEGACY_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct profile;

/* Fields of legacy_memstats that are known together, or not. */
enum legacy_memstats_part {
	LEGACY_ALLOC = 1,	 /* alloc, heap_alloc */
	LEGACY_TOTAL_ALLOC = 2,
	LEGACY_MALLOCS = 4, LEGACY_FREES = 8, /* heap_objects with both */
	LEGACY_SYSTEM = 16,	 /* sys, of the heap what follows heap_alloc, stack, …_sys */
	LEGACY_INUSE = 32,	 /* mspan_inuse, mcache_inuse */
	LEGACY_NEXT_GC = 64,
	LEGACY_PAUSES = 128,	 /* last_gc, pauses, gc_cpu_fraction */
	LEGACY_NUM_GC = 256, LEGACY_NUM_FORCED_GC = 512,
	LEGACY_MAX_RSS = 1024,
};

/* runtime.MemStats, as far as heap profiles show it, with its names. Bytes, ns. */
struct legacy_memstats {
	unsigned unknown; /* set of enum legacy_memstats_part: is left out */
	uint64_t alloc, total_alloc, sys, lookups, mallocs, frees;
	uint64_t heap_alloc, heap_sys, heap_idle, heap_inuse, heap_released, heap_objects;
	uint64_t stack_inuse, stack_sys, mspan_inuse, mspan_sys, mcache_inuse, mcache_sys;
	uint64_t buck_hash_sys, gc_sys, other_sys, next_gc, last_gc;
	uint64_t pause_ns[256], pause_end[256];
	uint32_t num_gc, num_forced_gc;
	double gc_cpu_fraction;
	bool debug_gc;
	uint64_t max_rss;
};

/* What a profile does not say of itself. */
struct legacy_extras {
	const struct legacy_memstats *memstats; /* NULL: the block is left out */
	bool mutex;				/* a contention profile is of mutexes */
};

/* Appends the text. `extras` may be NULL. ERR_NOTFOUND when there is no such form for the
 * profile's sample types or values, and why; ERR_NOMEM. */
int legacy_write(const struct profile *p, const struct legacy_extras *extras,
		 struct buffer *out, struct error *err);

#endif

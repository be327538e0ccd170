/*
 * Writes a profile as the text that Go's runtime/pprof writes with debug=1, for people and
 * for tools that read nothing else.
 *
 * The text has less than the protobuf: no mappings, no time, no number labels, no
 * comments, and one address per location. Some of what Go writes is not in the protobuf:
 * the distance of an address from its function's entry, the addresses of inlined calls, the
 * runtime's frames at the leaf of an allocation's stack, and cycles.
 */
#ifndef PPROF_GOTEXT_GOTEXT_H
#define PPROF_GOTEXT_GOTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct profile;

/* Groups of fields of legacy_memstats that are known, or not known, together. */
enum legacy_memstats_part {
	LEGACY_ALLOC = 1, /* alloc, heap_alloc */
	LEGACY_TOTAL_ALLOC = 2,
	LEGACY_MALLOCS = 4,
	LEGACY_FREES = 8,   /* heap_objects with both */
	LEGACY_SYSTEM = 16, /* sys, heap_sys to heap_released, stack_inuse, all …_sys */
	LEGACY_INUSE = 32,  /* mspan_inuse, mcache_inuse */
	LEGACY_NEXT_GC = 64,
	LEGACY_PAUSES = 128, /* last_gc, pause_ns, pause_end, gc_cpu_fraction */
	LEGACY_NUM_GC = 256,
	LEGACY_NUM_FORCED_GC = 512,
	LEGACY_MAX_RSS = 1024,
};

/* The part of Go's runtime.MemStats that heap profiles show, with its names. Bytes, ns. */
struct legacy_memstats {
	unsigned unknown; /* set of enum legacy_memstats_part; these fields are not written */
	uint64_t alloc, total_alloc, sys, mallocs, frees;
	uint64_t heap_alloc, heap_sys, heap_idle, heap_inuse, heap_released, heap_objects;
	uint64_t stack_inuse, stack_sys, mspan_inuse, mspan_sys, mcache_inuse, mcache_sys;
	uint64_t buck_hash_sys, gc_sys, other_sys, next_gc, last_gc;
	uint64_t pause_ns[256], pause_end[256];
	uint32_t num_gc, num_forced_gc;
	double gc_cpu_fraction;
	uint64_t max_rss;
};

/* Appends the block "# runtime.MemStats" of a heap text to `out`, without the fields of
 * stats->unknown. ERR_NOMEM. */
int legacy_memstats_write(const struct legacy_memstats *stats, struct buffer *out);

/* What is not in the profile itself. */
struct legacy_extras {
	const struct legacy_memstats *memstats; /* NULL: the block is left out */
	bool mutex;				/* a contention profile is of mutexes */
};

/* Appends the text to `out`. `extras` may be NULL. ERR_NOTFOUND, with the reason, when the text
 * has no form for the profile's sample types or values; ERR_NOMEM. */
int legacy_write(const struct profile *p, const struct legacy_extras *extras, struct buffer *out,
		 struct error *err);

#endif

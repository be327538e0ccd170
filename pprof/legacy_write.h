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

/* runtime.MemStats, as far as heap profiles show it, with its names. Bytes, ns. */
struct legacy_memstats {
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

/*
 * Reads Go maps entry by entry: hmap up to 1.23 (runtime/map.go), Swiss maps since 1.24
 * (internal/runtime/maps). Programs with an experiment that chooses another kind (noswissmap in
 * 1.24 and 1.25, mapsplitgroup in 1.27) are not supported: golayout_of rejects them.
 *
 * Bounded: the caller limits the number of entries, and no chain of buckets or tables is followed
 * further than its own counts allow.
 */
#ifndef RUNTIMES_GO_MAP_H
#define RUNTIMES_GO_MAP_H

#include <stddef.h>
#include <stdint.h>

struct memory;

struct gomap_kind {
	unsigned minor;	    /* the release */
	uint32_t key, elem; /* bytes; both multiples of 8 */
};

typedef int gomap_callback(void *ctx, const void *key, const void *elem);

/* Passes each entry of the map at an address (the value of a variable of a map type; 0: an empty
 * map) once to `each`. `memory` must not be a cache, unless the map can no longer change. Returns
 * 0; what the callback returned, if not 0; ERR_FORMAT: it is not a valid map, or it changes while
 * it is read; ERR_LIMIT: more than `max` entries, or room for many more than that; ERR_NOMEM. */
int gomap_each(const struct memory *memory, uint64_t map, const struct gomap_kind *kind, size_t max,
	       gomap_callback *each, void *ctx);

#endif

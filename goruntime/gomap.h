/*
 * Maps of Go, read entry by entry: hmap up to 1.23 (runtime/map.go), Swiss maps from 1.24 on
 * (internal/runtime/maps). Experiments that choose another kind (noswissmap in 1.24 and 1.25,
 * mapsplitgroup in 1.27) are not for us: golayout_of refuses such programs.
 *
 * Bounded: a map has at most so many entries, and no chain of buckets or tables is followed for
 * longer than its own counts allow.
 */
#ifndef GORUNTIME_GOMAP_H
#define GORUNTIME_GOMAP_H

#include <stddef.h>
#include <stdint.h>

struct memory;

struct gomap_kind {
	unsigned minor;		 /* the release */
	uint32_t key, elem;	 /* bytes; both multiples of 8 */
};

typedef int gomap_callback(void *ctx, const void *key, const void *elem);

/* Tells each entry of the map at an address (what a variable of a map type holds; 0: an empty
 * one) once. `memory` must not be a cache, unless the map can no longer change. 0; what the
 * callback returned; ERR_FORMAT: what stands there is none, or it changes as we read;
 * ERR_LIMIT: more than `max` entries, or room for so many more; ERR_NOMEM. */
int gomap_each(const struct memory *memory, uint64_t map, const struct gomap_kind *kind, size_t max,
	       gomap_callback *each, void *ctx);

#endif

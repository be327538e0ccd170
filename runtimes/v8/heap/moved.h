/*
 * Objects that the collector is moving.
 *
 * While it does, words still lead to where an object was. There, in place of the map, is the
 * address of its copy, without the tag, written when the copy was complete.
 */
#ifndef RUNTIMES_V8_HEAP_MOVED_H
#define RUNTIMES_V8_HEAP_MOVED_H

#include "runtimes/v8/heap/runtime.h"

/* Where a tagged object is now. */
static inline uint64_t v8_moved(const struct v8_runtime *rt, uint64_t object)
{
	uint64_t map;

	if (v8_load(rt, object, 0, &map) && map && map % 8 == 0)
		return map + 1;
	return object;
}

/* The object that a tagged field leads to, or the Smi in it; 0: it cannot be read. */
static inline uint64_t v8_load_moved(const struct v8_runtime *rt, uint64_t object, int32_t offset)
{
	uint64_t word;

	return v8_load(rt, object, offset, &word) ? v8_moved(rt, word) : 0;
}

#endif

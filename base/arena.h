/*
 * Memory that is freed all at once.
 *
 * A round's stacks, a profile's strings, a symbolizer's names: thousands of small objects that are
 * all freed at the same time. An arena allocates by moving a pointer, and arena_release frees
 * everything. Single objects cannot be freed.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/* {0} is empty. */
struct arena {
	struct arena_block *blocks; /* newest first; owned */
	size_t used, size;	    /* bytes of the newest block */
	size_t total;		    /* bytes allocated with malloc */
};

/* Frees all allocated objects. The arena is then empty and can be used again. */
void arena_release(struct arena *a);

/* `size` zeroed bytes, aligned to 16, valid until arena_release. NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of `len` bytes of `data` followed by a NUL that `len` does not count. Not aligned. NULL
 * when out of memory. */
char *arena_copy(struct arena *a, const void *data, size_t len);

#endif

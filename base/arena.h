/*
 * Memory that is freed all at once.
 *
 * A round's stacks, a profile's strings, a symbolizer's names: thousands of
 * small objects with one end of life. An arena hands them out by moving a
 * pointer and gives everything back in arena_release. Nothing is freed singly.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used, size;	    /* of the newest block, bytes */
	size_t total;		    /* bytes got from malloc */
};

/* An empty arena owns nothing; {0} is as good. */
void arena_init(struct arena *a);

/* Frees all that was handed out; the arena is empty and usable again. */
void arena_release(struct arena *a);

/* `size` zeroed bytes, aligned to 16; NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of `len` bytes of `data`, with a NUL appended that len does not count. */
char *arena_copy(struct arena *a, const void *data, size_t len);

#endif

/* Blocks double from 4 KiB to 1 MiB; a larger request gets a block of its own, so that no request
 * is refused for its size. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 4096, BLOCK_MAX = 1 << 20, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	_Alignas(ALIGN) char data[];
};

void arena_release(struct arena *a)
{
	struct arena_block *b = a->blocks;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	*a = (struct arena){ 0 };
}

static int arena_grow(struct arena *a, size_t need)
{
	size_t size = a->size ? a->size * 2 : BLOCK_MIN;
	struct arena_block *b;

	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < need)
		size = need;
	b = calloc(1, sizeof(*b) + size);
	if (!b)
		return -1;
	b->next = a->blocks;
	a->blocks = b;
	a->used = 0;
	a->size = size;
	a->total += size;
	return 0;
}

static void *arena_take(struct arena *a, size_t size, size_t align)
{
	size_t start = (a->used + align - 1) & ~(align - 1);

	if (size > SIZE_MAX / 2)
		return NULL;
	if (!a->blocks || start > a->size || a->size - start < size) {
		if (arena_grow(a, size))
			return NULL;
		start = 0;
	}
	a->used = start + size;
	return a->blocks->data + start;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return arena_take(a, size, ALIGN);
}

char *arena_copy(struct arena *a, const void *data, size_t len)
{
	char *p = len < SIZE_MAX ? arena_take(a, len + 1, 1) : NULL;

	if (p && len)
		memcpy(p, data, len);
	return p;
}

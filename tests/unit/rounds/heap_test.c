#include <criterion/criterion.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rounds/heap.h"

#ifdef __GLIBC__

enum { PIECE = 1 << 20, SMALL = 20000, SMALL_COUNT = 500 };

/* False with a sanitizer, which has a malloc of its own. */
static bool glibcs(void)
{
	free(malloc(1));
	return mallinfo2().arena;
}

static size_t mapped(void)
{
	return mallinfo2().hblkhd;
}

/* More than once: by default glibc raises the threshold when a large piece is freed. */
Test(heap, large_pieces_go_back)
{
	size_t before;

	if (!glibcs())
		return;
	heap_settle();
	before = mapped();
	for (int i = 0; i < 3; i++) {
		void *large = malloc(20 * PIECE), *piece;

		free(large);
		piece = malloc(PIECE);
		cr_assert(piece);
		cr_expect_geq(mapped(), before + PIECE);
		free(piece);
		cr_expect_eq(mapped(), before);
	}
}

static size_t resident(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	cr_assert(f && fscanf(f, "%*u %lu", &pages) == 1);
	fclose(f);
	return pages * 4096;
}

/* The last of many pieces stays allocated, so the heap cannot shrink from its top. */
Test(heap, holes_go_back)
{
	void *all[SMALL_COUNT];
	size_t before;

	if (!glibcs())
		return;
	heap_settle();
	for (int i = 0; i < SMALL_COUNT; i++) {
		all[i] = malloc(SMALL);
		cr_assert(all[i]);
		memset(all[i], 1, SMALL);
	}
	for (int i = 0; i < SMALL_COUNT - 1; i++)
		free(all[i]);
	before = resident();
	heap_trim();
	cr_expect_leq(resident() + SMALL_COUNT * SMALL / 2, before);
	free(all[SMALL_COUNT - 1]);
}

#endif

/*
 * glibc raises the size from which a piece has a mapping of its own with each such piece
 * that is freed, up to 32 MiB, so that profiles soon lie between small pieces, and what a
 * round has freed stays with us as holes. Sampling threads come and go, a few for each
 * round; a new one takes an arena that an ended one has left, or makes another if both live.
 * mallopt(3), malloc_trim(3); malloc/arena.c, arena_get2.
 */
#include "base/heap.h"

#include <malloc.h>

enum { LARGE = 32 << 10, ARENAS = 2 };

void heap_settle(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE);
	mallopt(M_TRIM_THRESHOLD, LARGE);
	mallopt(M_ARENA_MAX, ARENAS);
#endif
}

void heap_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

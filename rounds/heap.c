/*
 * glibc gives a large allocation a mapping of its own. Each time that such an allocation is freed,
 * glibc raises the size that counts as large, up to 32 MiB. Soon profiles lie between small
 * allocations, and the memory that a round has freed stays in the process as holes. Setting the
 * threshold keeps it where it is (mallopt(3), M_MMAP_THRESHOLD; malloc_trim(3)).
 *
 * Sampling threads come and go, a few in each round. A new thread takes an arena whose threads have
 * ended. If there is none, glibc makes another arena, up to the limit (malloc/arena.c, arena_get2).
 */
#include "rounds/heap.h"

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

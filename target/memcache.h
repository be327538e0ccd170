/*
 * Another memory, read in large aligned blocks that are kept: for what follows pointers
 * through a foreign process and would else make a system call for each.
 *
 * What is kept grows old; memcache_forget begins anew. A block that cannot be read whole (the
 * end of a mapping) is read by halves, down to pages, as they are asked for; so what can be
 * read without this can be read with it. The number of blocks is bounded: each has one of four
 * places, the one used least recently makes room.
 */
#ifndef TARGET_MEMCACHE_H
#define TARGET_MEMCACHE_H

#include <stddef.h>
#include <stdint.h>

struct memcache;
struct memory;

enum {
	MEMCACHE_BLOCK_MIN = 4 << 10, /* a page */
	MEMCACHE_BLOCK_MAX = 256 << 10,
};

/* Blocks of this size, a power of two from MIN to MAX, at most `blocks` of them, which is a
 * multiple of 4; they take memory when they are first used. `under` is not owned and must
 * outlive it. ERR_NOMEM. */
int memcache_new(struct memcache **c, const struct memory *under, size_t block_bytes,
		 size_t blocks);
void memcache_free(struct memcache *c);

/* To read by; lives as long as `c`. Its read() fails as that of the memory under it, and with
 * ERR_NOMEM. What is at least as long as a block is read past the cache. */
const struct memory *memcache_memory(struct memcache *c);

/* All that is kept is given up, so that it is read anew. */
void memcache_forget(struct memcache *c);

/* Reads of the memory under it that have succeeded so far, and their bytes. */
uint64_t memcache_reads(const struct memcache *c);
uint64_t memcache_bytes(const struct memcache *c);

#endif

/*
 * A cache of another memory in large aligned blocks, for code that follows pointers through a
 * foreign process and would otherwise make a system call for each.
 *
 * The cache becomes stale; memcache_forget empties it. A block that cannot be read whole (at the
 * end of a mapping) is read by halves, down to pages, as they are needed. So all that can be read
 * without the cache can be read with it. The number of blocks is bounded: the cache is 4-way
 * set-associative, and the least recently used block of a set is replaced.
 */
#ifndef BASE_PROCESS_MEMCACHE_H
#define BASE_PROCESS_MEMCACHE_H

#include <stddef.h>
#include <stdint.h>

struct memcache;
struct memory;

enum { MEMCACHE_BLOCK_MIN = 4 << 10 }; /* a page */

/* Makes a cache of at most `blocks` blocks, a multiple of 4, of `block_bytes` each, a power of two
 * from MIN on. They take memory when they are first used. `under` is not owned and must outlive
 * the cache. ERR_NOMEM. */
int memcache_new(struct memcache **c, const struct memory *under, size_t block_bytes,
		 size_t blocks);
void memcache_free(struct memcache *c);

/* The memory to read from, valid as long as `c`. Its read() fails like that of the memory under it,
 * and with ERR_NOMEM. Reads of at least a block's size bypass the cache. */
const struct memory *memcache_memory(struct memcache *c);

/* Empties the cache, so that everything is read anew. */
void memcache_forget(struct memcache *c);

/* Successful reads of the memory under it so far, and their bytes. */
uint64_t memcache_reads(const struct memcache *c);
uint64_t memcache_bytes(const struct memcache *c);

#endif

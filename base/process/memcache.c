/* A bit for each page of a block tells what was read. The block used last is what memory.h calls
 * bytes at hand, which are read without a lookup. */
#include "base/process/memcache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"

enum { PAGE = MEMCACHE_BLOCK_MIN, WAYS = 4 };

struct memcache_block {
	uint64_t start;
	uint64_t pages; /* bit mask of the pages that have been read; 0: the place is free */
	uint8_t *bytes; /* owned; NULL until first used */
};

struct memcache {
	struct memory memory; /* must be first; its bytes at hand: the block used last, if whole */
	const struct memory *under;
	size_t block_bytes, sets;
	uint64_t whole; /* `pages` of a block that has been read as a whole */
	uint64_t reads, read_bytes;
	struct memcache_block blocks[]; /* WAYS of each set, most recently used first */
};

static uint64_t pages_of(uint64_t offset, size_t len)
{
	unsigned first = offset / PAGE, count = len / PAGE;

	return (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

/* Reads the page at an offset of the block, and as much around it as can be read at once. */
static int memcache_fetch(struct memcache *c, struct memcache_block *b, uint64_t offset)
{
	int rc = 0;

	for (size_t len = c->block_bytes; len >= PAGE; len /= 2) {
		uint64_t at = offset & ~(uint64_t)(len - 1);
		uint64_t pages = pages_of(at, len);

		/* A page that has been read is not read again, so its copy does not change. */
		if (b->pages & pages)
			continue;
		rc = c->under->read(c->under, b->start + at, b->bytes + at, len);
		if (rc)
			continue;
		b->pages |= pages;
		c->reads++;
		c->read_bytes += len;
		return 0;
	}
	return rc;
}

/* The block that begins at `start`, made if it is missing, and moved to the first place of its set;
 * NULL when out of memory. */
static struct memcache_block *block_at(struct memcache *c, uint64_t start)
{
	uint64_t hash = (start / c->block_bytes) * UINT64_C(0x9e3779b97f4a7c15);
	struct memcache_block *set = &c->blocks[(hash >> 32) % c->sets * WAYS], found;
	size_t way = 0;

	while (way < WAYS - 1 && !(set[way].pages && set[way].start == start))
		way++;
	found = set[way];
	if (!found.pages || found.start != start) {
		if (!found.bytes)
			found.bytes = malloc(c->block_bytes);
		if (!found.bytes)
			return NULL;
		found.start = start;
		found.pages = 0;
	}
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = found;
	return set;
}

/* Reads bytes that lie in one block. */
static int read_within(struct memcache *c, uint64_t start, uint64_t offset, uint8_t *buf,
		       size_t len)
{
	struct memcache_block *b;

	/* The block at hand may be the one that is replaced. */
	c->memory.len = 0;
	b = block_at(c, start);
	if (!b)
		return ERR_NOMEM;
	for (uint64_t at = offset & ~(uint64_t)(PAGE - 1); at < offset + len; at += PAGE) {
		int rc = b->pages & pages_of(at, PAGE) ? 0 : memcache_fetch(c, b, at);

		if (rc)
			return rc;
	}
	memcpy(buf, b->bytes + offset, len);
	if (b->pages == c->whole) {
		c->memory.bytes = b->bytes;
		c->memory.start = start;
		c->memory.len = c->block_bytes;
	}
	return 0;
}

static int read_past(struct memcache *c, uint64_t addr, void *buf, size_t len)
{
	int rc = c->under->read(c->under, addr, buf, len);

	c->reads += !rc;
	c->read_bytes += rc ? 0 : len;
	return rc;
}

static int read_cached(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	/* `m` is part of a memcache, and no memcache is const. */
	struct memcache *c = (struct memcache *)(uintptr_t)m;
	uint8_t *to = buf;

	if (len && addr + (len - 1) < addr)
		return ERR_IO;
	if (addr - m->start < m->len && len <= m->len - (addr - m->start)) {
		memcpy(buf, m->bytes + (addr - m->start), len);
		return 0;
	}
	if (len >= c->block_bytes)
		return read_past(c, addr, buf, len);
	while (len) {
		uint64_t offset = addr & (c->block_bytes - 1);
		size_t part = len < c->block_bytes - offset ? len : c->block_bytes - offset;
		int rc = read_within(c, addr - offset, offset, to, part);

		if (rc)
			return rc;
		addr += part;
		to += part;
		len -= part;
	}
	return 0;
}

int memcache_new(struct memcache **out, const struct memory *under, size_t block_bytes,
		 size_t blocks)
{
	struct memcache *c = calloc(1, sizeof(*c) + blocks * sizeof(*c->blocks));

	*out = c;
	if (!c)
		return ERR_NOMEM;
	c->memory.read = read_cached;
	c->under = under;
	c->block_bytes = block_bytes;
	c->sets = blocks / WAYS;
	c->whole = pages_of(0, block_bytes);
	return 0;
}

void memcache_free(struct memcache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->sets * WAYS; i++)
		free(c->blocks[i].bytes);
	free(c);
}

const struct memory *memcache_memory(struct memcache *c)
{
	return &c->memory;
}

void memcache_forget(struct memcache *c)
{
	c->memory.len = 0;
	for (size_t i = 0; i < c->sets * WAYS; i++)
		c->blocks[i].pages = 0;
}

uint64_t memcache_reads(const struct memcache *c)
{
	return c->reads;
}

uint64_t memcache_bytes(const struct memcache *c)
{
	return c->read_bytes;
}

/* Made-up memory of a Go program; its addresses begin at GO_START. */
#ifndef TESTS_GOMAPS_H
#define TESTS_GOMAPS_H

#include <stdint.h>
#include <string.h>

#include "base/process/memory.h"

enum { GO_START = 0x100000, GO_ROOM = 1 << 18 };

struct gomem {
	struct memory_bytes memory;
	size_t used;
	uint8_t bytes[GO_ROOM];
};

static inline void gomem_init(struct gomem *m)
{
	memset(m->bytes, 0, sizeof(m->bytes));
	m->used = 16;
	memory_bytes_init(&m->memory, m->bytes, GO_START, GO_ROOM);
}

/* Returns the address of `len` new bytes, which are zero. */
static inline uint64_t gomem_alloc(struct gomem *m, size_t len)
{
	uint64_t at = GO_START + m->used;

	m->used += (len + 7) & ~(size_t)7;
	return at;
}

static inline uint8_t *gomem_at(struct gomem *m, uint64_t at)
{
	return m->bytes + (at - GO_START);
}

static inline void gomem_put(struct gomem *m, uint64_t at, uint64_t value, size_t len)
{
	memcpy(gomem_at(m, at), &value, len);
}

static inline uint64_t gomem_text(struct gomem *m, const char *text)
{
	uint64_t at = gomem_alloc(m, strlen(text) + 1);

	memcpy(gomem_at(m, at), text, strlen(text));
	return at;
}

/* Returns the address of an hmap of 1 << log buckets; `entry`: bytes of a key and an element. */
static inline uint64_t gomem_hmap(struct gomem *m, uint64_t count, unsigned log, size_t entry)
{
	uint64_t map = gomem_alloc(m, 48);

	gomem_put(m, map, count, 8);
	gomem_put(m, map + 9, log, 1);
	gomem_put(m, map + 16, gomem_alloc(m, (16 + 8 * entry) << log), 8);
	return map;
}

/* Returns the address of a small Swiss map whose group is empty. */
static inline uint64_t gomem_swiss(struct gomem *m, uint64_t count, size_t entry)
{
	uint64_t map = gomem_alloc(m, 48), group = gomem_alloc(m, 8 + 8 * entry);

	gomem_put(m, map, count, 8);
	gomem_put(m, map + 16, group, 8);
	memset(gomem_at(m, group), 0x80, 8);
	return map;
}

#endif

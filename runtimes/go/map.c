/*
 * All entries are read before the first is passed on. Only then is it certain that their number is
 * that in the map's header, and that the header has not changed meanwhile. If the map was written
 * to meanwhile, it is read again a few times. A map that changes during each of these readings,
 * which is likelier for a large one, is rejected, because a half-made change is not an entry.
 */
#include "runtimes/go/map.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"

enum {
	TRIES = 8,
	CELLS = 8,	/* cells of a bucket or of a group: bucketCnt, MapGroupSlots */
	SIDE_MAX = 128, /* bytes: larger keys and elements are stored elsewhere (maxKeySize) */
	CHUNK = 64 << 10,
	SWISS_SINCE = 24,
	/* runtime/map.go: hmap */
	HMAP_FLAGS = 8,
	HMAP_B = 9,
	HMAP_BUCKETS = 16,
	HMAP_OLD = 24,
	WRITING = 4,
	SAME_SIZE_GROW = 8, /* bits of flags */
	MIN_TOP_HASH = 5,
	/* internal/runtime/maps/map.go: Map; table.go: table */
	MAP_DIR = 16,
	MAP_DIR_LEN = 24,
	MAP_DEPTH = 32,
	MAP_WRITING = 34,
	TABLE_CAPACITY = 2,
	TABLE_DEPTH = 6,
	TABLE_INDEX = 8,
	TABLE_GROUPS = 16,
	TABLE_MASK = 24,
	TABLE_BYTES = 32,
	TABLE_MAX = 1024,  /* maxTableCapacity */
	HEADER_BYTES = 48, /* of either kind */
};

static const uint8_t NOT_FULL = 0x80; /* bit of a control byte: empty or deleted (group.go) */

struct map_reader {
	const struct memory *memory;
	const struct gomap_kind *kind;
	uint64_t count, max; /* according to the header; the limit */
	struct buffer entries;
	uint8_t header[HEADER_BYTES];
	uint8_t chunk[CHUNK];
};

static size_t entry_bytes(const struct map_reader *r)
{
	return (size_t)r->kind->key + r->kind->elem;
}

static int map_get(const struct map_reader *r, uint64_t at, void *to, size_t len)
{
	return at && !r->memory->read(r->memory, at, to, len) ? 0 : ERR_FORMAT;
}

static int map_keep(struct map_reader *r, const uint8_t *key, const uint8_t *elem)
{
	if (r->entries.len / entry_bytes(r) >= r->count)
		return ERR_FORMAT;
	if (buffer_add(&r->entries, key, r->kind->key) ||
	    buffer_add(&r->entries, elem, r->kind->elem))
		return ERR_NOMEM;
	return 0;
}

static size_t bucket_bytes(const struct map_reader *r)
{
	return CELLS + CELLS * entry_bytes(r) + 8;
}

/* Keeps the cells that are in use. When the entries of an old bucket have been moved, each of its
 * cells is marked as empty or moved (evacuate() in runtime/map.go), so each entry is in use in one
 * place only. */
static int keep_bucket(struct map_reader *r, const uint8_t *bucket)
{
	const uint8_t *keys = bucket + CELLS, *elems = keys + (size_t)CELLS * r->kind->key;
	int rc = 0;

	for (size_t i = 0; !rc && i < CELLS; i++)
		if (bucket[i] >= MIN_TOP_HASH)
			rc = map_keep(r, keys + i * r->kind->key, elems + i * r->kind->elem);
	return rc;
}

/* Keeps a bucket and its overflow buckets; *left is how many of these may still follow. */
static int keep_chain(struct map_reader *r, const uint8_t *bucket, uint64_t *left)
{
	uint8_t next[CELLS + CELLS * 2 * SIDE_MAX + 8];
	uint64_t at = memory_word(bucket, bucket_bytes(r) - 8);
	int rc = keep_bucket(r, bucket);

	while (!rc && at) {
		if (!(*left)--)
			return ERR_FORMAT;
		rc = map_get(r, at, next, bucket_bytes(r));
		if (!rc)
			rc = keep_bucket(r, next);
		at = memory_word(next, bucket_bytes(r) - 8);
	}
	return rc;
}

/* Once a map has about as many overflow buckets as buckets, Go makes it anew
 * (tooManyOverflowBuckets()); hence the bound. */
static int keep_buckets(struct map_reader *r, uint64_t at, uint64_t count)
{
	size_t per_chunk = CHUNK / bucket_bytes(r);
	uint64_t left = 2 * count + CELLS + r->count;
	int rc = 0;

	for (uint64_t done = 0; !rc && done < count;) {
		size_t n = count - done < per_chunk ? (size_t)(count - done) : per_chunk;

		rc = map_get(r, at + done * bucket_bytes(r), r->chunk, n * bucket_bytes(r));
		for (size_t i = 0; !rc && i < n; i++)
			rc = keep_chain(r, r->chunk + i * bucket_bytes(r), &left);
		done += n;
	}
	return rc;
}

static int keep_hmap(struct map_reader *r)
{
	uint8_t log = r->header[HMAP_B], flags = r->header[HMAP_FLAGS];
	uint64_t old = memory_word(r->header, HMAP_OLD);
	int rc;

	if (flags & WRITING)
		return ERR_FORMAT;
	if (log > 40 || 1ull << log > 2 * r->max + CELLS)
		return ERR_LIMIT;
	if (old && !log && !(flags & SAME_SIZE_GROW))
		return ERR_FORMAT;
	rc = keep_buckets(r, memory_word(r->header, HMAP_BUCKETS), 1ull << log);
	if (!rc && old)
		rc = keep_buckets(r, old, 1ull << (log - !(flags & SAME_SIZE_GROW)));
	return rc;
}

static size_t group_bytes(const struct map_reader *r)
{
	return CELLS + CELLS * entry_bytes(r);
}

static int keep_groups(struct map_reader *r, uint64_t at, size_t count)
{
	size_t per_chunk = CHUNK / group_bytes(r);
	int rc = 0;

	for (size_t done = 0; !rc && done < count;) {
		size_t n = count - done < per_chunk ? count - done : per_chunk;

		rc = map_get(r, at + done * group_bytes(r), r->chunk, n * group_bytes(r));
		for (size_t i = 0; !rc && i < n * CELLS; i++) {
			const uint8_t *group = r->chunk + i / CELLS * group_bytes(r);
			const uint8_t *slot = group + CELLS + i % CELLS * entry_bytes(r);

			if (!(group[i % CELLS] & NOT_FULL))
				rc = map_keep(r, slot, slot + r->kind->key);
		}
		done += n;
	}
	return rc;
}

/* Keeps one table, which begins at `index` of the directory; *places is how many elements of the
 * directory refer to it. */
static int keep_table(struct map_reader *r, uint64_t at, uint64_t index, uint64_t *places)
{
	uint8_t depth = r->header[MAP_DEPTH], table[TABLE_BYTES];
	uint64_t before = r->entries.len / entry_bytes(r);
	uint16_t used, capacity;
	int rc = map_get(r, at, table, sizeof(table));

	if (rc)
		return rc;
	memcpy(&used, table, sizeof(used));
	memcpy(&capacity, table + TABLE_CAPACITY, sizeof(capacity));
	if (table[TABLE_DEPTH] > depth || memory_word(table, TABLE_INDEX) != index ||
	    capacity < CELLS || capacity > TABLE_MAX || capacity & (capacity - 1) ||
	    memory_word(table, TABLE_MASK) != capacity / CELLS - 1u)
		return ERR_FORMAT;
	*places = 1ull << (depth - table[TABLE_DEPTH]);
	rc = keep_groups(r, memory_word(table, TABLE_GROUPS), capacity / CELLS);
	return rc ? rc : r->entries.len / entry_bytes(r) - before == used ? 0 : ERR_FORMAT;
}

/* Each table fills consecutive elements of the directory; its depth says how many. */
static int keep_tables(struct map_reader *r)
{
	uint64_t directory = memory_word(r->header, MAP_DIR);
	uint64_t len = memory_word(r->header, MAP_DIR_LEN);
	uint64_t places, table;
	int rc = 0;

	for (uint64_t i = 0; !rc && i < len; i += places) {
		places = 1;
		rc = map_get(r, directory + i * 8, &table, sizeof(table));
		if (!rc)
			rc = keep_table(r, table, i, &places);
	}
	return rc;
}

static int keep_swiss(struct map_reader *r)
{
	uint64_t len = memory_word(r->header, MAP_DIR_LEN);

	if (r->header[MAP_WRITING])
		return ERR_FORMAT;
	if (!len) /* a small map */
		return keep_groups(r, memory_word(r->header, MAP_DIR), 1);
	if (r->header[MAP_DEPTH] > 40 || len != 1ull << r->header[MAP_DEPTH])
		return ERR_FORMAT;
	return len > r->max + CELLS ? ERR_LIMIT : keep_tables(r);
}

/* Both headers begin with the number of entries. */
static int map_read_once(struct map_reader *r, uint64_t map)
{
	uint8_t after[HEADER_BYTES];
	int rc = map_get(r, map, r->header, HEADER_BYTES);

	r->entries.len = 0;
	if (rc)
		return rc;
	r->count = memory_word(r->header, 0);
	if (r->count > r->max)
		return r->count > INT64_MAX ? ERR_FORMAT : ERR_LIMIT;
	if (r->count)
		rc = r->kind->minor < SWISS_SINCE ? keep_hmap(r) : keep_swiss(r);
	if (rc || r->entries.len / entry_bytes(r) != r->count)
		return rc ? rc : ERR_FORMAT;
	rc = map_get(r, map, after, HEADER_BYTES);
	return rc || memcmp(r->header, after, HEADER_BYTES) ? ERR_FORMAT : 0;
}

int gomap_each(const struct memory *memory, uint64_t map, const struct gomap_kind *kind, size_t max,
	       gomap_callback *each, void *ctx)
{
	struct map_reader r = { .memory = memory, .kind = kind, .max = max };
	int rc = 0;

	if (!map)
		return 0;
	if (!kind->key || !kind->elem || kind->key % 8 || kind->elem % 8 || kind->key > SIDE_MAX ||
	    kind->elem > SIDE_MAX)
		return ERR_FORMAT;
	for (int i = 0; i < TRIES && (!i || rc == ERR_FORMAT); i++)
		rc = map_read_once(&r, map);
	for (size_t at = 0; !rc && at < r.entries.len; at += entry_bytes(&r))
		rc = each(ctx, r.entries.data + at, r.entries.data + at + kind->key);
	buffer_release(&r.entries);
	return rc;
}

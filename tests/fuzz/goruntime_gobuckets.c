// links: runtimes/go/numbers
/*
 * Any bytes as a Go program's memory with its tables of allocations and blocking. The first byte
 * chooses the release, the second the table, the third options, the next ones the addresses of the
 * variables. If bit 0 of the third is set, each bucket gets its right hash, so that lists are
 * followed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/numbers/bucketlist.h"
#include "runtimes/go/numbers/buckets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { START = 0x10000, HEAD = 16, MAX = 1 << 16 };

static uint64_t place(const uint8_t *at)
{
	return at[0] | at[1] ? START + ((uint64_t)at[0] << 8 | at[1]) : 0;
}

struct told {
	uint64_t buckets;
	enum go_buckets which;
};

static int each(void *ctx, const struct go_bucket *b, struct error *err)
{
	struct told *t = ctx;
	uint64_t sum = 0;

	(void)err;
	if (!b) {
		t->buckets = 0;
		return 0;
	}
	t->buckets++;
	if (b->pc_count > GO_BUCKET_PCS || (t->which == GO_HEAP ? !b->size : b->count < 0))
		abort();
	for (size_t i = 0; i < b->pc_count; i++)
		sum += b->pcs[i];
	return sum == UINT64_MAX; /* so that each of them is read */
}

/* Sets the hash of all bytes that could be a bucket, like stkbucket (runtime/mprof.go). */
static void set_hashes(uint8_t *bytes, size_t len)
{
	for (size_t at = 0; at + 48 <= len; at += 8) {
		uint64_t header[6], pc, h = 0;

		memcpy(header, bytes + at, sizeof(header));
		if (header[2] - 1 > 2 || header[5] > 32 || header[5] * 8 > len - at - 48)
			continue;
		for (size_t i = 0; i <= header[5]; i++) {
			memcpy(&pc, i < header[5] ? bytes + at + 48 + i * 8 : bytes + at + 32, 8);
			h += pc;
			h += h << 10;
			h ^= h >> 6;
		}
		h += h << 3;
		h ^= h >> 11;
		memcpy(bytes + at + 24, &h, sizeof(h));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[MAX];
	struct memory_bytes memory;
	struct golayout layout;
	char version[16];
	struct golive live = { 0 };
	struct gobuckets_stats stats;
	struct error err = { 0 };
	struct told told = { 0 };
	int rc;

	if (size < HEAD || size - HEAD > MAX)
		return 0;
	snprintf(version, sizeof(version), "go1.%u", 18 + data[0] % 10);
	layout = *golayout_of(version);
	told.which = 1 + data[1] % 3;
	memcpy(bytes, data + HEAD, size - HEAD);
	if (data[2] & 1)
		set_hashes(bytes, size - HEAD);
	memory_bytes_init(&memory, bytes, START, size - HEAD);
	live.memory = &memory.memory;
	live.vars.layout = &layout;
	live.places.heap = live.places.block = live.places.mutex = place(data + 4);
	live.places.heap_cycle = place(data + 6);
	live.places.sweep_active = place(data + 8);
	/* Since 1.23 stacks must be expanded, which needs a program: only older releases. */
	if (told.which != GO_HEAP && layout.minor >= 23)
		layout.minor = 22;
	rc = gobuckets_read(&live, NULL, told.which, data[2] & 2 ? GO_FRESH : GO_PUBLISHED, each,
			    &told, &stats, &err);
	if (rc ? rc < 0 && !*err.text : told.buckets != stats.buckets)
		abort();
	return 0;
}

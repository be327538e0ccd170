/*
 * The runtime's tables of allocations, blocking and contention (runtime/mprof.go: bucket).
 *
 * Three lists, each bucket for one stack (and size). New buckets come before the head, links
 * and stacks never change: a list can be read while the program runs. Counts change; a heap
 * bucket's are published at the end of a GC cycle, and if one ends while we read, we begin again.
 */
#ifndef GORUNTIME_GOBUCKETS_H
#define GORUNTIME_GOBUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct gocallers;
struct golive;

enum go_buckets { GO_HEAP = 1, GO_BLOCK = 2, GO_MUTEX = 3 }; /* runtime/mprof.go, bucketType */

struct go_bucket {
	const uint64_t *pcs; /* logical frames, innermost first (goruntime/gocallers.h); good until
			      * the callback returns */
	size_t pc_count;
	uint64_t size; /* heap: bytes of each object */
	uint64_t allocs, frees, alloc_bytes, free_bytes; /* heap; samples, not scaled */
	double count;	/* block, mutex: contentions, as runtime.BlockProfile says */
	int64_t cycles; /* block, mutex; divide by gobuckets_frequency */
};

struct gobuckets_stats {
	uint64_t buckets, again, left_out; /* left_out: what was no bucket */
	uint64_t cycle;			   /* heap: the GC cycle whose end it shows, modulo a lot */
	uint64_t reads, bytes;
};

enum gobuckets_moment {
	GO_PUBLISHED, /* as runtime.MemProfile says it: as of the end of the last GC cycle but one */
	GO_FRESH,     /* as it would after runtime.GC(), once sweeping is done: as of the last cycle */
};

/* `b` NULL: it begins again, what was told so far is void. What it returns other than 0 ends the
 * reading and is returned there. */
typedef int gobuckets_callback(void *ctx, const struct go_bucket *b, struct error *err);

/* Tells all buckets of a list, those with no numbers, too. ERR_FORMAT: the list is not what it
 * should be; ERR_NOTFOUND: this program has no such profile, the message says why (memory
 * profiling left out by the linker; a place that was not found); ERR_GONE, ERR_NOMEM. */
int gobuckets_read(const struct golive *live, struct gocallers *callers, enum go_buckets which,
		   enum gobuckets_moment moment, gobuckets_callback *each, void *ctx,
		   struct gobuckets_stats *stats, struct error *err);

/* runtime.MemProfileRate, blockprofilerate, mutexprofilerate as they stand. ERR_NOTFOUND,
 * ERR_GONE. */
int gobuckets_rate(const struct golive *live, enum go_buckets which, int64_t *rate, struct error *err);

/* Cycles a second, as the runtime converts them (runtime/runtime.go, ticksPerSecond), or where
 * it has not measured yet, measured by us. ERR_NOTFOUND, ERR_GONE. */
int gobuckets_frequency(const struct golive *live, double *cycles_per_second, struct error *err);

#endif

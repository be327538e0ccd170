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
	/* Block, mutex: as runtime.BlockProfile and MutexProfile say. Up to 1.19 who writes a
	 * mutex profile multiplies both with gobuckets_rate (pprof.go, scaleMutexProfile: the
	 * count as an integer, the delay as a float64 after the conversion into nanoseconds). */
	int64_t count;	/* contentions */
	int64_t cycles; /* divide by gobuckets_frequency */
};

struct gobuckets_stats {
	uint64_t buckets;
	uint64_t again; /* readings, of the list or of a bucket, that were repeated */
	uint64_t cycle; /* heap: runtime.mProfCycle, one more with each GC cycle, modulo a lot */
	bool mixed; /* heap: at each try a cycle ended; some numbers are of the one before */
	bool all;   /* heap: no cycle has ended yet, it is all that was allocated until now */
	uint64_t reads, bytes;
};

enum gobuckets_moment {
	GO_PUBLISHED, /* as runtime.MemProfile says it: of the end of the last GC cycle but one */
	GO_FRESH,     /* as it would after runtime.GC(), once swept: of the end of the last cycle */
};

/* `b` NULL: it begins again, what was told so far is void. What it returns other than 0 ends the
 * reading and is returned there. */
typedef int gobuckets_callback(void *ctx, const struct go_bucket *b, struct error *err);

/* Tells all buckets of a list, those with no numbers, too; the newest first, as Go does.
 * ERR_FORMAT: the list is not what it should be (what was told is worth nothing then);
 * ERR_NOTFOUND: this program has no such profile, the message says why (memory profiling left
 * out by the linker; a place that was not found); ERR_SHORT: GO_FRESH, and the GC is sweeping:
 * ask again; ERR_LIMIT: more than anybody has; ERR_GONE, ERR_NOMEM. The target is not asked
 * to do anything, and 32 bytes are kept of each bucket. */
int gobuckets_read(const struct golive *live, struct gocallers *callers, enum go_buckets which,
		   enum gobuckets_moment moment, gobuckets_callback *each, void *ctx,
		   struct gobuckets_stats *stats, struct error *err);

/* runtime.MemProfileRate, blockprofilerate (cycles), mutexprofilerate as they stand.
 * ERR_NOTFOUND, ERR_GONE; ERR_FORMAT: no such rate can be set. */
int gobuckets_rate(const struct golive *live, enum go_buckets which, int64_t *rate,
		   struct error *err);

/* Cycles a second, as the runtime converts them (runtime/runtime.go, ticksPerSecond), or where
 * it has not measured yet, measured by us (a tenth of a second). ERR_NOTFOUND, ERR_GONE. */
int gobuckets_frequency(const struct golive *live, double *cycles_per_second, struct error *err);

#endif

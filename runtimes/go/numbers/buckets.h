/*
 * The runtime's tables of allocations, blocking and contention (runtime/mprof.go: bucket).
 *
 * There are three lists, with a bucket for each stack (and size). New buckets are inserted before
 * the head, and links and stacks never change, so a list can be read while the program runs. Counts
 * change. Those of a heap bucket are published at the end of a GC cycle; if a cycle ends during the
 * reading, the reading starts again.
 */
#ifndef RUNTIMES_GO_NUMBERS_BUCKETS_H
#define RUNTIMES_GO_NUMBERS_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct gocallers;
struct golive;

enum go_buckets { GO_HEAP = 1, GO_BLOCK = 2, GO_MUTEX = 3 }; /* runtime/mprof.go, bucketType */

struct go_bucket {
	const uint64_t *pcs; /* logical frames, innermost first (runtimes/go/stacks/callers.h);
			      * valid until the callback returns */
	size_t pc_count;
	uint64_t size;					 /* heap: bytes of each object */
	uint64_t allocs, frees, alloc_bytes, free_bytes; /* heap; samples, not scaled */
	/* Block, mutex: as runtime.BlockProfile and MutexProfile return them. Up to 1.19 the writer
	 * of a mutex profile multiplies both by gobuckets_rate (pprof.go, scaleMutexProfile: the
	 * count as an integer, the delay as a float64 after the conversion to nanoseconds). */
	int64_t count;	/* contentions */
	int64_t cycles; /* divide by gobuckets_frequency */
};

struct gobuckets_stats {
	uint64_t buckets;
	uint64_t again; /* repeated readings of the list or of a bucket */
	uint64_t cycle; /* heap: runtime.mProfCycle, +1 each GC cycle, modulo a large number */
	bool mixed;	/* heap: the numbers changed at each try; some may be of the cycle before */
	bool all;	/* heap: no cycle has ended yet; the numbers are all allocations so far */
	uint64_t reads, bytes;
};

enum gobuckets_moment {
	GO_PUBLISHED, /* as from runtime.MemProfile: at the end of the last GC cycle but one */
	GO_FRESH,     /* as after runtime.GC(), once swept: at the end of the last cycle */
};

/* Called for each bucket. `b` NULL: the reading starts again, and all earlier buckets are void. A
 * return value other than 0 ends the reading, which then returns it. */
typedef int gobuckets_callback(void *ctx, const struct go_bucket *b, struct error *err);

/* Passes all buckets of a list to `each`, newest first, as Go does, including buckets with numbers
 * of 0. ERR_FORMAT: the list is not valid, and what was passed so far must be discarded;
 * ERR_NOTFOUND: this program has no profile of this kind, and the message says why (the linker left
 * memory profiling out, or an address was not found); ERR_SHORT: with GO_FRESH, the GC is sweeping,
 * and the caller may try again; ERR_LIMIT: more buckets than any known program has; ERR_GONE,
 * ERR_NOMEM. Only reads the target's memory. Needs 32 bytes of our memory for each bucket. */
int gobuckets_read(const struct golive *live, struct gocallers *callers, enum go_buckets which,
		   enum gobuckets_moment moment, gobuckets_callback *each, void *ctx,
		   struct gobuckets_stats *stats, struct error *err);

/* The current value of runtime.MemProfileRate, blockprofilerate (in cycles) or mutexprofilerate.
 * ERR_NOTFOUND, ERR_GONE; ERR_FORMAT: it is not a possible rate. */
int gobuckets_rate(const struct golive *live, enum go_buckets which, int64_t *rate,
		   struct error *err);

/* Cycles per second, as the runtime converts them (runtime/runtime.go, ticksPerSecond). Where the
 * runtime has not measured them yet, *measured is used, and if that is 0, they are measured here,
 * which takes up to a tenth of a second, and *measured is set. A second measurement would differ a
 * little, and delays that have not changed would seem to. ERR_NOTFOUND, ERR_GONE. */
int gobuckets_frequency(const struct golive *live, double *measured, double *cycles_per_second,
			struct error *err);

#endif

/*
 * Where a release of Go has what in those structures of its runtime that are never on its
 * heap, so that no type descriptor says it (goruntime/gotypes.h).
 *
 * In bytes; of amd64 and of programs without experiments. Sources: runtime/mstats.go,
 * mgcpacer.go, runtime2.go (schedt), mcache.go, mheap.go (mspan), mprof.go (bucket), runtime.go
 * (ticks) of each release. scripts/golayout makes the table of the DWARF of what each release
 * builds, and tests/goruntime/places.test compares.
 */
#ifndef GORUNTIME_GOLAYOUT_H
#define GORUNTIME_GOLAYOUT_H

#include <stdint.h>

enum { GO_SIZE_CLASSES = 68 };

/* runtime.gcControllerState */
struct golayout_pacer {
	/* Of these no more than the place is of interest. */
	uint32_t credit, work_per_byte, bytes_per_work; /* bgScanCredit, assist… */
	uint32_t marked;	/* heapMarked */
	uint32_t goal;		/* gcPercentHeapGoal; 1.18: heapGoal, and nothing below */
	uint32_t limit;		/* memoryLimit */
	uint32_t sweep_trigger; /* sweepDistMinTrigger */
	uint32_t triggered;
	uint32_t heap_free;	/* the next: totalAlloc, totalFree, mappedReady */
};

struct golayout {
	unsigned minor; /* of "go1.minor" */
	struct golayout_pacer pacer;
	/* runtime.mstats: last_gc_unix, behind which are pause_total_ns, pause_ns[256],
	 * pause_end[256], numgc, numforcedgc in every release; heapStats. */
	uint32_t last_gc, heap_stats;
	/* runtime.heapStatsDelta: tinyAllocCount, behind which are largeAlloc,
	 * largeAllocCount, smallAllocCount[], largeFree, largeFreeCount, smallFreeCount[] */
	uint32_t delta_bytes, tiny;
	/* runtime.schedt: mnext, nmfreed; ngsys, gFree. Up to 1.24 one count behind its two lists, then one
	 * in each of them. */
	uint32_t ms_made, ms_freed, ngsys, free_gs;
	/* runtime.mcache: tinyAllocs, alloc */
	uint32_t tiny_allocs, spans;
	/* runtime.mspan: nelems (two bytes from 1.22 on), allocCount, spanclass = + 2,
	 * elemsize = + 8, and but in 1.18 allocCountBeforeCache = + 6 */
	uint32_t elements, alloc_count;
	/* runtime.bucket, and one runtime.memRecordCycle: allocs, frees, and up to 1.26 bytes of
	 * both. mProfCycle, or in 1.18 mProf, is the cycle shifted by so many bits. */
	uint32_t bucket_bytes, record_bytes, cycle_shift;
	/* runtime.work: cycles; runtime.sweep: active, of which state is the first */
	uint32_t work_cycles, sweep_active;
	/* runtime.ticks: val; from 1.22 on startTicks and startTime, too */
	uint32_t ticks_value, ticks_start, ticks_start_time;
};

/* The layout of a release by what runtime.Version says ("go1.26.8"). NULL for one that is
 * not known, or with an experiment that may have moved things. */
const struct golayout *golayout_of(const char *version);

/* runtime.mstats.numgc, by the fields before it. */
static inline uint32_t golayout_numgc(const struct golayout *l)
{
	return l->last_gc + 16 + 512 * 8;
}

/* How many bytes an object of a size class has (runtime/sizeclasses.go; the same since
 * 1.16). */
extern const uint16_t go_class_bytes[GO_SIZE_CLASSES];

#endif

/*
 * The field offsets, by release of Go, of those structures of its runtime that are never on its
 * heap, so that there is no type descriptor for them (runtimes/go/find/types.h).
 *
 * In bytes; for amd64 and programs without experiments. Sources: runtime/mstats.go, mgcpacer.go,
 * runtime2.go (schedt), mcache.go, mheap.go (mspan), mprof.go (bucket), runtime.go (ticks) of each
 * release. tools/golayout makes the table from the DWARF of a program built with each release,
 * and tests/goruntime/places.test compares.
 */
#ifndef RUNTIMES_GO_FIND_LAYOUT_H
#define RUNTIMES_GO_FIND_LAYOUT_H

#include <stdint.h>

enum { GO_SIZE_CLASSES = 68 };

/* runtime.gcControllerState. The first three fields are not read: their offsets identify the
 * variable. */
struct golayout_pacer {
	uint32_t credit, work_per_byte, bytes_per_work; /* bgScanCredit, assist… */
	uint32_t marked;				/* heapMarked */
	uint32_t goal;		/* gcPercentHeapGoal; 1.18: heapGoal, and nothing below */
	uint32_t limit;		/* memoryLimit */
	uint32_t sweep_trigger; /* sweepDistMinTrigger */
	uint32_t triggered;
	uint32_t heap_free; /* followed by totalAlloc, totalFree, mappedReady */
};

struct golayout {
	unsigned minor; /* of "go1.minor" */
	struct golayout_pacer pacer;
	/* runtime.mstats: last_gc_unix, which is followed by pause_total_ns, pause_ns[256],
	 * pause_end[256], numgc, numforcedgc in every release; heapStats. */
	uint32_t last_gc, heap_stats;
	/* runtime.heapStatsDelta: its size; tinyAllocCount, which is followed by largeAlloc,
	 * largeAllocCount, smallAllocCount[], largeFree, largeFreeCount, smallFreeCount[]. */
	uint32_t delta_bytes, tiny;
	/* runtime.schedt: mnext, nmfreed; ngsys, gFree. Up to 1.24 gFree has one count after its
	 * two lists, then one in each of them. */
	uint32_t ms_made, ms_freed, ngsys, free_gs;
	/* runtime.mcache: tinyAllocs, alloc */
	uint32_t tiny_allocs, spans;
	/* runtime.mspan: nelems (two bytes since 1.22), allocCount; behind allocCount are spanclass
	 * (+2), elemsize (+8) and, except in 1.18, allocCountBeforeCache (+6). */
	uint32_t elements, alloc_count;
	/* The size of one runtime.memRecordCycle, which has allocs, frees, and up to 1.26 the bytes
	 * of both. The cycle is mProfCycle, or in 1.18 mProf, shifted right by cycle_shift bits. */
	uint32_t record_bytes, cycle_shift;
	/* runtime.work: cycles; runtime.sweep: active, which begins with state */
	uint32_t work_cycles, sweep_active;
	/* runtime.ticks: val; since 1.22 also startTicks and startTime */
	uint32_t ticks_value, ticks_start, ticks_start_time;
};

/* The layout of the release that runtime.Version names ("go1.26.8"). NULL for an unknown release,
 * or one with an experiment that may have moved fields. */
const struct golayout *golayout_of(const char *version);

/* The offset of runtime.mstats.numgc, computed from the fields before it. */
static inline uint32_t golayout_numgc(const struct golayout *l)
{
	return l->last_gc + 16 + 512 * 8;
}

/* Bytes of an object of each size class (runtime/sizeclasses.go; the same since 1.16). */
extern const uint16_t go_class_bytes[GO_SIZE_CLASSES];

#endif

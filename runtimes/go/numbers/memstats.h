/*
 * Reads what runtime.MemStats has in addition to the counters of metrics.h: how much memory the
 * runtime has from the system and for what purpose, and when it collected garbage.
 *
 * Sources: runtime/mstats.go (readmemstats_m, and its own consistency checks), mgcpacer.go,
 * mfixalloc.go of Go 1.18 to 1.27.
 */
#ifndef RUNTIMES_GO_NUMBERS_MEMSTATS_H
#define RUNTIMES_GO_NUMBERS_MEMSTATS_H

#include <stdbool.h>
#include <stdint.h>

struct golive;

enum { GO_PAUSES = 256 };

/* Bytes; the fields of MemStats with these names. */
struct gomemstats {
	bool has_memory;
	uint64_t sys, heap_sys, heap_idle, heap_inuse, heap_released, stack_inuse, stack_sys;
	uint64_t mspan_sys, mcache_sys, buckhash_sys, gc_sys, other_sys;
	bool has_inuse; /* for the runtime's own structures, in bytes: */
	uint64_t mspan_inuse, mcache_inuse;
	bool has_pauses;
	uint64_t last_gc;				    /* ns since 1970 */
	uint64_t pause_ns[GO_PAUSES], pause_end[GO_PAUSES]; /* rings; pause_end in ns since 1970 */
	double gc_cpu_fraction;
};

/* Reads all fields. Where a group cannot be read, or contradicts itself at each try, its has_ field
 * is false. */
void gomemstats_read(const struct golive *live, struct gomemstats *s);

#endif

/*
 * HotSpot's code heaps: from an address to the block that holds it.
 *
 * A heap has a reserved range, whose committed part grows, and a segment map: one byte for each
 * segment, 0 where a block begins, 0xff where it is free, else the distance to the block's
 * beginning or to a segment that has a shorter one.
 */
#ifndef RUNTIMES_HOTSPOT_VM_HEAPS_H
#define RUNTIMES_HOTSPOT_VM_HEAPS_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct memory;
struct vmstructs;

enum { HOTSPOT_HEAPS = 8 };

struct hotspot_heaps {
	struct hotspot_heap {
		uint64_t low, high; /* reserved */
		uint64_t segmap;
		uint32_t shift; /* bytes of a segment, as a power of two */
	} at[HOTSPOT_HEAPS];
	unsigned count;
	int32_t header, used; /* HeapBlock: its size, and the offset of a field */
};

/* ERR_BUSY: the VM has not made them yet. */
int hotspot_heaps_init(struct hotspot_heaps *h, const struct vmstructs *tables,
		       const struct memory *memory, struct error *why);

/* Is the address in the range of a heap? */
const struct hotspot_heap *hotspot_heap_of(const struct hotspot_heaps *h, uint64_t addr);

/* The beginning of the used block that holds the address: of its content, a CodeBlob.
 * ERR_NOTFOUND. */
int hotspot_block_find(const struct hotspot_heaps *h, const struct memory *memory, uint64_t addr,
		       uint64_t *start);

#endif

/* A block is found by following the segment map backwards, of which a chunk is read at a time. Its
 * header must say that it is used. */
#include "runtimes/hotspot/vm/heaps.h"

#include <stddef.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	SEGMENT_FREE = 0xff,
	SEGMENT_CHUNK = 256, /* bytes of a segment map that are read at once */
	CHUNKS_MAX = 4096,
	SHIFT_MIN = 4,
	SHIFT_MAX = 16,
	HEADER_MAX = 64,
};

/* Where the tables say that the heaps are. */
struct heaps_layout {
	uint64_t heaps, heap; /* static; JDK 8 has one heap, and its address */
	int32_t array_data, array_len, old_len;
	int32_t memory, segmap, shift; /* in CodeHeap */
	int32_t low, high;	       /* in VirtualSpace */
	int32_t header, used;	       /* of HeapBlock */
};

#define PLACE(kind_, type_, name_, at_, needed_) \
	{ VMPLACE_##kind_, type_, name_, offsetof(struct heaps_layout, at_), needed_ }

static const struct vmplace places[] = {
	PLACE(ADDRESS, "CodeCache", "_heaps", heaps, false),
	PLACE(ADDRESS, "CodeCache", "_heap", heap, false),
	PLACE(OFFSET, "GrowableArray<int>", "_data", array_data, true),
	PLACE(OFFSET, "GrowableArrayBase", "_len", array_len, false),
	PLACE(OFFSET, "GenericGrowableArray", "_len", old_len, false),
	PLACE(OFFSET, "CodeHeap", "_memory", memory, true),
	PLACE(OFFSET, "CodeHeap", "_segmap", segmap, true),
	PLACE(OFFSET, "CodeHeap", "_log2_segment_size", shift, true),
	PLACE(OFFSET, "VirtualSpace", "_low_boundary", low, true),
	PLACE(OFFSET, "VirtualSpace", "_high_boundary", high, true),
	PLACE(SIZE, "HeapBlock", NULL, header, true),
	PLACE(OFFSET, "HeapBlock::Header", "_used", used, true),
};

/* The addresses of the CodeHeaps. *count is 0 while there are none. */
static int list_heaps(const struct heaps_layout *l, const struct memory *memory,
		      uint64_t heaps[HOTSPOT_HEAPS], unsigned *count)
{
	uint64_t array, data;
	int32_t len;

	*count = 0;
	if (!l->heaps) {
		if (memory_read_u64(memory, l->heap, &heaps[0]))
			return ERR_FORMAT;
		*count = heaps[0] != 0;
		return 0;
	}
	if (memory_read_u64(memory, l->heaps, &array))
		return ERR_FORMAT;
	if (!array)
		return 0;
	if (memory_read_u64(memory, hotspot_plus(array, l->array_data), &data) ||
	    memory->read(memory, hotspot_plus(array, l->array_len), &len, sizeof(len)))
		return ERR_FORMAT;
	if (len <= 0)
		return 0;
	*count = len < HOTSPOT_HEAPS ? (unsigned)len : HOTSPOT_HEAPS;
	return memory->read(memory, data, heaps, *count * sizeof(*heaps)) ? ERR_FORMAT : 0;
}

/* False: it is not one of those that have a segment map. */
static bool heaps_read_heap(const struct heaps_layout *l, const struct memory *memory,
			    uint64_t addr, struct hotspot_heap *heap)
{
	int32_t shift;

	if (memory_read_u64(memory, hotspot_plus(addr, l->memory + l->low), &heap->low) ||
	    memory_read_u64(memory, hotspot_plus(addr, l->memory + l->high), &heap->high) ||
	    memory_read_u64(memory, hotspot_plus(addr, l->segmap + l->low), &heap->segmap) ||
	    memory->read(memory, hotspot_plus(addr, l->shift), &shift, sizeof(shift)) ||
	    shift < SHIFT_MIN || shift > SHIFT_MAX || heap->low >= heap->high || !heap->segmap)
		return false;
	heap->shift = (uint32_t)shift;
	return true;
}

int hotspot_heaps_init(struct hotspot_heaps *h, const struct vmstructs *tables,
		       const struct memory *memory, struct error *why)
{
	uint64_t heaps[HOTSPOT_HEAPS];
	struct heaps_layout l;
	unsigned count;

	if (vmstructs_resolve(tables, places, sizeof(places) / sizeof(*places), &l, why))
		return ERR_FORMAT;
	l.array_len = l.array_len < 0 ? l.old_len : l.array_len;
	if ((!l.heaps && !l.heap) || l.array_len < 0 || l.header < 0 || l.header > HEADER_MAX)
		return error_set(why, ERR_FORMAT, "HotSpot's code cache has an unknown layout");
	*h = (struct hotspot_heaps){ .header = l.header, .used = l.used };
	if (list_heaps(&l, memory, heaps, &count))
		return error_set(why, ERR_FORMAT, "HotSpot's code cache cannot be read");
	for (unsigned i = 0; i < count; i++)
		if (heaps_read_heap(&l, memory, heaps[i], &h->at[h->count]))
			h->count++;
	return h->count ? 0 : ERR_BUSY;
}

const struct hotspot_heap *hotspot_heap_of(const struct hotspot_heaps *h, uint64_t addr)
{
	for (unsigned i = 0; i < h->count; i++)
		if (addr >= h->at[i].low && addr < h->at[i].high)
			return &h->at[i];
	return NULL;
}

/* The number of the segment at which the block begins that has segment `i`. */
static int find_segment(const struct hotspot_heap *heap, const struct memory *memory, uint64_t *i)
{
	for (unsigned n = 0; n < CHUNKS_MAX; n++) {
		uint64_t first = *i >= SEGMENT_CHUNK - 1 ? *i - (SEGMENT_CHUNK - 1) : 0;
		uint8_t map[SEGMENT_CHUNK];

		if (memory->read(memory, heap->segmap + first, map, *i - first + 1))
			return ERR_NOTFOUND;
		for (;;) {
			uint8_t back = map[*i - first];

			if (!back)
				return 0;
			if (back == SEGMENT_FREE || back > *i)
				return ERR_NOTFOUND;
			*i -= back;
			if (*i < first)
				break;
		}
	}
	return ERR_NOTFOUND;
}

int hotspot_block_find(const struct hotspot_heaps *h, const struct memory *memory, uint64_t addr,
		       uint64_t *start)
{
	const struct hotspot_heap *heap = hotspot_heap_of(h, addr);
	uint64_t i = heap ? (addr - heap->low) >> heap->shift : 0, block;
	uint8_t used;

	if (!heap || find_segment(heap, memory, &i))
		return ERR_NOTFOUND;
	block = heap->low + (i << heap->shift);
	if (memory->read(memory, hotspot_plus(block, h->used), &used, 1) || !used)
		return ERR_NOTFOUND;
	*start = hotspot_plus(block, h->header);
	return 0;
}

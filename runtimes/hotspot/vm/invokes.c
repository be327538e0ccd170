/* The bytecode's operand leads through the constant pool's cache to the pool's entry, whose name
 * and signature are compared with the callee's by the addresses of their symbols. */
#include "runtimes/hotspot/vm/invokes.h"

#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	INVOKEVIRTUAL = 0xb6,
	INVOKEINTERFACE = 0xb9,
};

#define PLACE(KIND, T, F, AT) { KIND, T, F, offsetof(struct invoke_layout, AT), false }

static const struct vmplace places[] = {
	PLACE(VMPLACE_OFFSET, "ConstantPoolCache", "_resolved_method_entries", entries),
	PLACE(VMPLACE_SIZE, "ResolvedMethodEntry", NULL, entry_bytes),
	PLACE(VMPLACE_OFFSET, "ResolvedMethodEntry", "_cpool_index", index),
	PLACE(VMPLACE_SIZE, "ConstantPoolCache", NULL, cache_bytes),
	PLACE(VMPLACE_SIZE, "ConstantPoolCacheEntry", NULL, old_bytes),
	PLACE(VMPLACE_OFFSET, "ConstantPoolCacheEntry", "_indices", old_index),
};

int hotspot_invokes_init(const struct hotspot *hs, struct invoke_layout *l)
{
	return vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), l, NULL);
}

static bool read16(const struct hotspot *hs, uint64_t addr, uint16_t *value)
{
	return !hs->memory->read(hs->memory, addr, value, sizeof(*value));
}

/* The operand is an index into the pool's cache, whose entry has that of the pool. */
static bool pool_index(const struct hotspot *hs, const struct invoke_layout *l, uint64_t cache,
		       uint16_t operand, uint16_t *index)
{
	uint64_t entries;

	if (l->entries < 0)
		return l->old_index >= 0 && l->old_bytes > 0 && l->cache_bytes > 0 &&
		       read16(hs,
			      cache + (uint64_t)l->cache_bytes + operand * (uint64_t)l->old_bytes +
				      (uint64_t)l->old_index,
			      index);
	return l->index >= 0 && l->entry_bytes > 0 &&
	       !memory_read_u64(hs->memory, cache + (uint64_t)l->entries, &entries) &&
	       read16(hs,
		      entries + (uint64_t)hs->methods->l.array_data +
			      operand * (uint64_t)l->entry_bytes + (uint64_t)l->index,
		      index);
}

/* The halves of a pool's entry: of a method, class and name and type; of those, name and type. */
static bool invokes_read_entry(const struct hotspot *hs, uint64_t pool, uint16_t index,
			       uint16_t halves[2])
{
	return index &&
	       !hs->memory->read(hs->memory, hotspot_pool_entry(hs, pool, index), halves, 4);
}

static bool symbol_at(const struct hotspot *hs, uint64_t pool, uint16_t index, uint64_t *symbol)
{
	if (!index || memory_read_u64(hs->memory, hotspot_pool_entry(hs, pool, index), symbol))
		return false;
	*symbol &= ~1ull;
	return true;
}

bool hotspot_invokes(struct hotspot *hs, const struct invoke_layout *l, uint64_t method,
		     int32_t bci, uint64_t callee)
{
	const struct hotspot_parts *parts;
	struct hotspot_parts caller, called;
	uint16_t index, halves[2];
	uint64_t name, signature;
	uint8_t code[3];

	if (bci < 0 || hotspot_parts_read(hs, hs->memory, method, &parts))
		return false;
	caller = *parts;
	if (bci + 3 > caller.code_size || hotspot_parts_read(hs, hs->memory, callee, &parts))
		return false;
	called = *parts;
	/* A symbol is there once. */
	return !hs->memory->read(hs->memory,
				 caller.const_method + (uint64_t)hs->methods->l.const_bytes +
					 (uint64_t)bci,
				 code, sizeof(code)) &&
	       code[0] >= INVOKEVIRTUAL && code[0] <= INVOKEINTERFACE &&
	       pool_index(hs, l, caller.cache, (uint16_t)(code[1] | code[2] << 8), &index) &&
	       invokes_read_entry(hs, caller.pool, index, halves) &&
	       invokes_read_entry(hs, caller.pool, halves[1], halves) &&
	       symbol_at(hs, caller.pool, halves[0], &name) && name == called.name_symbol &&
	       symbol_at(hs, caller.pool, halves[1], &signature) &&
	       signature == called.signature_symbol;
}

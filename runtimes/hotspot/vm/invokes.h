/* Which method a bytecode calls. */
#ifndef RUNTIMES_HOTSPOT_VM_INVOKES_H
#define RUNTIMES_HOTSPOT_VM_INVOKES_H

#include <stdbool.h>
#include <stdint.h>

struct hotspot;
struct vmstructs;

/* How the interpreter rewrites the operands of calls. */
struct invoke_layout {
	int32_t entries, entry_bytes, index;	   /* from JDK 22 on: ResolvedMethodEntry */
	int32_t cache_bytes, old_bytes, old_index; /* before: ConstantPoolCacheEntry */
};

int hotspot_invokes_init(const struct hotspot *hs, struct invoke_layout *l);

/* Does the bytecode at `bci` of the method call one that has the name and signature of `callee`?
 * False also where that cannot be told: calls by invokedynamic and of method handles. */
bool hotspot_invokes(struct hotspot *hs, const struct invoke_layout *l, uint64_t method,
		     int32_t bci, uint64_t callee);

#endif

/* Which thread has a monitor (owners.c). */
#ifndef RUNTIMES_HOTSPOT_OWNERS_H
#define RUNTIMES_HOTSPOT_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

struct hotspot;
struct hotspot_listed;

struct hotspot_owner_layout {
	int32_t owner, stack_locker; /* in an ObjectMonitor; -1, as below: this release has none */
	int32_t stack_base, stack_size, lock_stack, owner_id; /* in a JavaThread */
	int32_t old_stack_base, old_stack_size;
	int32_t lock_stack_top, lock_stack_base, lock_stack_bytes; /* of a LockStack */
	bool numbered; /* an owner is a number, not an address */
};

/* Takes from hs->tables where these are. ERR_FORMAT. */
int hotspot_owners_init(const struct hotspot *hs, struct hotspot_owner_layout *l);

/* The owner of a monitor, which is that of `oop`; 0: not known, then LockStacks are not searched.
 * *owner is valid as those of hotspot_threads_list. False: it has none, or it is not known. True,
 * and *owner is NULL: a thread that is not listed, such as a virtual one on no thread. */
bool hotspot_owner_of(const struct hotspot *hs, const struct hotspot_owner_layout *l,
		      uint64_t monitor, uint64_t oop, const struct hotspot_listed **owner);

/* The listed JavaThread at that address, or NULL; valid as above. */
const struct hotspot_listed *hotspot_owner_at(const struct hotspot *hs, uint64_t address);

#endif

/*
 * Which thread has a monitor. Its owner is, as releases and ways of locking have it:
 *
 *   a JavaThread           up to JDK 23
 *   a place in a stack     of the thread that had locked the object there before there was a
 *                          monitor: up to 23; from 24 on beside "anonymous" (LockingMode=1)
 *   1, "anonymous"         from 21 on: the thread in whose LockStack the object is
 *   a number               from 24 on, of the java.lang.Thread: also a virtual thread's, which may
 *                          be on no thread of the kernel's
 *
 * The owner may run: what it is counts only if it is the same after the threads were searched. Of
 * all threads a search reads the same bytes by one system call.
 */
#include "runtimes/hotspot/owners.h"

#include <stdlib.h>

#include "base/process/memory.h"
#include "runtimes/hotspot/threads.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "runtimes/hotspot/vm/vmstructs.h"

enum {
	WORD = 8,
	ANONYMOUS = 1, /* ObjectMonitor::ANONYMOUS_OWNER */
	FIRST_ID = 3,  /* lower ones are no thread's (ThreadIdentifier) */
	LOCK_STACK_MAX = 256,
	STACK_FIELDS_MAX = 32,
};

#define PLACE(KIND, T, F, AT) \
	{ VMPLACE_##KIND, T, F, offsetof(struct hotspot_owner_layout, AT), false }

static const struct vmplace places[] = {
	PLACE(OFFSET, "ObjectMonitor", "_owner", owner),
	PLACE(OFFSET, "ObjectMonitor", "_stack_locker", stack_locker),
	PLACE(OFFSET, "JavaThread", "_stack_base", stack_base),
	PLACE(OFFSET, "JavaThread", "_stack_size", stack_size),
	PLACE(OFFSET, "Thread", "_stack_base", old_stack_base),
	PLACE(OFFSET, "Thread", "_stack_size", old_stack_size),
	PLACE(OFFSET, "JavaThread", "_lock_stack", lock_stack),
	PLACE(OFFSET, "LockStack", "_top", lock_stack_top),
	PLACE(OFFSET, "LockStack", "_base[0]", lock_stack_base),
	PLACE(SIZE, "LockStack", NULL, lock_stack_bytes),
	PLACE(OFFSET, "JavaThread", "_monitor_owner_id", owner_id),
};

int hotspot_owners_init(const struct hotspot *hs, struct hotspot_owner_layout *l)
{
	struct vmfield owner;
	int rc = vmstructs_resolve(hs->tables, places, sizeof(places) / sizeof(*places), l, NULL);

	if (l->stack_base < 0)
		l->stack_base = l->old_stack_base;
	if (l->stack_size < 0)
		l->stack_size = l->old_stack_size;
	/* An address has no type in the tables. */
	l->numbered = vmstructs_field(hs->tables, "ObjectMonitor", "_owner", &owner) &&
		      *owner.type_string;
	return rc;
}

const struct hotspot_listed *hotspot_owner_at(const struct hotspot *hs, uint64_t address)
{
	size_t count;
	const struct hotspot_listed *all = hotspot_threads_list(hs, &count);

	for (size_t i = 0; i < count; i++)
		if (all[i].java && all[i].thread == address)
			return &all[i];
	return NULL;
}

/* `len` bytes of each listed thread, from `at` on, in one piece that the caller frees; those of one
 * that cannot be read are 0. NULL: no memory. */
static uint8_t *owners_read_each(const struct hotspot *hs, int32_t at, size_t len)
{
	size_t count;
	const struct hotspot_listed *all = hotspot_threads_list(hs, &count);
	struct memory_piece *pieces = calloc(count + 1, sizeof(*pieces));
	uint8_t *bytes = calloc(count + 1, len);

	for (size_t i = 0; pieces && bytes && i < count; i++)
		pieces[i] = (struct memory_piece){ all[i].thread + (uint64_t)at, bytes + i * len,
						   all[i].java ? len : 0 };
	if (pieces && bytes)
		memory_gather(hs->memory, pieces, count);
	free(pieces);
	return bytes;
}

/* Where to search in each thread, and for what. */
struct owners_search {
	int32_t at, len;
	bool (*is_it)(const struct hotspot_owner_layout *l, const uint8_t *bytes, uint64_t what);
	uint64_t what;
};

/* The thread of whose bytes s->is_it says that. NULL: none, or not known. */
static const struct hotspot_listed *owners_find(const struct hotspot *hs,
						const struct hotspot_owner_layout *l,
						const struct owners_search *s)
{
	const struct hotspot_listed *found = NULL;
	size_t count;
	const struct hotspot_listed *all = hotspot_threads_list(hs, &count);
	uint8_t *bytes = s->at >= 0 ? owners_read_each(hs, s->at, (size_t)s->len) : NULL;

	for (size_t i = 0; bytes && i < count && !found; i++)
		if (all[i].java && s->is_it(l, bytes + i * (size_t)s->len, s->what))
			found = &all[i];
	free(bytes);
	return found;
}

static bool owners_has_number(const struct hotspot_owner_layout *l, const uint8_t *bytes,
			      uint64_t what)
{
	(void)l;
	return memory_word(bytes, 0) == what;
}

/* The thread's stack ends at its base, and the size is behind that. */
static bool owners_has_in_stack(const struct hotspot_owner_layout *l, const uint8_t *bytes,
				uint64_t what)
{
	uint64_t base = memory_word(bytes, 0);
	uint64_t size = memory_word(bytes, (size_t)(l->stack_size - l->stack_base));

	return what < base && base - what <= size;
}

/* `_top` is where the stack ends, from the beginning of the JavaThread. */
static bool owners_has_in_lock_stack(const struct hotspot_owner_layout *l, const uint8_t *bytes,
				     uint64_t what)
{
	uint32_t top = memory_u32(bytes, (size_t)l->lock_stack_top);
	uint32_t end = top - (uint32_t)l->lock_stack;

	for (uint32_t at = (uint32_t)l->lock_stack_base;
	     at + WORD <= end && end <= (uint32_t)l->lock_stack_bytes; at += WORD)
		if (memory_word(bytes, at) == what)
			return true;
	return false;
}

static const struct hotspot_listed *owners_by_stack(const struct hotspot *hs,
						    const struct hotspot_owner_layout *l,
						    uint64_t address)
{
	int32_t behind = l->stack_size - l->stack_base;
	struct owners_search s = { l->stack_base, behind + WORD, owners_has_in_stack, address };

	return l->stack_size >= 0 && behind >= WORD && behind <= STACK_FIELDS_MAX ?
		       owners_find(hs, l, &s) :
		       NULL;
}

static const struct hotspot_listed *owners_by_lock_stack(const struct hotspot *hs,
							 const struct hotspot_owner_layout *l,
							 uint64_t oop)
{
	struct owners_search s = { l->lock_stack, l->lock_stack_bytes, owners_has_in_lock_stack,
				   oop };

	return oop && l->lock_stack_top >= 0 && l->lock_stack_base >= 0 &&
			       l->lock_stack_bytes <= LOCK_STACK_MAX &&
			       l->lock_stack_top + 4 <= l->lock_stack_bytes ?
		       owners_find(hs, l, &s) :
		       NULL;
}

static const struct hotspot_listed *owners_anonymous(const struct hotspot *hs,
						     const struct hotspot_owner_layout *l,
						     uint64_t monitor, uint64_t oop)
{
	uint64_t locker;

	if (l->stack_locker >= 0 &&
	    !memory_read_u64(hs->memory, monitor + (uint64_t)l->stack_locker, &locker) && locker)
		return owners_by_stack(hs, l, locker);
	return owners_by_lock_stack(hs, l, oop);
}

static const struct hotspot_listed *owners_named(const struct hotspot *hs,
						 const struct hotspot_owner_layout *l,
						 uint64_t owner)
{
	struct owners_search s = { l->owner_id, WORD, owners_has_number, owner };
	const struct hotspot_listed *found;

	if (l->numbered)
		return owner >= FIRST_ID ? owners_find(hs, l, &s) : NULL;
	found = hotspot_owner_at(hs, owner);
	return found ? found : owners_by_stack(hs, l, owner);
}

bool hotspot_owner_of(const struct hotspot *hs, const struct hotspot_owner_layout *l,
		      uint64_t monitor, uint64_t oop, const struct hotspot_listed **owner)
{
	uint64_t at = monitor + (uint64_t)l->owner, who, again;

	*owner = NULL;
	if (l->owner < 0 || memory_read_u64(hs->memory, at, &who) || !who)
		return false;
	*owner = who == ANONYMOUS ? owners_anonymous(hs, l, monitor, oop) :
				    owners_named(hs, l, who);
	if (memory_read_u64(hs->memory, at, &again) || again != who) {
		*owner = NULL;
		return false;
	}
	/* Each JavaThread has the number of the thread that it executes. */
	return *owner || (l->numbered && l->owner_id >= 0 && who >= FIRST_ID);
}

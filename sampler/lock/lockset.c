/* Waits are found by a hash of futex, member and owner, and then compared in full. Where readings
 * name different owners, there is none. */
#include "sampler/lock/lockset.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

void lockset_release(struct lockset *s)
{
	free(s->entries);
	hashindex_release(&s->index);
	*s = (struct lockset){ 0 };
}

static bool lockset_same(const void *owner, uint32_t id, const void *key)
{
	const struct lockset_entry *a = &((const struct lockset *)owner)->entries[id], *b = key;

	return a->member == b->member && a->image == b->image &&
	       !memcmp(a->owners, b->owners, sizeof(a->owners)) && lock_same(&a->wait, &b->wait);
}

int lockset_add(struct lockset *s, const struct lockset_entry *wait, uint32_t *number)
{
	uint64_t words[2] = { wait->wait.futex,
			      (uint64_t)lockset_owner(wait) << 32 | wait->member };
	uint64_t hash = hash_bytes(words, sizeof(words));
	uint32_t id = hashindex_find(&s->index, hash, lockset_same, s, wait);

	if (id == HASHINDEX_NONE) {
		if (room_for((void **)&s->entries, &s->room, s->count + 1ul, sizeof(*s->entries)) ||
		    hashindex_add(&s->index, hash, s->count))
			return ERR_NOMEM;
		id = s->count++;
		s->entries[id] = *wait;
	}
	*number = id + 1;
	return 0;
}

const struct lockset_entry *lockset_get(const struct lockset *s, uint32_t number)
{
	return &s->entries[number - 1];
}

uint32_t lockset_owner(const struct lockset_entry *wait)
{
	uint32_t owner = 0;

	for (int i = 0; i < LOCK_KINDS; i++) {
		if (owner && wait->owners[i] && wait->owners[i] != owner)
			return 0;
		owner = wait->owners[i] ? wait->owners[i] : owner;
	}
	return owner;
}

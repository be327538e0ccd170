#include "pprof/ids.h"

#include <stdlib.h>

#include "base/error.h"

void ids_release(struct ids *ids)
{
	hashindex_release(&ids->index);
	free(ids->pairs);
	*ids = (struct ids){ 0 };
}

static bool has_id(const void *owner, uint32_t i, const void *key)
{
	return ((const struct ids *)owner)->pairs[i].id == *(const uint64_t *)key;
}

uint32_t ids_find(const struct ids *ids, uint64_t id)
{
	uint32_t i;

	if (!ids->sparse)
		return id - 1 < ids->count ? ids->pairs[id - 1].number : 0;
	i = hashindex_find(&ids->index, hash_bytes(&id, sizeof(id)), has_id, ids, &id);
	return i == HASHINDEX_NONE ? 0 : ids->pairs[i].number;
}

static int make_room(struct ids *ids)
{
	size_t room = ids->room ? ids->room * 2 : 64;
	struct id_pair *pairs;

	if (ids->count < ids->room)
		return 0;
	if (room >= UINT32_MAX || !(pairs = realloc(ids->pairs, room * sizeof(*pairs))))
		return ERR_NOMEM;
	ids->pairs = pairs;
	ids->room = room;
	return 0;
}

static int index_from(struct ids *ids, size_t i)
{
	for (; i < ids->count; i++)
		if (hashindex_add(&ids->index, hash_bytes(&ids->pairs[i].id, sizeof(uint64_t)),
				  (uint32_t)i))
			return ERR_NOMEM;
	return 0;
}

int ids_add(struct ids *ids, uint64_t id, uint32_t number)
{
	size_t unindexed = ids->sparse ? ids->count : 0;

	if (make_room(ids))
		return ERR_NOMEM;
	ids->pairs[ids->count++] = (struct id_pair){ id, number };
	if (id != ids->count)
		ids->sparse = true;
	return ids->sparse ? index_from(ids, unindexed) : 0;
}

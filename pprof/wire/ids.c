/* Places are counted until an id differs from its place; then all ids so far are put into the
 * index. */
#include "pprof/wire/ids.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"

void ids_release(struct ids *ids)
{
	hashindex_release(&ids->index);
	free(ids->ids);
	*ids = (struct ids){ 0 };
}

void ids_clear(struct ids *ids)
{
	hashindex_clear(&ids->index);
	ids->count = 0;
	ids->sparse = false;
}

static bool has_id(const void *owner, uint32_t i, const void *key)
{
	return ((const struct ids *)owner)->ids[i] == *(const uint64_t *)key;
}

uint32_t ids_find_kept(const struct ids *ids, uint64_t id)
{
	uint32_t i = hashindex_find(&ids->index, hash_bytes(&id, sizeof(id)), has_id, ids, &id);

	return i == HASHINDEX_NONE ? 0 : i + 1;
}

static int ids_keep(struct ids *ids, size_t place, uint64_t id)
{
	if (room_for((void **)&ids->ids, &ids->room, place, sizeof(*ids->ids)))
		return ERR_NOMEM;
	ids->ids[place - 1] = id;
	return hashindex_add(&ids->index, hash_bytes(&id, sizeof(id)), (uint32_t)(place - 1));
}

int ids_add(struct ids *ids, uint64_t id)
{
	size_t place = ids->count + 1;

	if (place >= UINT32_MAX - 1)
		return ERR_NOMEM;
	if (!ids->sparse && id != place) {
		for (size_t i = 1; i < place; i++)
			if (ids_keep(ids, i, i))
				return ERR_NOMEM;
		ids->sparse = true;
	}
	if (ids->sparse && ids_keep(ids, place, id))
		return ERR_NOMEM;
	ids->count = place;
	return 0;
}

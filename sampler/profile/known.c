#include "sampler/profile/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static uint64_t hash_place(const struct known_place *place)
{
	uint64_t words[2] = { place->addr, place->image };

	return hash_bytes(words, sizeof(words));
}

static bool same_place(const void *owner, uint32_t id, const void *key)
{
	const struct known_place *a = &((const struct known *)owner)->places[id], *b = key;

	return a->addr == b->addr && a->image == b->image;
}

static int index_places(struct known *k)
{
	for (size_t i = 0; i < k->count; i++) {
		const struct known_place *place = &k->places[i];

		if (place->location - 1u < k->profile.location_count &&
		    !known_find(k, place->image, place->addr) &&
		    hashindex_add(&k->index, hash_place(place), (uint32_t)i))
			return ERR_NOMEM;
	}
	return 0;
}

int known_take(struct known *k, struct profile *profile, struct known_place *places,
	       size_t count)
{
	known_release(k);
	k->profile = *profile;
	memset(profile, 0, sizeof(*profile));
	k->places = places;
	k->count = count;
	if (!index_places(k))
		return 0;
	known_release(k);
	return ERR_NOMEM;
}

void known_release(struct known *k)
{
	profile_release(&k->profile);
	free(k->places);
	hashindex_release(&k->index);
	memset(k, 0, sizeof(*k));
}

const struct profile_location *known_find(const struct known *k, uint32_t image, uint64_t addr)
{
	struct known_place key = { .addr = addr, .image = image };
	uint32_t id = hashindex_find(&k->index, hash_place(&key), same_place, k, &key);

	return id == HASHINDEX_NONE ? NULL : &k->profile.locations[k->places[id].location - 1];
}

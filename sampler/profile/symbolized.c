/* A hash index leads from the place to the location's number. The profile was decoded from a
 * child's output, so a number beyond its locations is dropped. */
#include "sampler/profile/symbolized.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static uint64_t hash_place(const struct symbolized_place *place)
{
	uint64_t words[2] = { place->addr, place->image };

	return hash_bytes(words, sizeof(words));
}

static bool symbolized_same_place(const void *owner, uint32_t id, const void *key)
{
	const struct symbolized_place *a = &((const struct symbolized *)owner)->places[id],
				      *b = key;

	return a->addr == b->addr && a->image == b->image;
}

static int index_places(struct symbolized *k)
{
	for (size_t i = 0; i < k->count; i++) {
		const struct symbolized_place *place = &k->places[i];

		if (place->location - 1u < k->profile.location_count &&
		    !symbolized_find(k, place->image, place->addr) &&
		    hashindex_add(&k->index, hash_place(place), (uint32_t)i))
			return ERR_NOMEM;
	}
	return 0;
}

int symbolized_take(struct symbolized *k, struct profile *profile, struct symbolized_place *places,
		    size_t count)
{
	symbolized_release(k);
	k->profile = *profile;
	memset(profile, 0, sizeof(*profile));
	k->places = places;
	k->count = count;
	if (!index_places(k))
		return 0;
	symbolized_release(k);
	return ERR_NOMEM;
}

void symbolized_release(struct symbolized *k)
{
	profile_release(&k->profile);
	free(k->places);
	hashindex_release(&k->index);
	memset(k, 0, sizeof(*k));
}

const struct profile_location *symbolized_find(const struct symbolized *k, uint32_t image,
					       uint64_t addr)
{
	struct symbolized_place key = { .addr = addr, .image = image };
	uint32_t id = hashindex_find(&k->index, hash_place(&key), symbolized_same_place, k, &key);

	return id == HASHINDEX_NONE ? NULL : &k->profile.locations[k->places[id].location - 1];
}

/* Open addressing with linear probing, at most 3/4 full. Single entries cannot be removed: no
 * caller needs that. */
#include "base/hashindex.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

#include "base/error.h"

struct hashindex_slot {
	uint32_t hash; /* upper half of the key's hash */
	uint32_t id;   /* entry + 1; 0 is an empty slot */
};

enum { SLOTS_MIN = 64 };

void hashindex_release(struct hashindex *ix)
{
	free(ix->slots);
	*ix = (struct hashindex){ 0 };
}

void hashindex_clear(struct hashindex *ix)
{
	if (ix->slots)
		memset(ix->slots, 0, ((size_t)ix->mask + 1) * sizeof(*ix->slots));
	ix->count = 0;
}

/* The slot where the search for a hash begins. It depends only on the 32 bits that a slot stores,
 * so that slots can be moved when the table grows. */
static uint32_t hashindex_place(uint32_t hash, uint32_t mask)
{
	return (hash * 2654435769u >> 7 ^ hash) & mask;
}

uint32_t hashindex_find(const struct hashindex *ix, uint64_t hash, hashindex_eq *eq,
			const void *owner, const void *key)
{
	uint32_t h = (uint32_t)(hash >> 32);

	if (!ix->slots)
		return HASHINDEX_NONE;
	for (uint32_t i = hashindex_place(h, ix->mask);; i = (i + 1) & ix->mask) {
		const struct hashindex_slot *s = &ix->slots[i];

		if (!s->id)
			return HASHINDEX_NONE;
		if (s->hash == h && eq(owner, s->id - 1, key))
			return s->id - 1;
	}
}

static void hashindex_put(struct hashindex_slot *slots, uint32_t mask, struct hashindex_slot s)
{
	uint32_t i = hashindex_place(s.hash, mask);

	while (slots[i].id)
		i = (i + 1) & mask;
	slots[i] = s;
}

static int resize(struct hashindex *ix, size_t size)
{
	size_t old = ix->slots ? (size_t)ix->mask + 1 : 0;
	struct hashindex_slot *slots;

	if (size > UINT32_MAX / 2 || !(slots = calloc(size, sizeof(*slots))))
		return ERR_NOMEM;
	for (size_t i = 0; i < old; i++)
		if (ix->slots[i].id)
			hashindex_put(slots, (uint32_t)(size - 1), ix->slots[i]);
	free(ix->slots);
	ix->slots = slots;
	ix->mask = (uint32_t)(size - 1);
	return 0;
}

int hashindex_reserve(struct hashindex *ix, size_t more)
{
	size_t old = ix->slots ? (size_t)ix->mask + 1 : 0, size = old ? old : SLOTS_MIN;

	while (size <= UINT32_MAX / 2 && ix->count + more > size / 4 * 3)
		size *= 2;
	return size > old ? resize(ix, size) : 0;
}

int hashindex_add(struct hashindex *ix, uint64_t hash, uint32_t id)
{
	if (hashindex_reserve(ix, 1))
		return ERR_NOMEM;
	hashindex_put(ix->slots, ix->mask,
		      (struct hashindex_slot){ (uint32_t)(hash >> 32), id + 1 });
	ix->count++;
	return 0;
}

/* Many keys come from foreign files. XXH3 without a seed can be computed backwards, so a file could
 * make all its keys collide. The seed is from the random bytes that the kernel gives each process
 * (getauxval(3), AT_RANDOM). Results do not depend on the seed: no function lists the entries. */
uint64_t hash_seed;

__attribute__((constructor)) static void choose_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(&hash_seed, random, sizeof(hash_seed));
}

uint64_t hash_bytes(const void *data, size_t len)
{
	return XXH3_64bits_withSeed(data, len, hash_seed);
}

struct hashindex_keys {
	const char *first;
	size_t size; /* bytes from one key to the next */
};

static bool hashindex_has_number(const void *owner, uint32_t id, const void *key)
{
	const struct hashindex_keys *k = owner;

	return !memcmp(k->first + id * k->size, key, sizeof(uint64_t));
}

uint32_t hashindex_number(const struct hashindex *ix, const void *entries, size_t size, size_t at,
			  uint64_t number)
{
	const struct hashindex_keys keys = { (const char *)entries + at, size };

	return hashindex_find(ix, hash_bytes(&number, sizeof(number)), hashindex_has_number, &keys,
			      &number);
}

int hashindex_add_number(struct hashindex *ix, uint64_t number, uint32_t id)
{
	return hashindex_add(ix, hash_bytes(&number, sizeof(number)), id);
}

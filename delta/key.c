/* A short sample is hashed in one call from an array of words; a long one is streamed through XXH3
 * in pieces of that array. */
#include "delta/key.h"

#include <string.h>

/* Inlines the functions: for a short hash, the call takes half of the time. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/hashindex.h"

struct key key_of(const void *data, size_t len)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(data, len, hash_seed);

	return (struct key){ h.low64, h.high64 };
}

int keyer_init(struct keyer *k)
{
	memset(k, 0, sizeof(*k));
	k->state = XXH3_createState();
	return k->state ? 0 : ERR_NOMEM;
}

void keyer_release(struct keyer *k)
{
	XXH3_freeState(k->state);
	k->state = NULL;
}

void keyer_begin(struct keyer *k)
{
	k->words[0] = k->words[1] = 0;
	k->count = 0;
	k->streaming = false;
}

void keyer_flush(struct keyer *k)
{
	if (!k->streaming)
		XXH3_128bits_reset_withSeed(k->state, hash_seed);
	k->streaming = true;
	XXH3_128bits_update(k->state, k->words + KEYER_LABELS, k->count * sizeof(*k->words));
	k->count = 0;
}

struct key keyer_end(struct keyer *k)
{
	XXH128_hash_t h;

	if (!k->streaming)
		return key_of(k->words, (KEYER_LABELS + k->count) * sizeof(*k->words));
	keyer_flush(k);
	XXH3_128bits_update(k->state, k->words, KEYER_LABELS * sizeof(*k->words));
	h = XXH3_128bits_digest(k->state);
	return (struct key){ h.low64, h.high64 };
}

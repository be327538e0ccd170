#include "delta/key.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* The functions themselves: half the time of a short hash is the call. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"

enum { WORDS = 256, LABELS = 2 };

struct keyer {
	/* The sum of the labels' keys comes first: a sum does not know of order, and counts
	 * a label that is there twice. Then the frames. */
	uint64_t words[LABELS + WORDS];
	size_t count; /* of frames in words */
	bool streaming;
	XXH3_state_t *state; /* of a stack that does not fit */
};

static uint64_t seed(void)
{
	static uint64_t chosen;
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (!chosen && random)
		memcpy(&chosen, random, sizeof(chosen));
	return chosen;
}

struct key key_of(const void *data, size_t len)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(data, len, seed());

	return (struct key){ h.low64, h.high64 };
}

int keyer_new(struct keyer **k)
{
	*k = calloc(1, sizeof(**k));
	if (!*k)
		return ERR_NOMEM;
	(*k)->state = XXH3_createState();
	return (*k)->state ? 0 : ERR_NOMEM;
}

void keyer_free(struct keyer *k)
{
	if (!k)
		return;
	XXH3_freeState(k->state);
	free(k);
}

void keyer_begin(struct keyer *k)
{
	k->words[0] = k->words[1] = 0;
	k->count = 0;
	k->streaming = false;
}

static void flush(struct keyer *k)
{
	if (!k->streaming)
		XXH3_128bits_reset_withSeed(k->state, seed());
	k->streaming = true;
	XXH3_128bits_update(k->state, k->words + LABELS, k->count * sizeof(*k->words));
	k->count = 0;
}

void keyer_frame(struct keyer *k, uint64_t frame)
{
	if (k->count == WORDS)
		flush(k);
	k->words[LABELS + k->count++] = frame;
}

void keyer_label(struct keyer *k, struct key label)
{
	k->words[0] += label.low;
	k->words[1] += label.high;
}

struct key keyer_end(struct keyer *k)
{
	XXH128_hash_t h;

	if (!k->streaming)
		return key_of(k->words, (LABELS + k->count) * sizeof(*k->words));
	flush(k);
	XXH3_128bits_update(k->state, k->words, LABELS * sizeof(*k->words));
	h = XXH3_128bits_digest(k->state);
	return (struct key){ h.low64, h.high64 };
}

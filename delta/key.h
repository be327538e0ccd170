/*
 * What stands for a sample from one profile to the next: 128 bits of XXH3 over its stack
 * and its labels.
 *
 * Two of them are equal by chance once in 2^128, so equality of keys counts as equality of
 * samples. Foreign files choose the bytes, so hashes start from a seed that the kernel
 * gives the process.
 */
#ifndef DELTA_KEY_H
#define DELTA_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key {
	uint64_t low, high;
};

static inline bool key_equal(struct key a, struct key b)
{
	return a.low == b.low && a.high == b.high;
}

struct key key_of(const void *data, size_t len);

/* The key of a sample while it is read. Stacks may be long: what does not fit is taken
 * into the hash on the way. */
enum { KEYER_LABELS = 2, KEYER_FRAMES = 256 };

struct keyer {
	/* The sum of the labels' keys comes first: a sum does not know of order, and counts
	 * a label that is there twice. Then the frames. */
	uint64_t words[KEYER_LABELS + KEYER_FRAMES];
	size_t count;	/* of frames in words */
	bool streaming;
	void *state; /* of a stack that does not fit */
};

int keyer_init(struct keyer *k); /* ERR_NOMEM */
void keyer_release(struct keyer *k);

void keyer_begin(struct keyer *k);
void keyer_flush(struct keyer *k); /* only for the next */

/* Frames come in order. */
static inline void keyer_frame(struct keyer *k, uint64_t frame)
{
	if (k->count == KEYER_FRAMES)
		keyer_flush(k);
	k->words[KEYER_LABELS + k->count++] = frame;
}

/* Labels come in any order. */
static inline void keyer_label(struct keyer *k, struct key label)
{
	k->words[0] += label.low;
	k->words[1] += label.high;
}

struct key keyer_end(struct keyer *k);

#endif

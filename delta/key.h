/*
 * Identifies a sample from one profile to the next: 128 bits of XXH3 over its stack and its labels.
 *
 * Two keys are equal by chance once in 2^128, so samples with equal keys count as equal. The bytes
 * come from untrusted files, so hashes start from a seed that the kernel gives the process
 * (AT_RANDOM).
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

/* Computes the key of a sample while it is read. If a stack is longer than the buffer, its frames
 * are hashed in parts. */
enum { KEYER_LABELS = 2, KEYER_FRAMES = 256 };

struct keyer {
	/* The sum of the labels' keys comes first: it does not depend on their order, and a label
	 * that occurs twice counts twice. Then come the frames. */
	uint64_t words[KEYER_LABELS + KEYER_FRAMES];
	size_t count; /* frames in words */
	bool streaming;
	void *state; /* XXH3 state, for a stack longer than `words` */
};

int keyer_init(struct keyer *k); /* ERR_NOMEM */
void keyer_release(struct keyer *k);

void keyer_begin(struct keyer *k);
void keyer_flush(struct keyer *k); /* for keyer_frame and keyer_end only */

/* Adds the next frame. Their order matters. */
static inline void keyer_frame(struct keyer *k, uint64_t frame)
{
	if (k->count == KEYER_FRAMES)
		keyer_flush(k);
	k->words[KEYER_LABELS + k->count++] = frame;
}

/* Adds a label. Their order does not matter. */
static inline void keyer_label(struct keyer *k, struct key label)
{
	k->words[0] += label.low;
	k->words[1] += label.high;
}

struct key keyer_end(struct keyer *k);

#endif

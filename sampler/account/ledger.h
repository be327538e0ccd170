/*
 * How well stacks were unwound: why walks ended, and what found the frames, in all
 * and by image.
 *
 * A frame is counted under its callee's image, because what is known or guessed about the callee's
 * code has led to the frame.
 */
#ifndef SAMPLER_ACCOUNT_LEDGER_H
#define SAMPLER_ACCOUNT_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/stack.h"

struct modmap;

struct ledger_entry {
	uint64_t ends[STACK_ENDS];     /* walks with their last frame in the image */
	uint64_t found[FRAME_SOURCES]; /* frames with their callee in the image */
};

struct ledger {
	struct ledger_entry all;
	struct ledger_entry *images; /* by image id; owned */
	size_t room;
};

enum { LEDGER_NAMES = 3, LEDGER_NAME_LEN = 32 };

/* The images with most guessed frames, most first: their names, shortened, and the number of their
 * guessed frames; 0: no more images. */
struct ledger_guesses {
	char name[LEDGER_NAMES][LEDGER_NAME_LEN];
	uint64_t frames[LEDGER_NAMES];
};

/* Frees what a ledger owns and empties it. {0} is an empty ledger. */
void ledger_release(struct ledger *l);

/* Counts a walk's end and its frames. ERR_NOMEM: some frames are not counted. */
int ledger_count(struct ledger *l, const struct stack *walk);

/* The counts of an image, borrowed until the next ledger_count; zeros if it was never met. */
const struct ledger_entry *ledger_of(const struct ledger *l, uint32_t image_id);

/* Frames that were guessed: found by code, by frame pointer or by scan (enum frame_source). */
uint64_t ledger_guessed(const struct ledger_entry *e);

void ledger_guesses(const struct ledger *l, const struct modmap *maps, struct ledger_guesses *g);

#endif

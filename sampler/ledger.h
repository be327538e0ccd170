/*
 * How well stacks were unwound: why walks ended, and what found the frames, in all
 * and by image.
 *
 * A frame counts for the image of its callee: that is the code about which something
 * was known or had to be guessed.
 */
#ifndef SAMPLER_LEDGER_H
#define SAMPLER_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/stack.h"

struct modmap;

struct ledger_entry {
	uint64_t ends[STACK_ENDS];	/* walks, by their last frame */
	uint64_t found[FRAME_SOURCES];	/* frames */
};

struct ledger {
	struct ledger_entry all;
	struct ledger_entry *images; /* by image id; owned */
	size_t room;
};

enum { LEDGER_NAMES = 3, LEDGER_NAME_LEN = 32 };

/* Where most was guessed: names, shortened, and frames, most first; 0: no more. */
struct ledger_guesses {
	char name[LEDGER_NAMES][LEDGER_NAME_LEN];
	uint64_t frames[LEDGER_NAMES];
};

/* {0} is an empty one. */
void ledger_release(struct ledger *l);

/* ERR_NOMEM. */
int ledger_count(struct ledger *l, const struct stack *walk);

/* Zeros for an image that was never met. */
const struct ledger_entry *ledger_of(const struct ledger *l, uint32_t image_id);

/* Frames that were found by guesses that fit (enum frame_source). */
uint64_t ledger_guessed(const struct ledger_entry *e);

void ledger_guesses(const struct ledger *l, const struct modmap *maps, struct ledger_guesses *g);

#endif

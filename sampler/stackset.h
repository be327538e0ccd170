/*
 * Stacks seen, each kept once for each thread, and how often.
 */
#ifndef SAMPLER_STACKSET_H
#define SAMPLER_STACKSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "unwind/stack.h"

struct stackset_entry {
	uint32_t thread; /* the recording's thread index */
	uint32_t count;	 /* frames */
	size_t first;	 /* of its frames in stackset.frames */
	uint64_t samples;
};

struct stackset {
	struct stackset_entry *entries; /* in the order of first sight */
	uint32_t count, room;
	struct frame *frames;
	size_t frame_count, frame_room;
	struct hashindex index;
};

/* An empty set; {0} is as good. Owns its memory until release. */
void stackset_init(struct stackset *s);
void stackset_release(struct stackset *s);

/* Counts one more sample of this stack in this thread. ERR_NOMEM. */
int stackset_add(struct stackset *s, uint32_t thread, const struct stack *stack);

#endif

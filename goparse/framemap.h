/*
 * Frames of goroutines -> locations of a profile, each function, file and line once.
 *
 * A dump of 100,000 goroutines has some 700,000 frames and a few hundred different ones, so
 * finding one that is there is what takes the time. Goroutines resemble each other: whatever
 * came behind a frame last time is tried first, which takes a comparison of the texts that
 * must be made anyhow, and no hash.
 */
#ifndef GOPARSE_FRAMEMAP_H
#define GOPARSE_FRAMEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"

struct goparse_frame;
struct profile;

struct framemap {
	struct profile *profile; /* where locations are added; not owned */
	uint32_t mapping;	 /* theirs */
	struct framemap_entry *entries; /* frames in the order of first sight */
	uint32_t count;
	size_t room;
	struct hashindex index; /* of entries */
	uint32_t last;		/* the entry found last */
};

void framemap_init(struct framemap *m, struct profile *p, uint32_t mapping);
void framemap_release(struct framemap *m);

/* The frame's location in the profile through *location; a frame without a file has none
 * there. ERR_NOMEM. */
int framemap_find(struct framemap *m, const struct goparse_frame *f, uint32_t *location);

/* Have they one function and file? */
bool framemap_same_function(const struct goparse_frame *a, const struct goparse_frame *b);

#endif

/*
 * Maps frames of goroutines to locations of a profile, one for each function, file and line.
 *
 * A dump of 100,000 goroutines has about 700,000 frames but only a few hundred distinct ones, so
 * most time goes into finding existing frames. Goroutines resemble each other: the frame that
 * followed the last time is tried first. This needs only a comparison of the texts, which is
 * necessary anyway, and no hash.
 */
#ifndef GOPARSE_PROFILE_FRAMEMAP_H
#define GOPARSE_PROFILE_FRAMEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashindex.h"

struct goparse_frame;
struct profile;

struct framemap {
	struct profile *profile;	/* where locations are added; not owned */
	uint32_t mapping;		/* of the locations */
	struct framemap_entry *entries; /* in the order of first sight */
	struct arena texts;
	uint32_t count;
	size_t room;
	struct hashindex index; /* of entries */
	uint32_t last;		/* index of the entry found last */
};

void framemap_init(struct framemap *m, struct profile *p, uint32_t mapping);
void framemap_release(struct framemap *m);

/* Finds or adds the frame's location in the profile; *location is its id. If the frame has no file,
 * the location has none. ERR_NOMEM. */
int framemap_find(struct framemap *m, const struct goparse_frame *f, uint32_t *location);

/* True if the two frames have the same function and file. */
bool framemap_same_function(const struct goparse_frame *a, const struct goparse_frame *b);

#endif

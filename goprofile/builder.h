/*
 * Stacks of logical frames -> locations of a profile, as runtime/pprof/proto.go makes them: what
 * is inlined into one physical frame is one location with several lines.
 *
 * The runtime tells logical frames only, so runtime/pprof guesses which belong together, and what
 * a location holds depends on the stack in which its first pc came first. Here it is guessed
 * the same way, release by release, so that the profiles are the same.
 */
#ifndef GOPROFILE_BUILDER_H
#define GOPROFILE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "goprofile/pcframes.h"
#include "pprof/profile.h"

struct builder {
	struct profile *profile; /* not owned */
	struct pcframes *frames; /* not owned */
	uint32_t number;	 /* of this builder, among those that use `frames` */
	struct builder_mapping *mappings;
	struct pcframe **deck;	/* frames that may be one location (proto.go, pcDeck) */
	struct profile_line *lines;
	uint32_t *locations;	/* of the stack at hand */
	uint64_t *expanded;
	uint32_t *function_of;	/* by string of its name: 1 + its id, or 0 */
	size_t mapping_count, mapping_room, deck_count, deck_room, line_room, location_count,
		location_room, expanded_room, function_room;
};

/* Locations are added to a profile that has none yet. */
void builder_init(struct builder *b, struct profile *p, struct pcframes *frames);
void builder_release(struct builder *b);

/* All below: 0 or ERR_NOMEM. */

/* An executable range, by address; before any stack. */
int builder_add_mapping(struct builder *b, const struct profile_mapping *mapping);

/* The locations of a stack, innermost first, good until the next call. There may be none
 * (runtime.goexit alone). */
int builder_locate(struct builder *b, const uint64_t *pcs, size_t count,
		   const uint32_t **locations, size_t *location_count);

/* A location of one line that only has a name. */
int builder_named(struct builder *b, const char *name, uint32_t *location);

/* Adds the mappings to the profile; the last thing that is done. */
int builder_finish(struct builder *b);

#endif

/*
 * Makes locations of a profile from stacks of logical frames, as runtime/pprof/proto.go does:
 * frames that are inlined into one physical frame are one location with several lines.
 *
 * The runtime reports only logical frames, so runtime/pprof guesses which frames belong together.
 * The contents of a location depend on the stack in which its first pc occurs first. This code
 * guesses in the same way, release by release, so that the profiles are the same.
 */
#ifndef RUNTIMES_GO_SESSION_BUILDER_H
#define RUNTIMES_GO_SESSION_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/profile.h"
#include "runtimes/go/session/pcframes.h"

struct builder {
	struct profile *profile; /* not owned */
	struct pcframes *frames; /* not owned */
	uint32_t number;	 /* of this builder, unique in this process */
	struct builder_mapping *mappings;
	struct pcframe **deck; /* frames that may be one location (proto.go, pcDeck) */
	struct profile_line *lines;
	uint32_t *locations; /* of the current stack */
	uint64_t *expanded;
	uint32_t *function_of; /* by string of its name: its id, or 0 */
	size_t mapping_count, mapping_room, deck_count, deck_room, line_room, location_count,
		location_room, expanded_room, function_room;
};

/* Locations are added to the profile `p`, which must have none. Both pointers are borrowed. */
void builder_init(struct builder *b, struct profile *p, struct pcframes *frames);
void builder_release(struct builder *b);

/* All below return 0 or ERR_NOMEM. */

/* Adds an executable mapping. Call it in the order of addresses and before any stack. */
int builder_add_mapping(struct builder *b, const struct profile_mapping *mapping);

/* The locations of a stack of `count` logical pcs, innermost first, valid until the next call.
 * There may be none (runtime.goexit alone). */
int builder_locate(struct builder *b, const uint64_t *pcs, size_t count, const uint32_t **locations,
		   size_t *location_count);

/* Makes a location with one line that has only a name. */
int builder_named(struct builder *b, const char *name, uint32_t *location);

/* Adds the mappings to the profile. Call it last. */
int builder_finish(struct builder *b);

#endif

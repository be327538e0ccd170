/*
 * The addresses of a round's stacks -> locations of a profile, with mappings, functions
 * and lines.
 *
 * Internal to sampler/, a part of assembling a profile (sampler/profile/assemble.h).
 */
#ifndef SAMPLER_PROFILE_PLACES_H
#define SAMPLER_PROFILE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "sampler/profile/assemble.h"

struct frame;
struct modmap;
struct place;
struct profile;
struct profile_line;
struct recorded;

struct places {
	struct recorded *recorded;
	const struct modmap *maps; /* any member's: they share the images */
	struct assemble_names names;
	struct profile *profile;
	uint32_t *mapping_of; /* by image id; 0: none */
	size_t image_count;
	struct place *all; /* each place once */
	uint32_t count;
	size_t room;
	struct hashindex index;
	struct profile_line *lines; /* of the location that is being made */
	size_t line_room;
};

/* Adds the mappings of all images that occur in stacks, and announces the addresses to the
 * symbolizers. `round` and `profile` are borrowed until places_release, which is due in any case.
 * ERR_NOMEM. */
int places_init(struct places *p, struct recorded *recorded, const struct assemble_names *names,
		struct profile *profile);
void places_release(struct places *p);

/* The location of a frame, made when the frame's address is first met. ERR_NOMEM. */
int places_locate(struct places *p, const struct frame *frame, uint32_t *location);

/* A location without an address, of a function named `name`. ERR_NOMEM. */
int places_add_named(struct places *p, const char *name, uint32_t *location);

/* Appends to names.places, unless that is NULL, each place that has been looked up. ERR_NOMEM. */
int places_tell(const struct places *p);

#endif

/*
 * The addresses of a round's stacks -> locations of a profile, with mappings, functions
 * and lines.
 *
 * Internal to sampler/, a part of assembling a profile (sampler/profile/assemble.h).
 */
#ifndef SAMPLER_PROFILE_LOCATIONS_H
#define SAMPLER_PROFILE_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "sampler/profile/announce.h"
#include "sampler/profile/assemble.h"
#include "unwind/table/unnamed.h"

struct frame;
struct image;
struct modmap;
struct place;
struct profile;
struct profile_line;
struct profile_mapping;
struct recorded;

struct locations {
	struct recorded *recorded;
	const struct modmap *maps; /* any member's: they share the images */
	struct assemble_names names;
	struct symbolizers symbolizers;
	struct profile *profile;
	uint32_t *mapping_of; /* by image id; 0: none */
	struct unnamed unnamed;
	uint64_t *nameless; /* by image id: samples in code that no symbol covers */
	uint64_t samples;   /* all */
	size_t image_count;
	struct place *all; /* each place once */
	uint32_t count;
	size_t room;
	struct hashindex index;
	struct profile_line *lines; /* of the location that is being made */
	size_t line_room;
};

/* Adds the mappings of all images that occur in stacks, and announces the addresses to the
 * symbolizers. `recorded` and `profile` are borrowed until locations_release, which is due in any
 * case. ERR_NOMEM. */
int locations_init(struct locations *p, struct recorded *recorded,
		   const struct assemble_names *names, struct profile *profile);
void locations_release(struct locations *p);

/* The location of a frame, made when the frame's address is first met. ERR_NOMEM. */
int locations_get(struct locations *p, const struct frame *frame, uint32_t *location);

/* Counts samples whose innermost frame this is. ERR_NOMEM. */
int locations_count_leaf(struct locations *p, const struct frame *leaf, uint64_t samples);

/* The mapping of an image that occurs in the stacks, by the image's id. */
struct profile_mapping *locations_mapping_of(const struct locations *p, size_t image);

/* A location without an address, of a function named `name`. ERR_NOMEM. */
int locations_add_named(struct locations *p, const char *name, uint32_t *location);

/* Is this the name that a location gets where no symbol covers its address? */
bool locations_is_nameless(const struct image *image, const char *name);

/* Do functions of the image have names? */
bool locations_has_symbols(struct locations *p, const struct image *image);

/* The variable at an image address, as symbolizer_variable: *name is NULL also where an earlier
 * profile's names are used. ERR_NOMEM. */
int locations_variable(struct locations *p, const struct image *image, uint64_t addr,
		       const char **name, uint64_t *offset);

/* Appends to names.places, unless that is NULL, each place that has been looked up. ERR_NOMEM. */
int locations_tell(const struct locations *p);

#endif

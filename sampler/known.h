/*
 * What earlier profiles of a recording say of its places, so that a recording which goes
 * on has each of them symbolized once.
 *
 * Places are known by image and address. What stands there is kept in the form in which
 * it came out of the process that decodes: a profile's location.
 */
#ifndef SAMPLER_KNOWN_H
#define SAMPLER_KNOWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "pprof/profile.h"

/* A place that was looked up, and the location of the profile that shows it. */
struct known_place {
	uint64_t addr;	   /* image address of the code */
	uint32_t image;	   /* its id */
	uint32_t location; /* id */
};

struct known { /* {0} knows nothing */
	struct profile profile;
	struct known_place *places; /* owned */
	size_t count;
	struct hashindex index;
};

/* Takes the profile and the places over and forgets what it knew; releases both when it
 * fails. Of what is there twice the first counts, and a location that is none of the
 * profile's is none. ERR_NOMEM. */
int known_take(struct known *k, struct profile *profile, struct known_place *places,
	       size_t count);
void known_release(struct known *k);

/* What stands at a place, in k->profile; NULL when it was not looked up. */
const struct profile_location *known_find(const struct known *k, uint32_t image, uint64_t addr);

#endif

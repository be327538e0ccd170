/*
 * What earlier profiles of a recording say of its places, so that each place is symbolized once
 * while the recording goes on.
 *
 * A place is identified by image and address. What was found there is kept in the form in which the
 * decoding process returned it: a location of a profile.
 */
#ifndef SAMPLER_PROFILE_SYMBOLIZED_H
#define SAMPLER_PROFILE_SYMBOLIZED_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "pprof/profile.h"

/* A place that was looked up, and the location of the profile that shows it. */
struct symbolized_place {
	uint64_t addr;	   /* image address of the code */
	uint32_t image;	   /* its id */
	uint32_t location; /* id */
};

/* {0} is empty. */
struct symbolized {
	struct profile profile;
	struct symbolized_place *places; /* owned */
	size_t count;
	struct hashindex index;
};

/* Replaces what was known by `profile` and `places`, and owns both from then on (places: by
 * malloc(3)); on failure both are released. Of two entries for one place the first counts. An entry
 * with a location that is not in the profile is ignored. ERR_NOMEM. */
int symbolized_take(struct symbolized *k, struct profile *profile, struct symbolized_place *places,
		    size_t count);
void symbolized_release(struct symbolized *k);

/* The location of a place, in k->profile; NULL if the place was not looked up. */
const struct profile_location *symbolized_find(const struct symbolized *k, uint32_t image,
					       uint64_t addr);

#endif

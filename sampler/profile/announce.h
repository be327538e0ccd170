/*
 * Collects the addresses that symbolizers will look up, and announces them beforehand, all
 * addresses of an image at once (symbolizer_prepare).
 */
#ifndef SAMPLER_PROFILE_ANNOUNCE_H
#define SAMPLER_PROFILE_ANNOUNCE_H

#include <stddef.h>
#include <stdint.h>

struct image;
struct member;
struct symbolizer;

/* {0} is an empty announcement; announce_send releases its memory. */
struct announcement {
	struct announced {
		const struct image *image;
		uint64_t addr;
	} *all;
	size_t count, room;
};

/* Adds a place, also one that was added before. `image` is borrowed until announce_send.
 * ERR_NOMEM. */
int announce_place(struct announcement *a, const struct image *image, uint64_t addr);

/* The symbolizers of processes, one for each. */
struct symbolizers {
	struct symbolizer *const *all;
	struct member *const *members;
	size_t count;
};

/* The symbolizer of the process that an image was first seen in: debug files and perf maps are
 * looked for where that process sees them. */
struct symbolizer *symbolizers_of(const struct symbolizers *s, const struct image *image);

/* Passes all places to their symbolizers, and empties the announcement in any case. ERR_NOMEM. */
int announce_send(struct announcement *a, const struct symbolizers *s);

#endif

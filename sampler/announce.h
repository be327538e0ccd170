/*
 * What symbolizers will be asked, told to them before (symbolizer_prepare): each image's
 * addresses together.
 */
#ifndef SAMPLER_ANNOUNCE_H
#define SAMPLER_ANNOUNCE_H

#include <stddef.h>
#include <stdint.h>

struct image;
struct symbolizer;

/* {0} is an empty one; announce_send releases it. */
struct announcement {
	struct announced {
		const struct image *image;
		uint64_t addr;
	} *all;
	size_t count, room;
};

/* The same place may come often. ERR_NOMEM. */
int announce_place(struct announcement *a, const struct image *image, uint64_t addr);

/* Tells them: `symbolizer_of` says which speaks for an image. ERR_NOMEM. */
int announce_send(struct announcement *a,
		  struct symbolizer *(*symbolizer_of)(void *ctx, const struct image *image),
		  void *ctx);

#endif

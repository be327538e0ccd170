/*
 * Debug files from the network (debuginfod(8)), for a round that asked for them.
 *
 * Fetched is for the modules that were met in stacks, have a build ID and no debug
 * information here. Which these are is found out in the sandbox, the fetching is done
 * by elfutils' libdebuginfod in a process of its own, which has no privilege, nothing
 * of ours open, and is ended when time is up. Neither happens where it was not asked for.
 */
#ifndef SAMPLER_FETCHING_H
#define SAMPLER_FETCHING_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct fetching;
struct image;
struct round;

struct fetching_stats {
	unsigned wanted, got; /* modules */
	char problem[256];    /* why not all, in words; "" when nothing is to be said */
};

/* Called some ten times a second with a line of text. */
typedef void fetching_progress(void *ctx, const char *line);

/* Fetches what is missing, for `timeout_ns` at most. What cannot be fetched is no
 * failure. Once, and with no other thread running. ERR_NOMEM. */
int fetching_run(struct fetching **f, const struct round *round, uint64_t timeout_ns,
		 fetching_progress *progress, void *ctx, struct error *err);
void fetching_free(struct fetching *f);

/* The debug file of an image, unverified, or -1. Stays the fetching's. */
int fetching_fd(const struct fetching *f, const struct image *image);

const struct fetching_stats *fetching_stats(const struct fetching *f);

#endif

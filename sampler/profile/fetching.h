/*
 * Debug files from the network (debuginfod(8)), for a round that requested them.
 *
 * Files are fetched for modules that were met in stacks, have a build ID and no debug information
 * on this machine. The sandbox finds out which modules these are. elfutils' libdebuginfod fetches
 * the files, in a process of its own, which has no privilege and no descriptor of ours but a
 * socket, and is killed when time is up. Neither happens unless it was requested.
 */
#ifndef SAMPLER_PROFILE_FETCHING_H
#define SAMPLER_PROFILE_FETCHING_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct fetching;
struct image;
struct recorded;

struct fetching_stats {
	unsigned wanted, got; /* modules */
	char problem[256];    /* why not all were fetched; "" if there is nothing to report */
};

/* Called some ten times a second with a line of text. */
typedef void fetching_progress(void *ctx, const char *line);

/* Fetches what is missing, for `timeout_ns` at most. A file that cannot be fetched is not a
 * failure; fetching_stats says why. `progress` may be NULL. Called once, with no other thread
 * running. ERR_NOMEM; ERR_IO if no process can be made, and then *f is to be freed, too. */
int fetching_run(struct fetching **f, const struct recorded *recorded, uint64_t timeout_ns,
		 fetching_progress *progress, void *ctx, struct error *err);
void fetching_free(struct fetching *f);

/* The descriptor of an image's debug file, unverified; -1 if there is none, or if `f` is NULL. The
 * fetching owns the descriptor and closes it in fetching_free. */
int fetching_fd(const struct fetching *f, const struct image *image);

const struct fetching_stats *fetching_stats(const struct fetching *f);

#endif

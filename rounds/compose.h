/* What a round has taken becomes the files of a batch. Internal to rounds/. */
#ifndef ROUNDS_COMPOSE_H
#define ROUNDS_COMPOSE_H

#include "rounds/batch.h"

struct buffer;
struct derive_deltas;
struct error;
struct lap;

/* Writes the batch of a round that is over. What is missing is an entry that says why.
 * *event and *path are good until batch_free of *batch and `arena`'s release, `*line` gets
 * the batch in words. ERR_IO: there is no batch; ERR_NOMEM. */
struct composed {
	struct batch *batch;
	struct batch_event event;
	const char *path;
	struct arena *arena; /* the caller's; what is told lies in it */
};

int compose_batch(struct composed *c, struct lap *lap, struct batches *batches,
		  struct derive_deltas *deltas, struct error *err);

/* "batch 000012-20261121T181500Z: cpu 1,234 samples, heap, delta-heap; skipped mutex (…)". */
int compose_line(const struct composed *c, struct buffer *line);

#endif

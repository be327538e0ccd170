/* Makes the files of a batch from what a round has taken. Internal to rounds/. */
#ifndef ROUNDS_COMPOSE_H
#define ROUNDS_COMPOSE_H

#include "rounds/batch/batch.h"

struct buffer;
struct derive_deltas;
struct error;
struct lap;

struct composed {
	struct batch *batch;
	struct batch_event event;
	const char *path;
	bool sampled; /* there are the next two */
	uint64_t samples, target_cpu_ns;
	struct arena *arena; /* the caller's; owns the texts of `event` */
};

/* Writes the batch of a round that is over. A profile that is missing is an entry with the
 * reason. The caller frees c->batch and releases c->arena, after an error too. c->event and
 * c->path are valid until then, or until lap_free. ERR_IO: there is no batch; ERR_NOMEM; errors of
 * batch_begin. */
int compose_batch(struct composed *c, struct lap *lap, struct batches *batches,
		  struct derive_deltas *deltas, struct error *err);

/* Appends the batch in words, "batch 000012-20261121T181500Z: 149 samples, 1.42 s of CPU; cpu,
 * heap, delta-heap; skipped mutex (…)", with a NUL. ERR_NOMEM. */
int compose_line(const struct composed *c, struct buffer *line);

#endif

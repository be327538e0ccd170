/*
 * Records round after round; each round leaves a batch.
 *
 *   rounds_new -> rounds_run -> rounds_free
 *
 * While one round samples, the previous one is finished: its samples are symbolized and its Go
 * profiles fetched in processes of their own, and when these have ended its batch is written.
 * A failure costs only the profile or the batch that it concerns, in one round, and event.json
 * reports it. Nothing here prints.
 */
#ifndef ROUNDS_ROUNDS_H
#define ROUNDS_ROUNDS_H

#include <stdint.h>

#include "rounds/options.h"

struct error;
struct rounds;

/* Checks the target, the permission to trace it, and the folder. The caller frees *r with
 * rounds_free. Errors of process_open and process_may_trace, follow_cgroup, batches_open;
 * ERR_USAGE: these types need a process, and there is none. */
int rounds_new(struct rounds **r, const struct rounds_options *options, struct error *err);

/* Runs until all rounds are done, the target has ended and no other follows, or rounds_stop.
 * *written is the number of batches. Returns 0 also when some of them failed. ERR_NOMEM; ERR_IO:
 * no batch could be written; errors of the first recording; ERR_NOTFOUND: the batch of a single
 * round is empty. */
int rounds_run(struct rounds *r, uint64_t *written, struct error *err);

/* After rounds_run: rounds whose batch could not be written. */
uint64_t rounds_lost(const struct rounds *r);

/* Ends rounds_run soon; the running round is written with what it has, unless drop_last is set.
 * Async-signal-safe. */
void rounds_stop(struct rounds *r);

/* As batches_folder; borrowed until rounds_free. */
const int *rounds_folder(const struct rounds *r);

void rounds_free(struct rounds *r);

#endif

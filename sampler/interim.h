/*
 * Profiles of a recording that goes on: of all that was sampled so far, and of what came
 * since the one before.
 *
 * Internal to sampler/; recording.h has what others see. A process that can do no harm
 * (sampler/decoding.h) gets a copy of the round by fork(2), so that the sampling goes on
 * while it works. To fork, nobody may be sampling: the sampling thread ends between two
 * ticks, as it does when the baton passes, and a new one goes on. What comes back are
 * bytes, as foreign as the files that were decoded.
 */
#ifndef SAMPLER_INTERIM_H
#define SAMPLER_INTERIM_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/product.h"
#include "sampler/recording.h"

struct error;
struct interim;
struct outfile;

/* `product` tells what of; its cpu_ns is ours when the recording began. ERR_NOMEM. */
int interim_new(struct interim **out, const struct product *product, struct error *err);
void interim_free(struct interim *in);

/* Asks for one: to be shown, or with a file to be written there instead, with all names
 * looked up; the file lives until it is done. ERR_LIMIT while one is being made. */
int interim_ask(struct interim *in, struct outfile *file, struct error *err);

/* One was asked for, and no process makes it yet. */
bool interim_wants_start(const struct interim *in);

/* Starts that process, while no thread samples. */
void interim_start(struct interim *in);

/* Looks whether it has come to an end, for `timeout_ms` at most. */
void interim_look(struct interim *in, int timeout_ms);

const struct recording_interim *interim_state(const struct interim *in);

/* As recording_warning. */
const char *interim_warning(const struct interim *in, size_t i);

/* CPU time of all processes that made one. */
uint64_t interim_cpu_ns(const struct interim *in);

#endif

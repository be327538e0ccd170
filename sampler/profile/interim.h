/*
 * Profiles of a recording that goes on: of all that was sampled so far, and of what was sampled
 * since the last such profile.
 *
 * Internal to sampler/; recording.h is the interface for other folders. A process that can do no
 * harm (sampler/child/decoding.h) gets a copy of the round by fork(2), so that the sampling goes on
 * while it works. No thread may sample during the fork: the looking thread ends between two ticks
 * (round_want_intermission), and a new one goes on. The process returns bytes, and they are as
 * foreign as the files that were decoded.
 */
#ifndef SAMPLER_PROFILE_INTERIM_H
#define SAMPLER_PROFILE_INTERIM_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/profile/maker.h"
#include "sampler/recorded/stats.h"

struct error;
struct interim;
struct outfile;
struct round;

/* `maker` says what the profiles are made of, and is copied; its cpu_ns is our CPU time when the
 * recording began. `round` is borrowed; maker->recorded is a part of it. The caller frees *out with
 * interim_free. ERR_NOMEM. */
int interim_new(struct interim **out, const struct maker *maker, struct round *round,
		struct error *err);
void interim_free(struct interim *in);

/* Requests a profile: one to be shown (interim_state), or with `file` one that is written there,
 * with all names looked up; the file must live until that is done. ERR_LIMIT while one is being
 * made. */
int interim_ask(struct interim *in, struct outfile *file, struct error *err);

/* True if a profile was requested and no process makes it yet. */
bool interim_wants_start(const struct interim *in);

/* Starts that process. Only while no thread samples. */
void interim_start(struct interim *in);

/* Waits for the end of that process, for `timeout_ms` at most, and takes over what it has made. */
void interim_look(struct interim *in, int timeout_ms);

/* The state of the requested profile, and the last profiles; interim_look replaces them. */
const struct recording_interim *interim_state(const struct interim *in);

/* As recording_warning. */
const char *interim_warning(const struct interim *in, size_t i);

/* CPU time in ns of all processes that made a profile. */
uint64_t interim_cpu_ns(const struct interim *in);

#endif

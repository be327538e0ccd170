/*
 * Profiles made of profiles: what a round's files hold beside what was taken as it is.
 *
 * All take pprof bytes, gzip'd or not, at most DERIVE_BYTES unpacked, and append gzip'd pprof
 * bytes to `out`. ERR_FORMAT, ERR_LIMIT, ERR_USAGE (a value is missing), ERR_NOMEM.
 */
#ifndef ROUNDS_DERIVE_H
#define ROUNDS_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "rounds/capture.h"

struct delta_stats;
struct derive_deltas;
struct error;

enum { DERIVE_BYTES = 1 << 30 };

/* The same with default_sample_type alloc_space. */
int derive_allocs(const void *data, size_t len, struct buffer *out, struct error *err);

/* inuse_objects and inuse_space; alloc values are zeros, samples of zeros are left out, equal
 * stacks are one (Cloud Profiler's heap profile). */
int derive_inuse(const void *data, size_t len, struct buffer *out, struct error *err);

/* alloc_objects and alloc_space alone, the second snapshot's less the first's, with the time
 * between them as duration (Cloud Profiler's allocation profile). ERR_FORMAT also when they
 * are of two processes, which shows where less was allocated at the end. */
int derive_alloc(const void *first, size_t first_len, const void *second, size_t second_len,
		 struct buffer *out, struct error *err);

/* Of a recording with --wall the CPU profile that one without would have given: samples and
 * cpu, without states and calls, samples of zeros left out. */
int derive_cpu(const void *data, size_t len, struct buffer *out, struct error *err);

/* Differences from round to round, of heap, allocs, block and mutex. State is kept for each. */
int derive_deltas_new(struct derive_deltas **d, struct error *err);
void derive_deltas_free(struct derive_deltas *d);

/* The difference to the profile of that type before, at the level of delta/delta.h; `stats`
 * as there (the first one comes out whole and says so). */
int derive_delta(struct derive_deltas *d, enum capture_type type, const void *data, size_t len,
		 struct buffer *out, const struct delta_stats **stats, struct error *err);

/* The target is another process now: the next ones are first ones. */
void derive_deltas_forget(struct derive_deltas *d);

/* Bytes of state kept. */
size_t derive_deltas_bytes(const struct derive_deltas *d);

#endif

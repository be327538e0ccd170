/*
 * Profiles that are derived from those of a round, and written beside them.
 *
 * All functions take pprof bytes, gzip'd or not, at most DERIVE_BYTES unpacked, and append gzip'd
 * pprof bytes to `out`. ERR_FORMAT, ERR_LIMIT, ERR_USAGE (a value is missing), ERR_NOMEM.
 */
#ifndef ROUNDS_DERIVE_H
#define ROUNDS_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "rounds/source/capture.h"

struct delta_stats;
struct derive_deltas;
struct error;

enum { DERIVE_BYTES = 1 << 30 };

/* The heap profile with default_sample_type alloc_space. */
int derive_allocs(const void *data, size_t len, struct buffer *out, struct error *err);

/* The heap profile with inuse_objects and inuse_space alone: alloc values are zeros, samples of
 * zeros are dropped, equal stacks merged (Cloud Profiler's heap profile). */
int derive_inuse(const void *data, size_t len, struct buffer *out, struct error *err);

/* alloc_objects and alloc_space alone, the second snapshot minus the first, with the time
 * between them as duration (Cloud Profiler's allocation profile). ERR_FORMAT also when the
 * snapshots are of two processes: a value of the second one is then lower. */
int derive_alloc(const void *first, size_t first_len, const void *second, size_t second_len,
		 struct buffer *out, struct error *err);

/* Derives the CPU profile of a recording with --wall: sample types samples and cpu, no labels of
 * states and calls, no samples of zeros. A recording without --wall would have given the same. */
int derive_cpu(const void *data, size_t len, struct buffer *out, struct error *err);

/* State for differences from round to round, one for each of heap, allocs, block and mutex. The
 * caller frees *d with derive_deltas_free. */
int derive_deltas_new(struct derive_deltas **d, struct error *err);
void derive_deltas_free(struct derive_deltas *d);

/* The difference to the previous profile of that type (delta/delta.h). *stats is borrowed until
 * the next call; the first profile comes out whole, and stats->first says so. */
int derive_delta(struct derive_deltas *d, enum capture_type type, const void *data, size_t len,
		 struct buffer *out, const struct delta_stats **stats, struct error *err);

/* For a new target process: the next profile of each type counts as a first one. */
void derive_deltas_forget(struct derive_deltas *d);

#endif

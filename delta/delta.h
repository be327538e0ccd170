/*
 * The difference of one pprof profile and the one before, of the same process.
 *
 * For profiles whose values count since the process began: Go's heap (its alloc columns),
 * block and mutex profiles. The columns named when the computer is made become new minus
 * old, the others stay as they are. Works on the encoded bytes: what is kept of a profile
 * is a hash of each stack and the columns' values (docs/delta.md).
 */
#ifndef DELTA_DELTA_H
#define DELTA_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct delta_computer;
struct error;

struct delta_type {
	const char *type, *unit; /* "alloc_space", "bytes" */
};

struct delta_options {
	const struct delta_type *types; /* columns to subtract; copied */
	size_t type_count;   /* 0: those of Go's heap, block and mutex profiles, whichever it is */
	unsigned forget_after; /* rounds that a stack may be missing from; 0 means 1 */
	bool allow_negative; /* a counter that runs backwards is no sign of a new process */
	size_t max_size;     /* bytes of an uncompressed profile; 0: 1 GiB */
};

struct delta_stats {
	bool first;	  /* nothing was subtracted: there was no profile before, or it was bad */
	bool reset;	  /* a counter ran backwards, so nothing was subtracted either */
	size_t samples;	  /* of the profile, after equal ones were added up */
	size_t kept;	  /* written */
	size_t dropped;	  /* all columns 0 */
	size_t added;	  /* not there in the profile before */
	size_t vanished;  /* there in the profile before, and no longer */
	size_t known;	  /* stacks remembered for the next profile */
	size_t state_bytes; /* memory for that */
};

/* Takes the next bytes of a delta; its error ends the computation. */
typedef int delta_sink(void *ctx, const void *data, size_t len, struct error *err);

/* ERR_NOMEM. */
int delta_new(struct delta_computer **dc, const struct delta_options *options, struct error *err);
void delta_free(struct delta_computer *dc);

/* Takes the next profile, gzip'd or not, and gives its difference to the last one,
 * uncompressed, to the sink. The first comes out whole.
 *
 * ERR_FORMAT with what, where and why, ERR_LIMIT, ERR_USAGE when a column is not there, and
 * ERR_NOMEM are found before the sink gets a byte, but for ERR_NOMEM while gunzipping;
 * after them and after an error of the sink nothing is remembered, and the next profile is
 * a first one. */
int delta_compute(struct delta_computer *dc, const void *data, size_t len, delta_sink *sink,
		  void *ctx, struct error *err);

/* Of the last call that succeeded. */
const struct delta_stats *delta_stats(const struct delta_computer *dc);

#endif

/*
 * Computes the difference between a pprof profile and the previous one of the same process.
 *
 * This is for profiles that count from the start of the process: Go's heap profile (its alloc
 * columns), block and mutex profiles. The columns named in delta_options become new minus old; the
 * others are copied. The code works on the encoded bytes. Of a profile it keeps only a hash of each
 * stack and the values of the subtracted columns (docs/delta.md).
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
	size_t type_count;     /* 0: the columns that count in Go's heap, block or mutex profile */
	unsigned forget_after; /* a stack is forgotten after it was missing from this many profiles
				* in a row; 0: 1; at most 254 */
	bool allow_negative;   /* true: a counter that decreases does not mean a new process */
	size_t max_size;       /* of an uncompressed profile, bytes; 0: 1 GiB, which is the most */
};

struct delta_stats {
	bool first;	    /* no profile was subtracted: none before, or it had an error */
	bool reset;	    /* nothing was subtracted: a counter had decreased */
	size_t samples;	    /* in the profile, after equal ones were added up */
	size_t kept;	    /* samples written */
	size_t dropped;	    /* samples not written: all columns are 0 */
	size_t added;	    /* samples with a stack that was not remembered */
	size_t vanished;    /* stacks that the previous profile had and this one does not have */
	size_t known;	    /* stacks remembered for the next profile */
	size_t state_bytes; /* memory for the stacks */
	/* What came: of each subtracted column its type and the sum over all samples, which wraps
	 * around. Borrowed until the next delta_compute. */
	const struct delta_type *types;
	const int64_t *came;
	size_t type_count;
};

/* Takes the next bytes of a delta. An error that it returns ends the computation. */
typedef int delta_sink(void *ctx, const void *data, size_t len, struct error *err);

/* Makes a computer. *options is copied. The caller frees *dc with delta_free. ERR_NOMEM. */
int delta_new(struct delta_computer **dc, const struct delta_options *options, struct error *err);
void delta_free(struct delta_computer *dc);

/* Takes the next profile, compressed with gzip or not, and passes its difference to the last one,
 * uncompressed, to the sink. The first profile is passed on whole.
 *
 * ERR_FORMAT with what is wrong, where and why; ERR_LIMIT: larger than max_size; ERR_USAGE: a
 * column does not exist or is named twice, or none was named and the profile is not a heap, block
 * or mutex profile of Go; ERR_NOMEM. These errors are found before the sink gets a byte. After them
 * and after an error of the sink nothing is remembered, and the next profile is treated as the
 * first. */
int delta_compute(struct delta_computer *dc, const void *data, size_t len, delta_sink *sink,
		  void *ctx, struct error *err);

/* The statistics of the last call of delta_compute that succeeded; valid until delta_free. */
const struct delta_stats *delta_stats(const struct delta_computer *dc);

#endif

/* Declares the state that the passes share. Internal to delta/. */
#ifndef DELTA_COMPUTE_H
#define DELTA_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "delta/delta.h"
#include "delta/index.h"
#include "delta/output.h"
#include "delta/sample.h"
#include "delta/state.h"

/* Rows with the sums of equal samples. */
struct sums {
	int64_t *values; /* of each row, one for each column */
	size_t count;	 /* of rows */
	size_t value_room;
	bool *written;
	size_t written_room;
};

struct delta_computer {
	struct delta_options options; /* its `types` is the array below */
	struct delta_type *types;     /* owned */
	size_t *columns;	      /* by type: index of its column in the current profile */
	int64_t *came;		      /* by type: the sum of the delta */
	bool *measured;		      /* by type: a time beside a count (compute.c, set_types) */
	struct index index;	      /* of the current profile */
	struct sample_reader reader;
	struct state state;
	uint32_t *entries; /* entry in `state` of each sample, in the order of the file */
	size_t entry_room;
	struct sums sums;
	struct buffer plain; /* the current profile uncompressed, if it came as gzip */
	size_t backwards;    /* samples with a counter lower than in the last profile */
	int64_t last_time;
	bool has_last_time, begun;
	struct delta_stats stats, last_stats;
	struct output output;
};

/* Passes 2 and 3 (samples.c). */
int pass2_aggregate(struct delta_computer *dc, struct cursor profile, struct error *err);
int pass3_write_samples(struct delta_computer *dc, struct cursor profile);

/* Passes 4 to 6 (records.c). */
int pass4_write_records(struct delta_computer *dc, struct cursor profile);
int pass5_write_functions(struct delta_computer *dc, struct cursor profile);
int pass6_write_strings(struct delta_computer *dc, struct cursor profile);

#endif

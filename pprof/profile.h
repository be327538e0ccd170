/*
 * The profile model: profile.proto (github.com/google/pprof, proto/profile.proto)
 * as C structures.
 *
 * Filled once, encoded, freed. Strings are kept once each, so two of their
 * numbers are equal exactly when the strings are. Functions and locations are
 * kept once each as far as profile_add_function and _location add them: adding
 * one that is there returns the number of the first. A profile that was decoded
 * has those of its file, the same ones as often as they stand there. Numbers
 * ("id") of mappings, functions and locations count from 1 without gaps, 0
 * means none, so that number - 1 is an array index; string numbers count from
 * 0, which is "". The arrays may be read by anyone and are changed only in pprof/.
 */
#ifndef PPROF_PROFILE_H
#define PPROF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "base/strset.h"

struct profile_type {
	uint32_t type, unit; /* strings */
};

struct profile_mapping {
	uint64_t start, limit; /* addresses, limit exclusive */
	uint64_t offset;       /* in the file, bytes */
	uint32_t filename, build_id;
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct profile_function {
	uint32_t name, system_name, filename;
	int64_t start_line;
};

struct profile_line {
	uint32_t function; /* id */
	int64_t line, column;
};

struct profile_location {
	uint32_t mapping; /* id, 0 when none */
	uint64_t address;
	size_t first_line, lines; /* in profile.lines; innermost inlined call first */
	bool is_folded;
};

struct profile_label {
	uint32_t key;
	uint32_t str;	   /* 0 for a number */
	int64_t num;
	uint32_t num_unit; /* 0 when none */
};

struct profile_sample {
	size_t first_location, locations; /* ids in profile.stack, leaf first */
	size_t first_value;		  /* in profile.values; as many as there are types */
	size_t first_label, labels;	  /* in profile.labels */
};

struct profile {
	struct strset strings;
	struct profile_type *types;
	struct profile_mapping *mappings;
	struct profile_function *functions;
	struct profile_location *locations;
	struct profile_line *lines;
	struct profile_sample *samples;
	uint32_t *stack;
	int64_t *values;
	struct profile_label *labels;
	uint32_t *comments; /* strings */
	size_t type_count, mapping_count, function_count, location_count, line_count, sample_count,
		stack_count, value_count, label_count, comment_count;
	uint32_t drop_frames, keep_frames, default_type, doc_url; /* strings */
	int64_t time_nanos, duration_nanos;
	struct profile_type period_type;
	int64_t period;
	/* What profile_add_function and _location find by, and how many of each are in it
	 * (pprof/append.h). */
	struct hashindex function_index, location_index;
	size_t functions_indexed, locations_indexed;
};

/* An empty profile. ERR_NOMEM. Owns everything until profile_release. */
int profile_init(struct profile *p);
void profile_release(struct profile *p);

/* All below: 0 or ERR_NOMEM; what is added is copied. */

/* The string's number through *id; NULL counts as "". */
int profile_string(struct profile *p, const char *text, uint32_t *id);

/* A sample type. All types before the first sample. */
int profile_add_type(struct profile *p, const char *type, const char *unit);
int profile_add_type_ids(struct profile *p, struct profile_type type);

/* A mapping, its id through *id. Mappings are not merged. */
int profile_add_mapping(struct profile *p, const struct profile_mapping *mapping, uint32_t *id);

int profile_add_function(struct profile *p, const struct profile_function *function, uint32_t *id);

/* A location with its lines; first_line and lines of `location` are ignored. */
int profile_add_location(struct profile *p, const struct profile_location *location,
			 const struct profile_line *lines, size_t line_count, uint32_t *id);

/* A sample: location ids leaf first, one value for each type, labels. Samples
 * are not merged. */
int profile_add_sample(struct profile *p, const uint32_t *locations, size_t location_count,
		       const int64_t *values, const struct profile_label *labels,
		       size_t label_count);

/* Gives a sample another stack. What it had stays in profile.stack, unused. */
int profile_set_stack(struct profile *p, size_t sample, const uint32_t *locations,
		      size_t location_count);

int profile_add_comment(struct profile *p, const char *text);
int profile_add_comment_id(struct profile *p, uint32_t string);

#endif

/*
 * Models a profile: profile.proto (github.com/google/pprof, proto/profile.proto) has these
 * messages, here as C structures.
 *
 * A profile is filled once, encoded and freed. Each string is kept once, so two
 * strings are equal exactly when their numbers are. profile_add_function and
 * profile_add_location keep each function and location once: adding an equal one
 * returns the number of the first. A decoded profile has the functions and
 * locations of its file, including duplicates. Mappings, functions and locations
 * have numbers ("id") from 1 without gaps: the array index plus 1; 0 means none.
 * String numbers count from 0, which is "". Any code may read the arrays; only
 * pprof/ changes them.
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
	uint64_t id;	       /* in the file that it was read from; 0: in none */
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
	uint64_t id;	  /* in the file that it was read from; 0: in none */
	uint32_t mapping; /* number, 0 when none */
	uint64_t address;
	size_t first_line, lines; /* in profile.lines; innermost inlined call first */
	bool is_folded;
};

struct profile_label {
	uint32_t key;
	uint32_t str; /* 0: the label is a number */
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
	/* For profile_add_function and profile_add_location: indexes of the functions and
	 * locations, and how many of each are indexed (pprof/append.h). */
	struct hashindex function_index, location_index;
	size_t functions_indexed, locations_indexed;
};

/* Makes *p an empty profile, which owns its memory until profile_release. ERR_NOMEM. */
int profile_init(struct profile *p);
void profile_release(struct profile *p);

/* All below return 0 or ERR_NOMEM and copy what they add. */

/* The number of a string in *id; the string is added if it is new. NULL counts as "". Foreign names
 * may have any bytes, but profile.proto's strings are UTF-8: other bytes become U+FFFD. */
int profile_string(struct profile *p, const char *text, uint32_t *id);
int profile_text(struct profile *p, const char *text, size_t len, uint32_t *id);

/* Adds a sample type. All types must be added before the first sample. */
int profile_add_type(struct profile *p, const char *type, const char *unit);
int profile_add_type_ids(struct profile *p, struct profile_type type);

/* The types of Go's block and mutex profiles, contentions and delay, and their period.
 * ERR_NOMEM. */
int profile_add_contentions(struct profile *p);

/* Adds a mapping; its id in *id. Equal mappings are not merged. */
int profile_add_mapping(struct profile *p, const struct profile_mapping *mapping, uint32_t *id);

/* Sets *id to the id of an equal function, or of the added one if there is none. */
int profile_add_function(struct profile *p, const struct profile_function *function, uint32_t *id);

/* The same for a location with its lines; first_line and lines of `location` are ignored. */
int profile_add_location(struct profile *p, const struct profile_location *location,
			 const struct profile_line *lines, size_t line_count, uint32_t *id);

/* Adds a sample: location ids leaf first, one value for each sample type, labels. Equal samples
 * are not merged. */
int profile_add_sample(struct profile *p, const uint32_t *locations, size_t location_count,
		       const int64_t *values, const struct profile_label *labels,
		       size_t label_count);

/* Gives the sample of index `sample` another stack. The old one stays in profile.stack, unused. */
int profile_set_stack(struct profile *p, size_t sample, const uint32_t *locations,
		      size_t location_count);

int profile_add_comment(struct profile *p, const char *text);
int profile_add_comment_id(struct profile *p, uint32_t string);

#endif

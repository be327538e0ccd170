/*
 * What the readers of legacy formats share: the lines of a text, and a profile under
 * construction that is all addresses. legacy_finish makes the profile of it, with
 * numbers and mappings as google/pprof gives them.
 */
#ifndef PPROF_LEGACY_BUILD_H
#define PPROF_LEGACY_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/hashindex.h"
#include "pprof/profile.h"

struct error;

/* What a reader returns, beside 0 and errors, when google's says errUnrecognized: the
 * next format is tried. It may have set a message, which counts if all others fail. */
enum { NOT_THIS = 1 };

enum { LEGACY_VALUES = 4 }; /* the most that a sample has */

struct legacy_sample {
	size_t first, frames;	 /* in legacy.stack */
	int64_t values[LEGACY_VALUES];
	int64_t block;		 /* the label "bytes", where has_block is set */
	bool has_block;
};

struct legacy_place { /* what a location is, found by its address */
	uint64_t address;
	uint32_t function; /* number in legacy.functions + 1, 0: none; Java */
	int64_t line;
};

struct legacy {
	struct profile *p; /* types, period and strings go straight there */
	struct error *err;
	struct hashindex by_address;
	struct legacy_place *places;
	uint32_t *stack; /* indexes of places */
	struct legacy_sample *samples;
	struct profile_mapping *mappings;
	struct profile_function *functions;
	size_t place_count, stack_count, sample_count, mapping_count, function_count;
	size_t place_room, stack_room, sample_room, mapping_room, function_room;
	bool drops_doubled_leaf; /* CPU and threads: cleanupDuplicateLocations */
	bool drops_addresses;	 /* Java: Aggregate */
};

void legacy_init(struct legacy *l, struct profile *p, struct error *err);
void legacy_release(struct legacy *l);

/* Sets "out of memory" and returns ERR_NOMEM. */
int legacy_nomem(struct legacy *l);

/* A sample type whose unit is `unit`. 0 or ERR_NOMEM. */
int legacy_type(struct legacy *l, const char *type, const char *unit);
int legacy_period(struct legacy *l, const char *type, const char *unit, int64_t period);

/* The number of text as a string of the profile. 0 or ERR_NOMEM. */
int legacy_string(struct legacy *l, struct cursor text, uint32_t *id);

/* Begins a sample, which has no frames yet; then its frames, leaf first. 0 or ERR_NOMEM. */
int legacy_begin_sample(struct legacy *l, struct legacy_sample **sample);
int legacy_add_frame(struct legacy *l, uint64_t address);

/* Takes the newest sample back, with its frames. */
void legacy_drop_sample(struct legacy *l);

/* Every 0x… in the text as a frame of the sample begun last, `back` subtracted from each
 * but, with `leaf_stays`, the sample's first. ERR_FORMAT for more than 64 bits; ERR_NOMEM. */
int legacy_add_addresses(struct legacy *l, struct cursor text, unsigned back, bool leaf_stays);

/* The same for a sample's line behind its "@", as far as that is addresses. */
int legacy_add_stack(struct legacy *l, struct cursor text, unsigned back);

/* All that was collected into the profile. ERR_FORMAT for samples without types. */
int legacy_finish(struct legacy *l);

#endif

/*
 * Pass 1 reads the tables to which the samples of a profile refer.
 *
 * Strings are hashed and not copied. A location becomes 64 bits that identify the same place in the
 * next profile, too, whatever its id is there. All records except the samples are checked here, so
 * that passes 4 to 6 cannot find an error.
 */
#ifndef DELTA_INDEX_H
#define DELTA_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "delta/key.h"
#include "pprof/wire/ids.h"
#include "pprof/wire/wire.h"

struct error;

struct index_mapping {
	uint64_t start, offset;
	struct key build_id; /* the key of "" if there is none */
};

struct index {
	struct key *strings;
	uint64_t *functions, *frames; /* hashes that identify functions and locations */
	struct index_mapping *mappings;
	struct key (*types)[2]; /* type and unit of each column */
	struct ids function_ids, location_ids, mapping_ids;
	/* The entries of each table that the delta needs, by their order in the file. */
	uint8_t *need_string, *need_function, *need_location;
	size_t string_count, function_count, location_count, mapping_count, type_count;
	size_t sample_count;
	int64_t time;
	bool has_time;
	size_t string_room, function_room, frame_room, mapping_room, type_room;
	size_t need_string_room, need_function_room, need_location_room;
	/* The bytes of all samples, if no other record is between them; else NULL. */
	const uint8_t *samples, *samples_end;
	struct key nothing; /* the key of "" */
};

void index_init(struct index *x);
void index_release(struct index *x);

/* Reads a profile in place of the one before; memory is kept. ERR_FORMAT, ERR_NOMEM. */
int index_read(struct index *x, struct cursor profile, struct error *err);

/* As wire_next. If no other record is between the samples, it skips all of them in one step; else
 * it returns them. Samples are most of a profile and nearly always together. */
static inline bool index_next(const struct index *x, struct cursor *profile, struct wire_field *f)
{
	if (profile->pos == x->samples)
		profile->pos = x->samples_end;
	return wire_next(profile, f);
}

#endif

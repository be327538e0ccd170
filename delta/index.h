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

struct index_strings {
	struct key *keys;
	size_t count, room;
	uint8_t *needed; /* by string: the delta refers to it */
	size_t needed_room;
};

struct index_types {
	struct key (*list)[2]; /* type and unit of each column */
	size_t count, room;
};

struct index_mappings {
	struct index_mapping *list;
	size_t count, room;
	struct ids ids;
};

/* Functions or locations. */
struct index_table {
	uint64_t *hashes; /* that identify the entries, in the order of the file */
	size_t count, room;
	struct ids ids;
	uint8_t *needed; /* by entry: the delta refers to it */
	size_t needed_room;
};

struct index_samples {
	size_t count;
	/* The bytes of all samples, if no other record is between them; else NULL. */
	const uint8_t *start, *end;
};

struct index {
	struct index_strings strings;
	struct index_types types;
	struct index_mappings mappings;
	struct index_table functions, locations;
	struct index_samples samples;
	int64_t time;
	bool has_time;
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
	if (profile->pos == x->samples.start)
		profile->pos = x->samples.end;
	return wire_next(profile, f);
}

#endif

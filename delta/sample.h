/* A sample's record, read: its key, its values. */
#ifndef DELTA_SAMPLE_H
#define DELTA_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "delta/index.h"
#include "delta/key.h"

struct error;

struct sample_reader {
	struct index *index;
	struct keyer keyer;
	int64_t *values; /* of the sample that was read last; a column each */
	size_t columns;
};

/* Reads all of a record. ERR_FORMAT: broken, a reference to what is not there, or not as
 * many values as there are columns. */
int sample_read(struct sample_reader *r, struct cursor record, struct key *key,
		struct error *err);

/* The values alone, of a record that was read before. */
void sample_values(struct sample_reader *r, struct cursor record);

/* Notes in the index which locations and strings a record (read before) refers to. */
void sample_need(struct sample_reader *r, struct cursor record);

#endif

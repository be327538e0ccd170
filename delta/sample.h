/* Reads the record of a sample: its key and its values. */
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
	int64_t *values; /* of the sample that was read last; one for each column */
	size_t columns, value_room;
};

/* Reads a whole record. ERR_FORMAT: the record is malformed, refers to something that does not
 * exist, or has more or fewer values than there are columns. */
int sample_read(struct sample_reader *r, struct cursor record, struct key *key, struct error *err);

/* Reads only the values of a record that was read before. */
void sample_values(struct sample_reader *r, struct cursor record);

/* Marks in the index what a record refers to: locations and strings. The record was read before. */
void sample_need(struct sample_reader *r, struct cursor record);

#endif

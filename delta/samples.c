/*
 * Pass 2 adds up samples, pass 3 subtracts and writes.
 *
 * Nearly every stack occurs once. Its values are not kept between the passes, because they are in
 * the file: the table of known stacks (delta/state.h) stores only the offset of the record. A stack
 * that occurs again, as in Go's heap profiles, gets a row in `sums`. Pass 2 notes each sample's
 * entry, so that pass 3 does not hash again.
 */
#include "delta/compute.h"

#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/wire/wire.h"

/* state.at is the record's offset + 1 or, for a stack that occurred again, this flag and the number
 * of its row in sums. A profile is shorter than 2 GiB. */
#define SUMMED UINT32_C(0x80000000)

/* True if a counter is lower than in the last profile. A counter that was 0 is ignored, because its
 * stack may be new, and so is a measured time. */
static bool runs_backwards(const struct delta_computer *dc, uint32_t entry, const int64_t *values)
{
	const int64_t *old = state_values(&dc->state, entry);

	for (size_t i = 0; i < dc->options.type_count; i++)
		if (old[i] && !dc->measured[i] && values[dc->columns[i]] < old[i])
			return true;
	return false;
}

/* The contents of the record at an offset. */
static struct cursor record_at(struct cursor profile, size_t offset)
{
	struct wire_field f = { 0 };

	profile.pos = profile.start + offset;
	(void)wire_next(&profile, &f);
	return wire_inside(&profile, &f);
}

static int64_t *samples_sum(const struct delta_computer *dc, size_t row)
{
	return dc->sums.values + row * dc->reader.columns;
}

static int samples_add_sum(struct delta_computer *dc, size_t *row)
{
	struct sums *s = &dc->sums;
	size_t columns = dc->reader.columns;

	*row = s->count;
	if (room_for((void **)&s->values, &s->value_room, (*row + 1) * columns,
		     sizeof(*s->values)) ||
	    room_for((void **)&s->written, &s->written_room, *row + 1, sizeof(*s->written)))
		return ERR_NOMEM;
	memcpy(samples_sum(dc, *row), dc->reader.values, columns * sizeof(*s->values));
	s->written[*row] = false;
	s->count++;
	return 0;
}

/* Adds the sample in dc->reader to an equal one that came earlier in this profile. If only one
 * came, its values are read again from its record. */
static int samples_add_up(struct delta_computer *dc, uint32_t entry, struct cursor profile,
			  struct error *err)
{
	uint32_t at = dc->state.at[entry];
	size_t row = at & ~SUMMED;
	int64_t *total;

	if (!(at & SUMMED)) {
		if (samples_add_sum(dc, &row))
			return error_nomem(err);
		sample_values(&dc->reader, record_at(profile, at - 1));
		dc->backwards -= runs_backwards(dc, entry, dc->reader.values);
		dc->state.at[entry] = SUMMED | (uint32_t)row;
	} else {
		dc->backwards -= runs_backwards(dc, entry, samples_sum(dc, row));
	}
	total = samples_sum(dc, row);
	for (size_t i = 0; i < dc->reader.columns; i++) /* wraps around, as in the reference */
		total[i] = (int64_t)((uint64_t)total[i] + (uint64_t)dc->reader.values[i]);
	dc->backwards += runs_backwards(dc, entry, total);
	return 0;
}

static int aggregate(struct delta_computer *dc, struct cursor profile, const struct wire_field *f,
		     size_t nth, struct error *err)
{
	struct key key;
	uint32_t entry;
	bool added;
	int rc = sample_read(&dc->reader, wire_inside(&profile, f), &key, err);

	if (rc)
		return rc;
	if (state_find(&dc->state, key, &entry, &added))
		return error_nomem(err);
	dc->entries[nth] = entry;
	dc->stats.added += added;
	if (dc->state.at[entry])
		return samples_add_up(dc, entry, profile, err);
	dc->state.at[entry] = (uint32_t)f->at + 1;
	dc->stats.samples++;
	dc->backwards += runs_backwards(dc, entry, dc->reader.values);
	return 0;
}

int pass2_aggregate(struct delta_computer *dc, struct cursor profile, struct error *err)
{
	struct cursor m = profile;
	struct wire_field f;
	size_t nth = 0;
	int rc = 0;

	dc->sums.count = 0;
	dc->backwards = 0;
	dc->state.next = 0;
	if (room_for((void **)&dc->entries, &dc->entry_room, dc->index.samples.count,
		     sizeof(*dc->entries)))
		return error_nomem(err);
	while (!rc && wire_next(&m, &f))
		if (f.number == PROFILE_SAMPLE)
			rc = aggregate(dc, profile, &f, nth++, err);
	return rc;
}

/* True if nothing was counted for a known stack since the last profile. */
static bool is_idle(const struct delta_computer *dc, const int64_t *old, const int64_t *values)
{
	bool known = false;

	for (size_t i = 0; i < dc->options.type_count; i++) {
		if (dc->measured[i])
			continue;
		if (values[dc->columns[i]] != old[i])
			return false;
		known |= old[i] != 0;
	}
	return known;
}

/* The error of a measured time is no part of its delta. */
static int64_t difference(const struct delta_computer *dc, size_t i, int64_t now, int64_t old,
			  bool idle)
{
	int64_t value = (int64_t)((uint64_t)now - (uint64_t)old);

	if (!dc->measured[i] || dc->options.allow_negative)
		return value;
	return idle || value < 0 ? 0 : value;
}

/* Replaces the sample's values by their delta and stores the new values as the old ones. True if
 * any column is not 0. */
static bool samples_subtract(struct delta_computer *dc, uint32_t entry, int64_t *values)
{
	int64_t *old = state_values(&dc->state, entry);
	bool idle = is_idle(dc, old, values);
	uint64_t left = 0;

	for (size_t i = 0; i < dc->options.type_count; i++) {
		int64_t *value = &values[dc->columns[i]], now = *value;

		*value = difference(dc, i, now, old[i], idle);
		dc->came[i] = (int64_t)((uint64_t)dc->came[i] + (uint64_t)*value);
		old[i] = now;
	}
	for (size_t i = 0; i < dc->reader.columns; i++)
		left |= (uint64_t)values[i];
	return left != 0;
}

static void write_values(struct output *o, const int64_t *values, size_t columns, size_t size)
{
	output_number(o, SAMPLE_VALUE << 3 | WIRE_BYTES);
	output_number(o, size);
	for (size_t i = 0; i < columns; i++)
		output_number(o, (uint64_t)values[i]);
}

/* Writes the record with `values` in place of its first values field, and without its other
 * ones. */
static void write_sample(struct delta_computer *dc, struct cursor record, const int64_t *values)
{
	size_t size = 0, rest = 0; /* of the values; of everything else */
	struct output *o = &dc->output;
	struct cursor m = record;
	struct wire_field f;
	bool written = false;

	for (size_t i = 0; i < dc->reader.columns; i++)
		size += output_number_size((uint64_t)values[i]);
	for (const uint8_t *start = m.pos; wire_next(&m, &f); start = m.pos)
		if (f.number != SAMPLE_VALUE)
			rest += (size_t)(m.pos - start);
	output_number(o, PROFILE_SAMPLE << 3 | WIRE_BYTES);
	output_number(o, rest + 1 + output_number_size(size) + size);
	for (const uint8_t *start = record.pos; wire_next(&record, &f); start = record.pos) {
		if (f.number != SAMPLE_VALUE)
			output_bytes(o, start, (size_t)(record.pos - start));
		else if (!written)
			write_values(o, values, dc->reader.columns, size);
		written |= f.number == SAMPLE_VALUE;
	}
}

static void write_delta(struct delta_computer *dc, uint32_t entry, struct cursor record)
{
	uint32_t at = dc->state.at[entry];
	int64_t *values = dc->reader.values;

	if (at & SUMMED) {
		if (dc->sums.written[at & ~SUMMED])
			return;
		dc->sums.written[at & ~SUMMED] = true;
		values = samples_sum(dc, at & ~SUMMED);
	} else {
		sample_values(&dc->reader, record);
	}
	if (!samples_subtract(dc, entry, values)) {
		dc->stats.dropped++;
		return;
	}
	dc->stats.kept++;
	sample_need(&dc->reader, record);
	write_sample(dc, record, values);
}

int pass3_write_samples(struct delta_computer *dc, struct cursor m)
{
	struct wire_field f;
	size_t nth = 0;

	if (dc->stats.reset)
		memset(dc->state.values, 0,
		       dc->state.count * dc->state.columns * sizeof(*dc->state.values));
	while (!dc->output.rc && wire_next(&m, &f))
		if (f.number == PROFILE_SAMPLE)
			write_delta(dc, dc->entries[nth++], wire_inside(&m, &f));
	return dc->output.rc;
}

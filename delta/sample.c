/* A sample is read up to three times: for its key, for its values, and, if it is kept, for what it
 * refers to. A failure within a packed field is that of the sample. */
#include "delta/sample.h"

#include "base/error.h"
#include "pprof/wire/wire.h"

/* Passes a failure inside a record on to the record's cursor. */
static void fail_at(struct cursor *m, const struct cursor *inside)
{
	m->pos = inside->pos;
	cursor_fail(m, inside->failed);
}

static void sample_add_frame(struct sample_reader *r, struct cursor *m, uint64_t id)
{
	uint32_t place = ids_find(&r->index->locations.ids, id);

	if (place)
		keyer_frame(&r->keyer, r->index->locations.hashes[place - 1]);
	else
		cursor_fail(m, "location that is not there");
}

static void sample_read_frames(struct sample_reader *r, const struct wire_field *f,
			       struct cursor *m)
{
	struct cursor ids;

	if (f->type == WIRE_VARINT)
		sample_add_frame(r, m, f->value);
	else if (f->type != WIRE_BYTES)
		cursor_fail(m, "wrong wire type");
	else {
		ids = wire_inside(m, f);
		while (cursor_left(&ids))
			sample_add_frame(r, &ids, wire_number(&ids));
		if (ids.failed)
			fail_at(m, &ids);
	}
}

static void sample_add_value(struct sample_reader *r, size_t *count, uint64_t value)
{
	if (*count < r->columns)
		r->values[*count] = (int64_t)value;
	++*count;
}

static void read_values(struct sample_reader *r, const struct wire_field *f, struct cursor *m,
			size_t *count)
{
	struct cursor values;

	if (f->type == WIRE_VARINT)
		sample_add_value(r, count, f->value);
	else if (f->type != WIRE_BYTES)
		cursor_fail(m, "wrong wire type");
	else {
		values = wire_inside(m, f);
		while (cursor_left(&values))
			sample_add_value(r, count, wire_number(&values));
		if (values.failed)
			fail_at(m, &values);
	}
}

static const struct key *label_string(const struct sample_reader *r, struct cursor *m,
				      const struct wire_field *f)
{
	if (f->type == WIRE_VARINT && f->value < r->index->strings.count)
		return &r->index->strings.keys[f->value];
	cursor_fail(m, f->type == WIRE_VARINT ? "string index out of range" : "wrong wire type");
	return &r->index->nothing;
}

static void read_label(struct sample_reader *r, struct cursor m, struct cursor *sample)
{
	const struct key *none = &r->index->nothing;
	struct {
		struct key key, str, unit;
		uint64_t num;
	} label = { *none, *none, *none, 0 };
	struct wire_field f;

	while (wire_next(&m, &f)) {
		if (f.number == LABEL_KEY)
			label.key = *label_string(r, &m, &f);
		else if (f.number == LABEL_STR)
			label.str = *label_string(r, &m, &f);
		else if (f.number == LABEL_NUM_UNIT)
			label.unit = *label_string(r, &m, &f);
		else if (f.number == LABEL_NUM && f.type == WIRE_VARINT)
			label.num = f.value;
		else if (f.number == LABEL_NUM)
			cursor_fail(&m, "wrong wire type");
	}
	if (m.failed)
		fail_at(sample, &m);
	keyer_label(&r->keyer, key_of(&label, sizeof(label)));
}

int sample_read(struct sample_reader *r, struct cursor m, struct key *key, struct error *err)
{
	struct wire_field f;
	size_t count = 0;

	keyer_begin(&r->keyer);
	while (wire_next(&m, &f)) {
		if (f.number == SAMPLE_LOCATION_ID)
			sample_read_frames(r, &f, &m);
		else if (f.number == SAMPLE_VALUE)
			read_values(r, &f, &m, &count);
		else if (f.number == SAMPLE_LABEL && f.type == WIRE_BYTES)
			read_label(r, wire_inside(&m, &f), &m);
		else if (f.number == SAMPLE_LABEL)
			cursor_fail(&m, "wrong wire type");
	}
	if (!m.failed && count != r->columns)
		cursor_fail(&m, "sample with more or fewer values than there are sample types");
	*key = keyer_end(&r->keyer);
	return cursor_error(&m, err);
}

void sample_values(struct sample_reader *r, struct cursor m)
{
	struct wire_field f;
	size_t count = 0;

	while (wire_next(&m, &f))
		if (f.number == SAMPLE_VALUE)
			read_values(r, &f, &m, &count);
}

static void need_label(struct index *x, struct cursor m)
{
	struct wire_field f;

	while (wire_next(&m, &f))
		if (f.number == LABEL_KEY || f.number == LABEL_STR || f.number == LABEL_NUM_UNIT)
			x->strings.needed[f.value] = true;
}

static void need_location(struct index *x, uint64_t id)
{
	x->locations.needed[ids_find(&x->locations.ids, id) - 1] = true;
}

void sample_need(struct sample_reader *r, struct cursor m)
{
	struct index *x = r->index;
	struct cursor inside;
	struct wire_field f;

	while (wire_next(&m, &f)) {
		if (f.number == SAMPLE_LABEL)
			need_label(x, wire_inside(&m, &f));
		if (f.number != SAMPLE_LOCATION_ID)
			continue;
		if (f.type == WIRE_VARINT)
			need_location(x, f.value);
		inside = wire_inside(&m, &f);
		while (f.type == WIRE_BYTES && cursor_left(&inside))
			need_location(x, wire_number(&inside));
	}
}

#include "delta/sample.h"

#include <string.h>

#include "base/error.h"
#include "pprof/wire.h"

static void add_frame(struct sample_reader *r, struct cursor *m, uint64_t id)
{
	uint32_t place = ids_find(&r->index->location_ids, id);

	if (place)
		keyer_frame(r->keyer, r->index->frames[place - 1]);
	else
		cursor_fail(m, "location that is not there");
}

static void read_frames(struct sample_reader *r, struct wire_field *f, struct cursor *m)
{
	if (f->type == WIRE_VARINT)
		add_frame(r, m, f->value);
	else if (f->type != WIRE_BYTES)
		cursor_fail(m, "wrong wire type");
	else
		while (cursor_left(&f->bytes))
			add_frame(r, &f->bytes, wire_number(&f->bytes));
}

static void add_value(struct sample_reader *r, size_t *count, uint64_t value)
{
	if (*count < r->columns)
		r->values[*count] = (int64_t)value;
	++*count;
}

static void read_values(struct sample_reader *r, struct wire_field *f, struct cursor *m,
			size_t *count)
{
	if (f->type == WIRE_VARINT)
		add_value(r, count, f->value);
	else if (f->type != WIRE_BYTES)
		cursor_fail(m, "wrong wire type");
	else
		while (cursor_left(&f->bytes))
			add_value(r, count, wire_number(&f->bytes));
}

static const struct key *label_string(const struct sample_reader *r, struct cursor *m,
				      const struct wire_field *f)
{
	if (f->type == WIRE_VARINT && f->value < r->index->string_count)
		return &r->index->strings[f->value];
	cursor_fail(m, f->type == WIRE_VARINT ? "string index out of range" : "wrong wire type");
	return &r->index->nothing;
}

static void read_label(struct sample_reader *r, struct wire_field *f, struct cursor *m)
{
	const struct key *none = &r->index->nothing;
	struct { struct key key, str, unit; uint64_t num; } label = { *none, *none, *none, 0 };
	struct wire_field part;

	if (f->type != WIRE_BYTES) {
		cursor_fail(m, "wrong wire type");
		return;
	}
	while (wire_next(&f->bytes, &part)) {
		if (part.number == LABEL_KEY)
			label.key = *label_string(r, &f->bytes, &part);
		else if (part.number == LABEL_STR)
			label.str = *label_string(r, &f->bytes, &part);
		else if (part.number == LABEL_NUM_UNIT)
			label.unit = *label_string(r, &f->bytes, &part);
		else if (part.number == LABEL_NUM && part.type == WIRE_VARINT)
			label.num = part.value;
		else if (part.number == LABEL_NUM)
			cursor_fail(&f->bytes, "wrong wire type");
	}
	keyer_label(r->keyer, key_of(&label, sizeof(label)));
}

int sample_read(struct sample_reader *r, struct cursor m, struct key *key, struct error *err)
{
	struct wire_field f;
	size_t count = 0;
	int rc = 0;

	keyer_begin(r->keyer);
	while (!rc && wire_next(&m, &f)) {
		switch (f.number) {
		case SAMPLE_LOCATION_ID:
			read_frames(r, &f, &m);
			break;
		case SAMPLE_VALUE:
			read_values(r, &f, &m, &count);
			break;
		case SAMPLE_LABEL:
			read_label(r, &f, &m);
			break;
		default:
			continue;
		}
		if (f.type == WIRE_BYTES)
			rc = cursor_error(&f.bytes, err);
	}
	if (!rc && !m.failed && count != r->columns)
		cursor_fail(&m, "sample with more or fewer values than there are sample types");
	*key = keyer_end(r->keyer);
	return rc ? rc : cursor_error(&m, err);
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
			x->need_string[f.value] = true;
}

void sample_need(struct sample_reader *r, struct cursor m)
{
	struct index *x = r->index;
	struct wire_field f;

	while (wire_next(&m, &f)) {
		if (f.number == SAMPLE_LABEL)
			need_label(x, f.bytes);
		else if (f.number == SAMPLE_LOCATION_ID && f.type == WIRE_VARINT)
			x->need_location[ids_find(&x->location_ids, f.value) - 1] = true;
		else if (f.number == SAMPLE_LOCATION_ID)
			while (cursor_left(&f.bytes)) {
				uint64_t id = wire_number(&f.bytes);

				x->need_location[ids_find(&x->location_ids, id) - 1] = true;
			}
	}
}

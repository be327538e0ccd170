/*
 * Messages within messages carry their length in front, which is known only
 * when they are written. So each is written behind a gap of one byte, and moved
 * in the rare case that its length takes more: nearly all are under 128 bytes.
 *
 * Zero is a field's default and is left out, except in packed arrays.
 */
#include "pprof/encode.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/outfile.h"
#include "pprof/fields.h"
#include "pprof/gzip.h"
#include "pprof/profile.h"

struct encoder {
	struct buffer *out;
	bool nomem;
};

enum { VARINT_MAX = 10 };

static void put_varint(struct encoder *e, uint64_t v)
{
	struct buffer *out = e->out;

	if (out->room - out->len < VARINT_MAX && buffer_reserve(out, VARINT_MAX)) {
		e->nomem = true;
		return;
	}
	for (; v >= 0x80; v >>= 7)
		out->data[out->len++] = (uint8_t)(v | 0x80);
	out->data[out->len++] = (uint8_t)v;
}

static void put_tag(struct encoder *e, unsigned field, enum wire_type type)
{
	put_varint(e, (uint64_t)field << 3 | type);
}

static void put_number(struct encoder *e, unsigned field, uint64_t v)
{
	if (!v)
		return;
	put_tag(e, field, WIRE_VARINT);
	put_varint(e, v);
}

static void put_bytes(struct encoder *e, unsigned field, const void *data, size_t len)
{
	put_tag(e, field, WIRE_BYTES);
	put_varint(e, len);
	e->nomem |= buffer_add(e->out, data, len) != 0;
}

/* Opens a message or packed array; returns where its contents begin. */
static size_t begin(struct encoder *e, unsigned field)
{
	put_tag(e, field, WIRE_BYTES);
	e->nomem |= buffer_add(e->out, "", 1) != 0;
	return e->out->len;
}

static void end(struct encoder *e, size_t start)
{
	size_t len = e->out->len - start, more = 0;

	if (e->nomem)
		return;
	for (size_t n = len; n >= 0x80; n >>= 7)
		more++;
	if (more) {
		if (buffer_reserve(e->out, more)) {
			e->nomem = true;
			return;
		}
		memmove(e->out->data + start + more, e->out->data + start, len);
	}
	e->out->len = start - 1;
	put_varint(e, len);
	e->out->len = start + more + len;
}

static void put_type(struct encoder *e, unsigned field, const struct profile_type *t)
{
	size_t start = begin(e, field);

	put_number(e, VALUE_TYPE_TYPE, t->type);
	put_number(e, VALUE_TYPE_UNIT, t->unit);
	end(e, start);
}

static void put_label(struct encoder *e, const struct profile_label *l)
{
	size_t start = begin(e, SAMPLE_LABEL);

	put_number(e, LABEL_KEY, l->key);
	put_number(e, LABEL_STR, l->str);
	put_number(e, LABEL_NUM, (uint64_t)l->num);
	put_number(e, LABEL_NUM_UNIT, l->num_unit);
	end(e, start);
}

static void put_sample(struct encoder *e, const struct profile *p, const struct profile_sample *s)
{
	size_t start = begin(e, PROFILE_SAMPLE), array;

	if (s->locations) {
		array = begin(e, SAMPLE_LOCATION_ID);
		for (size_t i = 0; i < s->locations; i++)
			put_varint(e, p->stack[s->first_location + i]);
		end(e, array);
	}
	if (p->type_count) {
		array = begin(e, SAMPLE_VALUE);
		for (size_t i = 0; i < p->type_count; i++)
			put_varint(e, (uint64_t)p->values[s->first_value + i]);
		end(e, array);
	}
	for (size_t i = 0; i < s->labels; i++)
		put_label(e, &p->labels[s->first_label + i]);
	end(e, start);
}

static void put_mapping(struct encoder *e, const struct profile_mapping *m, uint64_t id)
{
	size_t start = begin(e, PROFILE_MAPPING);

	put_number(e, MAPPING_ID, id);
	put_number(e, MAPPING_START, m->start);
	put_number(e, MAPPING_LIMIT, m->limit);
	put_number(e, MAPPING_OFFSET, m->offset);
	put_number(e, MAPPING_FILENAME, m->filename);
	put_number(e, MAPPING_BUILD_ID, m->build_id);
	put_number(e, MAPPING_HAS_FUNCTIONS, m->has_functions);
	put_number(e, MAPPING_HAS_FILENAMES, m->has_filenames);
	put_number(e, MAPPING_HAS_LINE_NUMBERS, m->has_line_numbers);
	put_number(e, MAPPING_HAS_INLINE_FRAMES, m->has_inline_frames);
	end(e, start);
}

static void put_line(struct encoder *e, const struct profile_line *l)
{
	size_t start = begin(e, LOCATION_LINE);

	put_number(e, LINE_FUNCTION_ID, l->function);
	put_number(e, LINE_LINE, (uint64_t)l->line);
	put_number(e, LINE_COLUMN, (uint64_t)l->column);
	end(e, start);
}

static void put_location(struct encoder *e, const struct profile *p,
			 const struct profile_location *l, uint64_t id)
{
	size_t start = begin(e, PROFILE_LOCATION);

	put_number(e, LOCATION_ID, id);
	put_number(e, LOCATION_MAPPING_ID, l->mapping);
	put_number(e, LOCATION_ADDRESS, l->address);
	for (size_t i = 0; i < l->lines; i++)
		put_line(e, &p->lines[l->first_line + i]);
	put_number(e, LOCATION_IS_FOLDED, l->is_folded);
	end(e, start);
}

static void put_function(struct encoder *e, const struct profile_function *f, uint64_t id)
{
	size_t start = begin(e, PROFILE_FUNCTION);

	put_number(e, FUNCTION_ID, id);
	put_number(e, FUNCTION_NAME, f->name);
	put_number(e, FUNCTION_SYSTEM_NAME, f->system_name);
	put_number(e, FUNCTION_FILENAME, f->filename);
	put_number(e, FUNCTION_START_LINE, (uint64_t)f->start_line);
	end(e, start);
}

static void put_tables(struct encoder *e, const struct profile *p)
{
	for (size_t i = 0; i < p->type_count; i++)
		put_type(e, PROFILE_SAMPLE_TYPE, &p->types[i]);
	for (size_t i = 0; i < p->sample_count; i++)
		put_sample(e, p, &p->samples[i]);
	for (size_t i = 0; i < p->mapping_count; i++)
		put_mapping(e, &p->mappings[i], i + 1);
	for (size_t i = 0; i < p->location_count; i++)
		put_location(e, p, &p->locations[i], i + 1);
	for (size_t i = 0; i < p->function_count; i++)
		put_function(e, &p->functions[i], i + 1);
	for (uint32_t i = 0; i < p->strings.count; i++)
		put_bytes(e, PROFILE_STRING_TABLE, p->strings.entries[i].text,
			  p->strings.entries[i].len);
}

static void put_header(struct encoder *e, const struct profile *p)
{
	size_t array;

	put_number(e, PROFILE_DROP_FRAMES, p->drop_frames);
	put_number(e, PROFILE_KEEP_FRAMES, p->keep_frames);
	put_number(e, PROFILE_TIME_NANOS, (uint64_t)p->time_nanos);
	put_number(e, PROFILE_DURATION_NANOS, (uint64_t)p->duration_nanos);
	if (p->period_type.type || p->period_type.unit)
		put_type(e, PROFILE_PERIOD_TYPE, &p->period_type);
	put_number(e, PROFILE_PERIOD, (uint64_t)p->period);
	if (p->comment_count) {
		array = begin(e, PROFILE_COMMENT);
		for (size_t i = 0; i < p->comment_count; i++)
			put_varint(e, p->comments[i]);
		end(e, array);
	}
	put_number(e, PROFILE_DEFAULT_SAMPLE_TYPE, p->default_type);
	put_number(e, PROFILE_DOC_URL, p->doc_url);
}

int profile_encode(const struct profile *p, struct buffer *out, struct error *err)
{
	struct encoder e = { .out = out };

	put_tables(&e, p);
	put_header(&e, p);
	return e.nomem ? error_set(err, ERR_NOMEM, "out of memory") : 0;
}

static int write_out(void *ctx, const void *data, size_t len, struct error *err)
{
	return outfile_write(ctx, data, len, err);
}

int profile_write(const struct profile *p, struct outfile *file, struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = profile_encode(p, &bytes, err);

	if (!rc)
		rc = gzip_compress(bytes.data, bytes.len, write_out, file, err);
	buffer_release(&bytes);
	return rc;
}

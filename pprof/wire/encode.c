/*
 * A nested message is preceded by its length, which is known only when the message
 * is written. So each message is written behind a gap of one byte, and is moved if its
 * length takes more than one byte. This is rare: nearly all messages are under 128 bytes.
 * Computing lengths in advance and writing everything back to front were rejected: both
 * take longer, since few bytes are moved, and each at most twice (a packed array, then its
 * sample).
 *
 * make_room is called once for each entry of a table, with the most bytes that the entry
 * can take; within that room bytes are written without checks.
 *
 * Zero is a field's default and is left out, except in packed arrays.
 */
#include "pprof/wire/encode.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/profile.h"
#include "pprof/wire/fields.h"
#include "pprof/wire/gzip.h"
#include "pprof/wire/writer.h"

struct encode_encoder {
	struct buffer *out;
	uint8_t *to;	 /* where the next byte goes, within the room that was made */
	gzip_sink *sink; /* NULL: everything stays in `out` */
	void *ctx;
	int rc; /* the first error; nothing is written after it */
	struct error *err;
};

/* A number of up to 10 bytes and a tag of one: no field number is above 15. */
enum {
	VARINT_MAX = 10,
	FIELD_MAX = VARINT_MAX + 1,
	PIECE = 256 << 10, /* bytes that a sink gets at a time; more when an entry is larger */
};

/* The most bytes that a message of so many numbers takes, with its own tag and length. */
static size_t message_max(size_t numbers)
{
	return FIELD_MAX * (numbers + 1);
}

static void hand_over(struct encode_encoder *e)
{
	size_t len = e->out->len;

	e->out->len = 0;
	e->rc = e->sink(e->ctx, e->out->data, len, e->err);
}

/* Makes room for an entry of a table behind what is there. False after an error. */
static bool encode_make_room(struct encode_encoder *e, size_t bytes)
{
	struct buffer *out = e->out;

	if (e->to)
		out->len = (size_t)(e->to - out->data);
	if (!e->rc && e->sink && out->len >= PIECE)
		hand_over(e);
	if (!e->rc && buffer_reserve(out, bytes))
		e->rc = error_nomem(e->err);
	e->to = out->data + out->len;
	return !e->rc;
}

static inline void encode_put_tag(struct encode_encoder *e, unsigned field, enum wire_type type)
{
	*e->to++ = (uint8_t)(field << 3 | type);
}

static inline void encode_put_number(struct encode_encoder *e, unsigned field, uint64_t v)
{
	if (!v)
		return;
	encode_put_tag(e, field, WIRE_VARINT);
	e->to = writer_varint(e->to, v);
}

/* Begins a message or packed array; returns where its contents begin. */
static inline uint8_t *encode_begin(struct encode_encoder *e, unsigned field)
{
	encode_put_tag(e, field, WIRE_BYTES);
	return ++e->to;
}

static inline void encode_end(struct encode_encoder *e, uint8_t *start)
{
	size_t len = (size_t)(e->to - start), more = 0;

	if (len < 0x80) {
		start[-1] = (uint8_t)len;
		return;
	}
	for (size_t n = len; n >= 0x80; n >>= 7)
		more++;
	memmove(start + more, start, len);
	writer_varint(start - 1, len);
	e->to += more;
}

/* The same for an entry of a table, with room for `most` bytes. NULL after an error. */
static uint8_t *encode_begin_entry(struct encode_encoder *e, unsigned field, size_t most)
{
	return encode_make_room(e, most) ? encode_begin(e, field) : NULL;
}

static void encode_put_type(struct encode_encoder *e, unsigned field, const struct profile_type *t)
{
	uint8_t *start = encode_begin(e, field);

	encode_put_number(e, VALUE_TYPE_TYPE, t->type);
	encode_put_number(e, VALUE_TYPE_UNIT, t->unit);
	encode_end(e, start);
}

static void encode_put_label(struct encode_encoder *e, const struct profile_label *l)
{
	uint8_t *start = encode_begin(e, SAMPLE_LABEL);

	encode_put_number(e, LABEL_KEY, l->key);
	encode_put_number(e, LABEL_STR, l->str);
	encode_put_number(e, LABEL_NUM, (uint64_t)l->num);
	encode_put_number(e, LABEL_NUM_UNIT, l->num_unit);
	encode_end(e, start);
}

/* Writes four bytes at once and keeps as many as the id needs: branches on the length are
 * often mispredicted, because the lengths of ids in a stack vary. */
static uint8_t *encode_put_ids(uint8_t *to, const uint32_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t v = ids[i];

		if (v < 0x80) {
			*to++ = (uint8_t)v;
		} else if (v < 0x10000000) {
			unsigned more = (v >= 0x4000) + (v >= 0x200000);
			uint32_t word = (v & 0x7f) | (v & 0x3f80) << 1 | (v & 0x1fc000) << 2 |
					(v & 0xfe00000) << 3;

			word |= 0x808080u >> (16 - 8 * more);
			memcpy(to, &word, sizeof(word));
			to += 2 + more;
		} else {
			to = writer_varint(to, v);
		}
	}
	return to;
}

static void encode_put_sample(struct encode_encoder *e, const struct profile *p,
			      const struct profile_sample *s)
{
	size_t most = message_max(s->locations + p->type_count + 2) + s->labels * message_max(4);
	uint8_t *start = encode_begin_entry(e, PROFILE_SAMPLE, most), *array;

	if (!start)
		return;
	if (s->locations) {
		array = encode_begin(e, SAMPLE_LOCATION_ID);
		e->to = encode_put_ids(e->to, p->stack + s->first_location, s->locations);
		encode_end(e, array);
	}
	if (p->type_count) {
		array = encode_begin(e, SAMPLE_VALUE);
		for (size_t i = 0; i < p->type_count; i++)
			e->to = writer_varint(e->to, (uint64_t)p->values[s->first_value + i]);
		encode_end(e, array);
	}
	for (size_t i = 0; i < s->labels; i++)
		encode_put_label(e, &p->labels[s->first_label + i]);
	encode_end(e, start);
}

static void encode_put_mapping(struct encode_encoder *e, const struct profile_mapping *m,
			       uint64_t id)
{
	uint8_t *start = encode_begin_entry(e, PROFILE_MAPPING, message_max(10));

	if (!start)
		return;
	encode_put_number(e, MAPPING_ID, id);
	encode_put_number(e, MAPPING_START, m->start);
	encode_put_number(e, MAPPING_LIMIT, m->limit);
	encode_put_number(e, MAPPING_OFFSET, m->offset);
	encode_put_number(e, MAPPING_FILENAME, m->filename);
	encode_put_number(e, MAPPING_BUILD_ID, m->build_id);
	encode_put_number(e, MAPPING_HAS_FUNCTIONS, m->has_functions);
	encode_put_number(e, MAPPING_HAS_FILENAMES, m->has_filenames);
	encode_put_number(e, MAPPING_HAS_LINE_NUMBERS, m->has_line_numbers);
	encode_put_number(e, MAPPING_HAS_INLINE_FRAMES, m->has_inline_frames);
	encode_end(e, start);
}

static void encode_put_line(struct encode_encoder *e, const struct profile_line *l)
{
	uint8_t *start = encode_begin(e, LOCATION_LINE);

	encode_put_number(e, LINE_FUNCTION_ID, l->function);
	encode_put_number(e, LINE_LINE, (uint64_t)l->line);
	encode_put_number(e, LINE_COLUMN, (uint64_t)l->column);
	encode_end(e, start);
}

static void encode_put_location(struct encode_encoder *e, const struct profile *p,
				const struct profile_location *l, uint64_t id)
{
	size_t most = message_max(4) + l->lines * message_max(3);
	uint8_t *start = encode_begin_entry(e, PROFILE_LOCATION, most);

	if (!start)
		return;
	encode_put_number(e, LOCATION_ID, id);
	encode_put_number(e, LOCATION_MAPPING_ID, l->mapping);
	encode_put_number(e, LOCATION_ADDRESS, l->address);
	for (size_t i = 0; i < l->lines; i++)
		encode_put_line(e, &p->lines[l->first_line + i]);
	encode_put_number(e, LOCATION_IS_FOLDED, l->is_folded);
	encode_end(e, start);
}

static void put_function(struct encode_encoder *e, const struct profile_function *f, uint64_t id)
{
	uint8_t *start = encode_begin_entry(e, PROFILE_FUNCTION, message_max(5));

	if (!start)
		return;
	encode_put_number(e, FUNCTION_ID, id);
	encode_put_number(e, FUNCTION_NAME, f->name);
	encode_put_number(e, FUNCTION_SYSTEM_NAME, f->system_name);
	encode_put_number(e, FUNCTION_FILENAME, f->filename);
	encode_put_number(e, FUNCTION_START_LINE, (uint64_t)f->start_line);
	encode_end(e, start);
}

static void encode_put_string(struct encode_encoder *e, const struct strset_entry *s)
{
	if (!encode_make_room(e, FIELD_MAX + s->len))
		return;
	encode_put_tag(e, PROFILE_STRING_TABLE, WIRE_BYTES);
	e->to = writer_varint(e->to, s->len);
	memcpy(e->to, s->text, s->len);
	e->to += s->len;
}

static void put_tables(struct encode_encoder *e, const struct profile *p)
{
	if (encode_make_room(e, (p->type_count + 1) * message_max(2)))
		for (size_t i = 0; i < p->type_count; i++)
			encode_put_type(e, PROFILE_SAMPLE_TYPE, &p->types[i]);
	for (size_t i = 0; !e->rc && i < p->sample_count; i++)
		encode_put_sample(e, p, &p->samples[i]);
	for (size_t i = 0; !e->rc && i < p->mapping_count; i++)
		encode_put_mapping(e, &p->mappings[i], i + 1);
	for (size_t i = 0; !e->rc && i < p->location_count; i++)
		encode_put_location(e, p, &p->locations[i], i + 1);
	for (size_t i = 0; !e->rc && i < p->function_count; i++)
		put_function(e, &p->functions[i], i + 1);
	for (uint32_t i = 0; !e->rc && i < p->strings.count; i++)
		encode_put_string(e, &p->strings.entries[i]);
}

static void encode_put_header(struct encode_encoder *e, const struct profile *p)
{
	uint8_t *array;

	if (!encode_make_room(e, message_max(7 + p->comment_count) + message_max(2)))
		return;
	encode_put_number(e, PROFILE_DROP_FRAMES, p->drop_frames);
	encode_put_number(e, PROFILE_KEEP_FRAMES, p->keep_frames);
	encode_put_number(e, PROFILE_TIME_NANOS, (uint64_t)p->time_nanos);
	encode_put_number(e, PROFILE_DURATION_NANOS, (uint64_t)p->duration_nanos);
	if (p->period_type.type || p->period_type.unit)
		encode_put_type(e, PROFILE_PERIOD_TYPE, &p->period_type);
	encode_put_number(e, PROFILE_PERIOD, (uint64_t)p->period);
	if (p->comment_count) {
		array = encode_begin(e, PROFILE_COMMENT);
		e->to = encode_put_ids(e->to, p->comments, p->comment_count);
		encode_end(e, array);
	}
	encode_put_number(e, PROFILE_DEFAULT_SAMPLE_TYPE, p->default_type);
	encode_put_number(e, PROFILE_DOC_URL, p->doc_url);
}

static int encode_put_profile(struct encode_encoder *e, const struct profile *p)
{
	put_tables(e, p);
	encode_put_header(e, p);
	if (!e->rc)
		e->out->len = (size_t)(e->to - e->out->data);
	return e->rc;
}

int profile_encode(const struct profile *p, struct buffer *out, struct error *err)
{
	struct encode_encoder e = { .out = out, .err = err };

	return encode_put_profile(&e, p);
}

static int encode_to_buffer(void *out, const void *data, size_t len, struct error *err)
{
	return buffer_add(out, data, len) ? error_nomem(err) : 0;
}

static int compress_to(const struct profile *p, gzip_sink *sink, void *ctx, struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = profile_encode(p, &bytes, err);

	if (!rc)
		rc = gzip_compress(bytes.data, bytes.len, sink, ctx, err);
	buffer_release(&bytes);
	return rc;
}

int profile_pack(const struct profile *p, struct buffer *out, struct error *err)
{
	return compress_to(p, encode_to_buffer, out, err);
}

static int encode_write_out(void *ctx, const void *data, size_t len, struct error *err)
{
	return outfile_write(ctx, data, len, err);
}

int profile_write(const struct profile *p, struct outfile *file, struct error *err)
{
	return compress_to(p, encode_write_out, file, err);
}

int profile_write_plain(const struct profile *p, struct outfile *file, struct error *err)
{
	struct buffer piece = { 0 };
	struct encode_encoder e = {
		.out = &piece, .sink = encode_write_out, .ctx = file, .err = err
	};

	if (!encode_put_profile(&e, p))
		hand_over(&e);
	buffer_release(&piece);
	return e.rc;
}

/*
 * Passes:
 *   1. strings: the table may stand anywhere and everything refers to it, so it
 *      is read first; its indices become numbers of the profile's string set
 *   2. tables: sample types, mappings, functions, locations, each with the id
 *      that the file gives it, which may be any 64-bit number
 *   3. references and samples: ids become dense numbers; what points nowhere is
 *      an error
 *
 * What a file can make us allocate is bounded by its own length: every element
 * kept takes at least two bytes of it.
 */
#include "pprof/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/gzip.h"
#include "pprof/profile.h"
#include "pprof/wire.h"

enum { MAX_SIZE = 1 << 30, VALUES_MAX = 1 << 16 };

/* Ids of a table as the file has them, and the numbers they get here. */
struct ids {
	struct hashindex index;
	struct id_pair {
		uint64_t id;
		uint32_t number;
	} *pairs;
	size_t count, room;
};

struct decoder {
	struct profile *p;
	struct cursor file;
	uint32_t *strings; /* file's index -> number in the string set */
	size_t string_count, string_room;
	struct ids mappings, functions, locations;
	struct profile_line *lines; /* of the location at hand */
	size_t line_room;
	uint32_t *stack; /* of the sample at hand */
	size_t stack_room;
	int64_t *values;
	size_t value_room;
	struct profile_label *labels;
	size_t label_room;
	bool nomem;
};

static void *grown(struct decoder *d, void *array, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? *room * 2 : 32;
	void *p;

	if (count < *room)
		return array;
	p = realloc(array, more * size);
	if (!p) {
		d->nomem = true;
		cursor_fail(&d->file, "out of memory");
		return array;
	}
	*room = more;
	return p;
}

/* A part's failure is the file's, at the same place. */
static bool sound(struct decoder *d, const struct cursor *part)
{
	if (part->failed && !d->file.failed) {
		d->file.pos = part->start + part->failed_at;
		cursor_fail(&d->file, part->failed);
	}
	return !d->file.failed;
}

static void fail_at(struct decoder *d, const struct cursor *part, const char *why)
{
	struct cursor at = *part;

	cursor_fail(&at, why);
	sound(d, &at);
}

/* Pass 1. */

static void add_string(struct decoder *d, const struct cursor *bytes)
{
	size_t len = cursor_left(bytes);
	uint32_t number;

	if (d->string_count == 0 && len)
		fail_at(d, bytes, "string table does not begin with the empty string");
	d->strings = grown(d, d->strings, &d->string_room, d->string_count, sizeof(*d->strings));
	if (d->file.failed)
		return;
	if (strset_add(&d->p->strings, (const char *)bytes->pos, len, &number)) {
		d->nomem = true;
		cursor_fail(&d->file, "out of memory");
		return;
	}
	d->strings[d->string_count++] = number;
}

static void read_strings(struct decoder *d)
{
	struct cursor m = d->file;
	struct wire_field f;

	while (!d->file.failed && wire_next(&m, &f))
		if (f.number == PROFILE_STRING_TABLE && f.type == WIRE_BYTES)
			add_string(d, &f.bytes);
	if (sound(d, &m) && !d->string_count)
		fail_at(d, &m, "no string table");
}

static uint32_t string(struct decoder *d, const struct cursor *at, const struct wire_field *f)
{
	if (f->type != WIRE_VARINT || f->value >= d->string_count) {
		fail_at(d, at, "string index out of range");
		return 0;
	}
	return d->strings[f->value];
}

/* Pass 2. */

static bool has_id(const void *owner, uint32_t i, const void *key)
{
	return ((const struct ids *)owner)->pairs[i].id == *(const uint64_t *)key;
}

static void add_id(struct decoder *d, struct ids *ids, const struct cursor *at, uint64_t id,
		   uint32_t number)
{
	uint64_t hash = hash_bytes(&id, sizeof(id));

	if (!id)
		fail_at(d, at, "id is 0");
	else if (hashindex_find(&ids->index, hash, has_id, ids, &id) != HASHINDEX_NONE)
		fail_at(d, at, "id is there twice");
	ids->pairs = grown(d, ids->pairs, &ids->room, ids->count, sizeof(*ids->pairs));
	if (d->file.failed)
		return;
	ids->pairs[ids->count] = (struct id_pair){ id, number };
	if (hashindex_add(&ids->index, hash, (uint32_t)ids->count++)) {
		d->nomem = true;
		cursor_fail(&d->file, "out of memory");
	}
}

static uint32_t find_id(struct decoder *d, const struct ids *ids, const struct cursor *at,
			uint64_t id, const char *why)
{
	uint32_t i = hashindex_find(&ids->index, hash_bytes(&id, sizeof(id)), has_id, ids, &id);

	if (i == HASHINDEX_NONE) {
		fail_at(d, at, why);
		return 0;
	}
	return ids->pairs[i].number;
}

static void check(struct decoder *d, int rc)
{
	if (rc) {
		d->nomem = true;
		cursor_fail(&d->file, "out of memory");
	}
}

static struct profile_type read_type(struct decoder *d, struct cursor m)
{
	struct profile_type t = { 0, 0 };
	struct wire_field f;

	while (wire_next(&m, &f)) {
		if (f.number == VALUE_TYPE_TYPE)
			t.type = string(d, &m, &f);
		else if (f.number == VALUE_TYPE_UNIT)
			t.unit = string(d, &m, &f);
	}
	sound(d, &m);
	return t;
}

static void read_mapping(struct decoder *d, struct cursor m)
{
	struct profile_mapping map = { 0 };
	struct wire_field f;
	uint64_t id = 0;
	uint32_t number;

	while (wire_next(&m, &f)) {
		switch (f.number) {
		case MAPPING_ID: id = f.value; break;
		case MAPPING_START: map.start = f.value; break;
		case MAPPING_LIMIT: map.limit = f.value; break;
		case MAPPING_OFFSET: map.offset = f.value; break;
		case MAPPING_FILENAME: map.filename = string(d, &m, &f); break;
		case MAPPING_BUILD_ID: map.build_id = string(d, &m, &f); break;
		case MAPPING_HAS_FUNCTIONS: map.has_functions = f.value; break;
		case MAPPING_HAS_FILENAMES: map.has_filenames = f.value; break;
		case MAPPING_HAS_LINE_NUMBERS: map.has_line_numbers = f.value; break;
		case MAPPING_HAS_INLINE_FRAMES: map.has_inline_frames = f.value; break;
		}
	}
	if (!sound(d, &m))
		return;
	check(d, profile_add_mapping(d->p, &map, &number));
	add_id(d, &d->mappings, &m, id, number);
}

static void read_function(struct decoder *d, struct cursor m)
{
	struct profile_function fn = { 0 };
	struct wire_field f;
	uint64_t id = 0;
	uint32_t number;

	while (wire_next(&m, &f)) {
		switch (f.number) {
		case FUNCTION_ID: id = f.value; break;
		case FUNCTION_NAME: fn.name = string(d, &m, &f); break;
		case FUNCTION_SYSTEM_NAME: fn.system_name = string(d, &m, &f); break;
		case FUNCTION_FILENAME: fn.filename = string(d, &m, &f); break;
		case FUNCTION_START_LINE: fn.start_line = (int64_t)f.value; break;
		}
	}
	if (!sound(d, &m))
		return;
	check(d, profile_add_function(d->p, &fn, &number));
	add_id(d, &d->functions, &m, id, number);
}

/* Pass 3. */

static void read_line(struct decoder *d, struct cursor m, struct profile_line *line)
{
	struct wire_field f;

	*line = (struct profile_line){ 0 };
	while (wire_next(&m, &f)) {
		if (f.number == LINE_FUNCTION_ID && f.value)
			line->function = find_id(d, &d->functions, &m, f.value,
						 "line names a function that is not there");
		else if (f.number == LINE_LINE)
			line->line = (int64_t)f.value;
		else if (f.number == LINE_COLUMN)
			line->column = (int64_t)f.value;
	}
	sound(d, &m);
}

static void read_location(struct decoder *d, struct cursor m)
{
	struct profile_location loc = { 0 };
	struct wire_field f;
	size_t lines = 0;
	uint64_t id = 0;
	uint32_t number = 0;

	while (!d->file.failed && wire_next(&m, &f)) {
		if (f.number == LOCATION_ID) {
			id = f.value;
		} else if (f.number == LOCATION_MAPPING_ID && f.value) {
			loc.mapping = find_id(d, &d->mappings, &m, f.value,
					      "location names a mapping that is not there");
		} else if (f.number == LOCATION_ADDRESS) {
			loc.address = f.value;
		} else if (f.number == LOCATION_IS_FOLDED) {
			loc.is_folded = f.value;
		} else if (f.number == LOCATION_LINE && f.type == WIRE_BYTES) {
			d->lines = grown(d, d->lines, &d->line_room, lines, sizeof(*d->lines));
			if (!d->file.failed)
				read_line(d, f.bytes, &d->lines[lines++]);
		}
	}
	if (!sound(d, &m))
		return;
	check(d, profile_add_location(d->p, &loc, d->lines, lines, &number));
	add_id(d, &d->locations, &m, id, number);
}

static void read_label(struct decoder *d, struct cursor m, struct profile_label *label)
{
	struct wire_field f;

	*label = (struct profile_label){ 0 };
	while (wire_next(&m, &f)) {
		switch (f.number) {
		case LABEL_KEY: label->key = string(d, &m, &f); break;
		case LABEL_STR: label->str = string(d, &m, &f); break;
		case LABEL_NUM: label->num = (int64_t)f.value; break;
		case LABEL_NUM_UNIT: label->num_unit = string(d, &m, &f); break;
		}
	}
	sound(d, &m);
}

static size_t read_stack(struct decoder *d, struct cursor *m, struct wire_field *f, size_t count)
{
	uint64_t id;

	for (bool first = true; !d->file.failed && wire_number(m, f, first, &id); first = false) {
		d->stack = grown(d, d->stack, &d->stack_room, count, sizeof(*d->stack));
		if (!d->file.failed)
			d->stack[count++] = find_id(d, &d->locations, m, id,
						    "sample names a location that is not there");
	}
	return count;
}

static size_t read_values(struct decoder *d, struct cursor *m, struct wire_field *f, size_t count)
{
	uint64_t value;

	for (bool first = true; !d->file.failed && wire_number(m, f, first, &value); first = false) {
		d->values = grown(d, d->values, &d->value_room, count, sizeof(*d->values));
		if (!d->file.failed)
			d->values[count++] = (int64_t)value;
	}
	return count;
}

static void read_sample(struct decoder *d, struct cursor m)
{
	size_t locations = 0, values = 0, labels = 0;
	struct wire_field f;

	while (!d->file.failed && wire_next(&m, &f)) {
		if (f.number == SAMPLE_LOCATION_ID) {
			locations = read_stack(d, &m, &f, locations);
		} else if (f.number == SAMPLE_VALUE) {
			values = read_values(d, &m, &f, values);
		} else if (f.number == SAMPLE_LABEL && f.type == WIRE_BYTES) {
			d->labels = grown(d, d->labels, &d->label_room, labels, sizeof(*d->labels));
			if (!d->file.failed)
				read_label(d, f.bytes, &d->labels[labels++]);
		}
	}
	if (sound(d, &m) && values != d->p->type_count)
		fail_at(d, &m, "sample has another number of values than there are sample types");
	if (!d->file.failed)
		check(d, profile_add_sample(d->p, d->stack, locations, d->values, d->labels, labels));
}

static void read_comments(struct decoder *d, struct cursor *m, struct wire_field *f)
{
	uint64_t index;

	for (bool first = true; !d->file.failed && wire_number(m, f, first, &index); first = false) {
		if (index >= d->string_count)
			fail_at(d, m, "string index out of range");
		else
			check(d, profile_add_comment(d->p, strset_get(&d->p->strings,
								      d->strings[index])));
	}
}

static void read_scalar(struct decoder *d, struct cursor *m, struct wire_field *f)
{
	struct profile *p = d->p;

	switch (f->number) {
	case PROFILE_DROP_FRAMES: p->drop_frames = string(d, m, f); break;
	case PROFILE_KEEP_FRAMES: p->keep_frames = string(d, m, f); break;
	case PROFILE_TIME_NANOS: p->time_nanos = (int64_t)f->value; break;
	case PROFILE_DURATION_NANOS: p->duration_nanos = (int64_t)f->value; break;
	case PROFILE_PERIOD: p->period = (int64_t)f->value; break;
	case PROFILE_COMMENT: read_comments(d, m, f); break;
	case PROFILE_DEFAULT_SAMPLE_TYPE: p->default_type = string(d, m, f); break;
	case PROFILE_DOC_URL: p->doc_url = string(d, m, f); break;
	}
}

static void read_table(struct decoder *d, const struct wire_field *f)
{
	struct profile_type type;

	switch (f->number) {
	case PROFILE_SAMPLE_TYPE:
		type = read_type(d, f->bytes);
		if (d->p->type_count >= VALUES_MAX)
			fail_at(d, &f->bytes, "too many sample types");
		else
			check(d, profile_add_type(d->p, strset_get(&d->p->strings, type.type),
						  strset_get(&d->p->strings, type.unit)));
		break;
	case PROFILE_PERIOD_TYPE:
		d->p->period_type = read_type(d, f->bytes);
		break;
	case PROFILE_MAPPING:
		read_mapping(d, f->bytes);
		break;
	case PROFILE_FUNCTION:
		read_function(d, f->bytes);
		break;
	}
}

/* One walk over the file for what `part` selects. */
enum part { TABLES, LOCATIONS, SAMPLES };

static void read_part(struct decoder *d, enum part part)
{
	struct cursor m = d->file;
	struct wire_field f;

	while (!d->file.failed && wire_next(&m, &f)) {
		if (part == TABLES && f.type == WIRE_BYTES)
			read_table(d, &f);
		if (part == TABLES && (f.type == WIRE_VARINT || f.number == PROFILE_COMMENT))
			read_scalar(d, &m, &f);
		if (part == LOCATIONS && f.number == PROFILE_LOCATION && f.type == WIRE_BYTES)
			read_location(d, f.bytes);
		if (part == SAMPLES && f.number == PROFILE_SAMPLE && f.type == WIRE_BYTES)
			read_sample(d, f.bytes);
	}
	sound(d, &m);
}

static void release_ids(struct ids *ids)
{
	hashindex_release(&ids->index);
	free(ids->pairs);
}

int profile_decode(struct profile *p, const void *data, size_t len, struct error *err)
{
	struct decoder d = { .p = p };

	cursor_init(&d.file, data, len, "profile");
	read_strings(&d);
	for (enum part part = TABLES; part <= SAMPLES && !d.file.failed; part++)
		read_part(&d, part);
	release_ids(&d.mappings);
	release_ids(&d.functions);
	release_ids(&d.locations);
	free(d.strings);
	free(d.lines);
	free(d.stack);
	free(d.values);
	free(d.labels);
	if (d.nomem)
		return error_set(err, ERR_NOMEM, "out of memory");
	return cursor_error(&d.file, err);
}

static int read_file(int fd, size_t max, struct buffer *out, struct error *err)
{
	ssize_t n;

	do {
		if (out->len > max)
			return error_set(err, ERR_LIMIT, "more than %zu bytes", max);
		if (buffer_reserve(out, 64 << 10))
			return error_set(err, ERR_NOMEM, "out of memory");
		n = read(fd, out->data + out->len, out->room - out->len);
		out->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? error_errno(err, ERR_IO, "cannot read") : 0;
}

static int decode_file(struct profile *p, int fd, size_t max, struct error *err)
{
	struct buffer raw = { 0 }, plain = { 0 };
	int rc = read_file(fd, max, &raw, err);

	if (!rc && gzip_detect(raw.data, raw.len)) {
		rc = gzip_uncompress(raw.data, raw.len, max, &plain, err);
		if (!rc)
			rc = profile_decode(p, plain.data, plain.len, err);
	} else if (!rc) {
		rc = profile_decode(p, raw.data, raw.len, err);
	}
	buffer_release(&raw);
	buffer_release(&plain);
	return rc;
}

int profile_read(struct profile *p, const char *path, size_t max_size, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return error_errno(err, ERR_IO, "cannot read '%s'", path);
	rc = decode_file(p, fd, max_size ? max_size : MAX_SIZE, err);
	if (!standard)
		close(fd);
	if (rc)
		error_prefix(err, "'%s'", path);
	return rc;
}

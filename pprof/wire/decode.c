/*
 * Everything refers to strings, which come last in most files, and locations refer to
 * mappings and functions. So a first pass, the survey, notes for each field the stretch
 * of the file that it occupies. Then the fields are read in the order of their
 * dependencies, each within its stretch. Writers put the entries of a table next to
 * each other, so that nearly every byte is skipped once and read once; a file in
 * another order takes longer, but no more than 16 passes. The alternative, to keep
 * unresolved references and resolve them at the end, was rejected: its error messages
 * need the offsets of all references.
 *
 * Memory is bounded by the length of the file: the costliest element, an empty label in
 * a sample, takes 2 bytes in the file and 24 in memory (up to twice that when the array
 * has just grown). Callers that read untrusted files set a bound of their own
 * (profile_decode_within).
 *
 * Only strings are deduplicated: an entry that a file has twice is twice in the profile.
 * The lines of a location, and the parts of a sample, are appended directly behind those
 * of the previous location or sample. After a failure, everything that was read is
 * released with the profile.
 *
 * Everything that google/pprof reads and finds valid (profile.ParseData, CheckValid) is
 * accepted, even where protobuf's rules differ. Of the profiles that CheckValid rejects,
 * the decoder rejects those that struct profile cannot hold: a sample with more or fewer
 * values than there are sample types, ids that are 0, duplicate or missing. The decoder is
 * more lenient in one case: of two time_nanos the last one counts. docs/library.md has the
 * whole list.
 */
#include "pprof/wire/decode.h"

#include <stdlib.h>

#include "base/error.h"
#include "pprof/append.h"
#include "pprof/profile.h"
#include "pprof/wire/decoder.h"
#include "pprof/wire/place.h"
#include "pprof/wire/packed.h"
#include "pprof/wire/wire.h"

/* ERR_LIMIT if the tables that can be larger than the file take more than max_memory bytes. */
static int check_memory(struct decoder *d, size_t at)
{
	const struct profile *p = d->p;
	size_t bytes = p->label_count * sizeof(*p->labels) + p->line_count * sizeof(*p->lines) +
		       p->sample_count * sizeof(*p->samples) + p->stack_count * sizeof(*p->stack) +
		       p->value_count * sizeof(*p->values) +
		       p->location_count * sizeof(*p->locations) +
		       p->function_count * sizeof(*p->functions) +
		       p->mapping_count * sizeof(*p->mappings);

	if (bytes <= d->max_memory)
		return 0;
	return error_set(d->err, ERR_LIMIT, "profile: more than %zu bytes of tables at offset %zu",
			 d->max_memory, at);
}

/* Strings */

static int decode_add_string(struct decoder *d, const struct wire_field *f)
{
	if (!d->string_count && f->value)
		return decoder_fail(d, f, "string_table", "does not begin with the empty string");
	if (strset_add(&d->p->strings, (const char *)f->data, f->value,
		       &d->strings[d->string_count++]))
		return error_nomem(d->err);
	return 0;
}

/* Sample types, period type, mappings, functions, comments */

static const struct rule type_rules[RULES] = {
	[VALUE_TYPE_TYPE] = { "value_type.type", STRING, AT(profile_type, type) },
	[VALUE_TYPE_UNIT] = { "value_type.unit", STRING, AT(profile_type, unit) },
};

static int decode_add_type(struct decoder *d, const struct wire_field *f)
{
	struct profile_type type = { 0 };
	int rc = read_message(d, f, type_rules, &type);

	if (!rc && profile_add_type_ids(d->p, type))
		rc = error_nomem(d->err);
	return rc;
}

/* Several period types are merged field by field, as protobuf requires. read_stretch calls
 * settle after the last one. */
static int read_period_type(struct decoder *d, const struct wire_field *f)
{
	struct cursor c = wire_inside(&d->file, f);
	struct wire_field part;
	int rc = 0;

	while (!rc && wire_next(&c, &part))
		if (part.number < RULES)
			rc = read_field(d, &type_rules[part.number], &part, &d->p->period_type);
	return rc ? rc : cursor_error(&c, d->err);
}

static int decode_add_id(struct decoder *d, const struct wire_field *f, const char *field,
			 struct ids *ids, uint64_t id)
{
	if (!id)
		return decoder_fail(d, f, field, "is 0 or missing");
	if (ids_find(ids, id))
		return error_set(d->err, ERR_FORMAT,
				 "profile: '%s' %lu is there a second time at offset %zu", field,
				 id, f->at);
	return ids_add(ids, id) ? error_nomem(d->err) : 0;
}

static const struct rule mapping_rules[RULES] = {
	[MAPPING_ID] = { "mapping.id", NUMBER, AT(profile_mapping, id) },
	[MAPPING_START] = { "mapping.memory_start", NUMBER, AT(profile_mapping, start) },
	[MAPPING_LIMIT] = { "mapping.memory_limit", NUMBER, AT(profile_mapping, limit) },
	[MAPPING_OFFSET] = { "mapping.file_offset", NUMBER, AT(profile_mapping, offset) },
	[MAPPING_FILENAME] = { "mapping.filename", STRING, AT(profile_mapping, filename) },
	[MAPPING_BUILD_ID] = { "mapping.build_id", STRING, AT(profile_mapping, build_id) },
	[MAPPING_HAS_FUNCTIONS] = { "mapping.has_functions", FLAG,
				    AT(profile_mapping, has_functions) },
	[MAPPING_HAS_FILENAMES] = { "mapping.has_filenames", FLAG,
				    AT(profile_mapping, has_filenames) },
	[MAPPING_HAS_LINE_NUMBERS] = { "mapping.has_line_numbers", FLAG,
				       AT(profile_mapping, has_line_numbers) },
	[MAPPING_HAS_INLINE_FRAMES] = { "mapping.has_inline_frames", FLAG,
					AT(profile_mapping, has_inline_frames) },
};

static int decode_add_mapping(struct decoder *d, const struct wire_field *f)
{
	struct profile_mapping m = { 0 };
	int rc = read_message(d, f, mapping_rules, &m);
	uint32_t number;

	if (rc)
		return rc;
	if (profile_add_mapping(d->p, &m, &number))
		return error_nomem(d->err);
	return decode_add_id(d, f, "mapping.id", &d->mappings, m.id);
}

struct file_function {
	uint64_t id;
	struct profile_function as;
};

static const struct rule function_rules[RULES] = {
	[FUNCTION_ID] = { "function.id", NUMBER, AT(file_function, id) },
	[FUNCTION_NAME] = { "function.name", STRING, AT(file_function, as.name) },
	[FUNCTION_SYSTEM_NAME] = { "function.system_name", STRING,
				   AT(file_function, as.system_name) },
	[FUNCTION_FILENAME] = { "function.filename", STRING, AT(file_function, as.filename) },
	[FUNCTION_START_LINE] = { "function.start_line", NUMBER, AT(file_function, as.start_line) },
};

static int decode_add_function(struct decoder *d, const struct wire_field *f)
{
	struct file_function fn = { 0 };
	int rc = read_message(d, f, function_rules, &fn);

	if (rc)
		return rc;
	d->p->functions[d->p->function_count++] = fn.as;
	return decode_add_id(d, f, "function.id", &d->functions, fn.id);
}

static int decode_add_comment(struct decoder *d, const struct wire_field *f, uint64_t index)
{
	uint32_t number = 0;
	int rc = find_string(d, f, "comment", index, &number);

	if (!rc && profile_add_comment_id(d->p, number))
		rc = error_nomem(d->err);
	return rc;
}

/* Locations */

static const struct rule line_rules[RULES] = {
	[LINE_FUNCTION_ID] = { "line.function_id", FUNCTION, AT(profile_line, function) },
	[LINE_LINE] = { "line.line", NUMBER, AT(profile_line, line) },
	[LINE_COLUMN] = { "line.column", NUMBER, AT(profile_line, column) },
};

static int decode_add_line(struct decoder *d, const struct wire_field *f)
{
	struct profile_line line = { 0 };
	struct profile *p = d->p;
	int rc = read_message(d, f, line_rules, &line);

	if (!rc && !line.function)
		rc = decoder_fail(d, f, "line.function_id", "is missing");
	if (rc)
		return rc;
	if (profile_room(&p->lines, p->line_count, 1, sizeof(line)))
		return error_nomem(d->err);
	p->lines[p->line_count++] = line;
	return 0;
}

static const struct rule location_rules[RULES] = {
	[LOCATION_ID] = { "location.id", NUMBER, AT(profile_location, id) },
	[LOCATION_MAPPING_ID] = { "location.mapping_id", MAPPING, AT(profile_location, mapping) },
	[LOCATION_ADDRESS] = { "location.address", NUMBER, AT(profile_location, address) },
	[LOCATION_LINE] = { "location.line", MESSAGE, .message = decode_add_line },
	[LOCATION_IS_FOLDED] = { "location.is_folded", FLAG, AT(profile_location, is_folded) },
};

static int decode_add_location(struct decoder *d, const struct wire_field *f)
{
	struct profile_location l = { .first_line = d->p->line_count };
	int rc = read_message(d, f, location_rules, &l);

	if (rc)
		return rc;
	l.lines = d->p->line_count - l.first_line;
	d->p->locations[d->p->location_count++] = l;
	return decode_add_id(d, f, "location.id", &d->locations, l.id);
}

/* Samples */

static int decode_add_frame(struct decoder *d, const struct wire_field *f, uint64_t id)
{
	struct profile *p = d->p;

	if (profile_room(&p->stack, p->stack_count, 1, sizeof(*p->stack)))
		return error_nomem(d->err);
	p->stack[p->stack_count] = ids_find(&d->locations, id);
	return p->stack[p->stack_count++] ? 0 : no_such_id(d, f->at, "sample.location_id", id);
}

/* Makes room for one element per byte: unused pages take address space, not memory. */
static int decode_add_frames(struct decoder *d, const struct wire_field *f)
{
	struct profile *p = d->p;
	struct cursor c = wire_inside(&d->file, f);
	uint64_t missing;
	uint32_t *to;

	if (profile_room(&p->stack, p->stack_count, cursor_left(&c), sizeof(*p->stack)))
		return error_nomem(d->err);
	to = p->stack + p->stack_count;
	if (!packed_read_ids(&c, &d->locations, &to, &missing))
		return no_such_id(d, f->at, "sample.location_id", missing);
	p->stack_count = (size_t)(to - p->stack);
	return cursor_error(&c, d->err);
}

static int decode_add_value(struct decoder *d, const struct wire_field *f, uint64_t value)
{
	struct profile *p = d->p;

	(void)f;
	if (profile_room(&p->values, p->value_count, 1, sizeof(*p->values)))
		return error_nomem(d->err);
	p->values[p->value_count++] = (int64_t)value;
	return 0;
}

static int decode_add_values(struct decoder *d, const struct wire_field *f)
{
	struct profile *p = d->p;
	struct cursor c = wire_inside(&d->file, f);
	int64_t *to;

	if (profile_room(&p->values, p->value_count, cursor_left(&c), sizeof(*p->values)))
		return error_nomem(d->err);
	to = p->values + p->value_count;
	packed_read_values(&c, &to);
	p->value_count = (size_t)(to - p->values);
	return cursor_error(&c, d->err);
}

struct file_label {
	struct profile_label as;
	uint64_t num_unit;
};

static const struct rule label_rules[RULES] = {
	[LABEL_KEY] = { "label.key", STRING, AT(file_label, as.key) },
	[LABEL_STR] = { "label.str", STRING, AT(file_label, as.str) },
	[LABEL_NUM] = { "label.num", NUMBER, AT(file_label, as.num) },
	[LABEL_NUM_UNIT] = { "label.num_unit", NUMBER, AT(file_label, num_unit) },
};

enum { LABELS_UNCHECKED = 1 << 16 };

/* A label is a string or a number. If it has both, google/pprof takes the string and
 * ignores the unit (profile/encode.go, postDecode). */
static int decode_add_label(struct decoder *d, const struct wire_field *f)
{
	struct file_label l = { 0 };
	struct profile *p = d->p;
	int rc = read_message(d, f, label_rules, &l);

	if (!rc && l.as.str)
		l.as.num = 0;
	else if (!rc && l.num_unit)
		rc = find_string(d, f, "label.num_unit", l.num_unit, &l.as.num_unit);
	if (rc)
		return rc;
	if (profile_room(&p->labels, p->label_count, 1, sizeof(l.as)))
		return error_nomem(d->err);
	p->labels[p->label_count++] = l.as;
	/* One sample can have all labels of the file; read_stretch checks only after a sample. */
	return p->label_count % LABELS_UNCHECKED ? 0 : check_memory(d, f->at);
}

static const struct rule sample_rules[RULES] = {
	[SAMPLE_LOCATION_ID] = { "sample.location_id", NUMBERS, .number = decode_add_frame,
				 .packed = decode_add_frames },
	[SAMPLE_VALUE] = { "sample.value", NUMBERS, .number = decode_add_value,
			   .packed = decode_add_values },
	[SAMPLE_LABEL] = { "sample.label", MESSAGE, .message = decode_add_label },
};

static int decode_add_sample(struct decoder *d, const struct wire_field *f)
{
	struct profile *p = d->p;
	struct profile_sample s = { p->stack_count, 0, p->value_count, p->label_count, 0 };
	int rc;

	if (!p->type_count)
		return decoder_fail(d, f, "sample", "is there without a sample type");
	rc = read_message(d, f, sample_rules, NULL);
	if (rc)
		return rc;
	s.locations = p->stack_count - s.first_location;
	s.labels = p->label_count - s.first_label;
	if (p->value_count - s.first_value != p->type_count)
		return error_set(
			d->err, ERR_FORMAT,
			"profile: 'sample.value' has %zu values for %zu sample types at offset %zu",
			p->value_count - s.first_value, p->type_count, f->at);
	p->samples[p->sample_count++] = s;
	return 0;
}

/* The file */

static const struct rule file_rules[RULES] = {
	[PROFILE_SAMPLE_TYPE] = { "sample_type", MESSAGE, .message = decode_add_type },
	[PROFILE_SAMPLE] = { "sample", MESSAGE, .message = decode_add_sample },
	[PROFILE_MAPPING] = { "mapping", MESSAGE, .message = decode_add_mapping },
	[PROFILE_LOCATION] = { "location", MESSAGE, .message = decode_add_location },
	[PROFILE_FUNCTION] = { "function", MESSAGE, .message = decode_add_function },
	[PROFILE_STRING_TABLE] = { "string_table", MESSAGE, .message = decode_add_string },
	[PROFILE_DROP_FRAMES] = { "drop_frames", STRING, AT(profile, drop_frames) },
	[PROFILE_KEEP_FRAMES] = { "keep_frames", STRING, AT(profile, keep_frames) },
	[PROFILE_TIME_NANOS] = { "time_nanos", NUMBER, AT(profile, time_nanos) },
	[PROFILE_DURATION_NANOS] = { "duration_nanos", NUMBER, AT(profile, duration_nanos) },
	[PROFILE_PERIOD_TYPE] = { "period_type", MESSAGE, .message = read_period_type },
	[PROFILE_PERIOD] = { "period", NUMBER, AT(profile, period) },
	[PROFILE_COMMENT] = { "comment", NUMBERS, .number = decode_add_comment },
	[PROFILE_DEFAULT_SAMPLE_TYPE] = { "default_sample_type", STRING,
					  AT(profile, default_type) },
	[PROFILE_DOC_URL] = { "doc_url", STRING, AT(profile, doc_url) },
};

/* A field comes behind all fields that it refers to. */
static const uint8_t reading_order[] = {
	PROFILE_STRING_TABLE, PROFILE_SAMPLE_TYPE,
	PROFILE_MAPPING,      PROFILE_FUNCTION,
	PROFILE_LOCATION,     PROFILE_SAMPLE,
	PROFILE_DROP_FRAMES,  PROFILE_KEEP_FRAMES,
	PROFILE_TIME_NANOS,   PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,  PROFILE_PERIOD,
	PROFILE_COMMENT,      PROFILE_DEFAULT_SAMPLE_TYPE,
	PROFILE_DOC_URL,
};

static int decode_survey(struct decoder *d)
{
	struct cursor c = d->file;
	struct wire_field f;

	while (wire_next(&c, &f)) {
		struct stretch *s = f.number < RULES ? &d->fields[f.number] : NULL;

		if (s && !s->count++)
			s->from = f.at;
		if (s)
			s->to = cursor_offset(&c);
	}
	return cursor_error(&c, d->err);
}

static int read_stretch(struct decoder *d, unsigned field)
{
	const struct stretch *s = &d->fields[field];
	struct cursor c = d->file;
	struct wire_field f;
	int rc = 0;

	c.end = c.start + s->to;
	c.pos = c.start + s->from;
	while (!rc && wire_next(&c, &f)) {
		if (f.number != field)
			continue;
		rc = read_field(d, &file_rules[field], &f, d->p);
		if (!rc)
			rc = check_memory(d, f.at);
	}
	if (rc == ERR_FORMAT)
		place_add(d->err, c.start, (size_t)(d->file.end - c.start), f.at);
	if (!rc)
		rc = settle(d, file_rules, d->p);
	return rc ? rc : settle(d, type_rules, &d->p->period_type);
}

/* Allocates what the survey has counted, because an array that grows is copied. */
static int decode_make_room(struct decoder *d)
{
	const struct stretch *n = d->fields;
	struct profile *p = d->p;

	d->strings = malloc(n[PROFILE_STRING_TABLE].count * sizeof(*d->strings));
	if (!d->strings || strset_reserve(&p->strings, n[PROFILE_STRING_TABLE].count) ||
	    profile_room(&p->functions, 0, n[PROFILE_FUNCTION].count, sizeof(*p->functions)) ||
	    profile_room(&p->locations, 0, n[PROFILE_LOCATION].count, sizeof(*p->locations)) ||
	    profile_room(&p->samples, 0, n[PROFILE_SAMPLE].count, sizeof(*p->samples)))
		return error_nomem(d->err);
	return 0;
}

int profile_decode(struct profile *p, const void *data, size_t len, struct error *err)
{
	return profile_decode_within(p, data, len, SIZE_MAX, err);
}

int profile_decode_within(struct profile *p, const void *data, size_t len, size_t max_memory,
			  struct error *err)
{
	struct decoder d = { .p = p, .err = err, .max_memory = max_memory };
	int rc;

	cursor_init(&d.file, data, len, "profile");
	rc = decode_survey(&d);
	if (!rc && !d.fields[PROFILE_STRING_TABLE].count)
		rc = error_set(err, ERR_FORMAT, "profile: 'string_table' is missing at offset %zu",
			       cursor_left(&d.file));
	if (!rc)
		rc = decode_make_room(&d);
	for (size_t i = 0; !rc && i < sizeof(reading_order); i++)
		rc = read_stretch(&d, reading_order[i]);
	ids_release(&d.mappings);
	ids_release(&d.functions);
	ids_release(&d.locations);
	free(d.strings);
	return rc;
}

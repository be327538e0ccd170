/*
 * Which field is kept where stands in tables, one for each message of
 * profile.proto; one function reads them all, so every field is held to the same
 * rules: its wire type, its string's index, the id that it names. What no table
 * lists is skipped, as protobuf wants it.
 *
 * Everything refers to strings, which come last in most files, and locations to
 * mappings and functions. So the file is walked four times (strings; the other
 * tables; locations; samples), each time with a table of its own for the
 * outermost message; passing over what is not wanted costs two varints. Keeping
 * unresolved references and mending them afterwards was the other way: it needs
 * the offsets of all of them for its messages.
 *
 * What a file can make us allocate is bounded by its length: the costliest
 * element, an empty label in a sample, takes 2 bytes of it and here 24 in each of
 * two arrays (more, up to twice that, when they have just grown).
 */
#include "pprof/decode.h"

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/ids.h"
#include "pprof/profile.h"
#include "pprof/wire.h"

struct decoder {
	struct profile *p;
	struct error *err;
	struct buffer strings; /* uint32_t: place in the file's table -> number in the set */
	struct ids mappings, functions, locations;
	/* Of the location or sample at hand: */
	struct buffer lines;  /* struct profile_line */
	struct buffer stack;  /* uint32_t */
	struct buffer values; /* int64_t */
	struct buffer labels; /* struct profile_label */
};

enum kind {
	SKIPPED,
	NUMBER,	  /* to a uint64_t or int64_t */
	FLAG,	  /* to a bool */
	STRING,	  /* an index; its number goes to a uint32_t */
	MAPPING,  /* an id, 0 for none; its number goes to a uint32_t */
	FUNCTION, /* the same, but never none */
	NUMBERS,  /* repeated, packed or not */
	MESSAGE,
};

struct rule {
	const char *name;
	enum kind kind;
	size_t offset; /* of the member that takes a single value */
	int (*number)(struct decoder *d, const struct wire_field *f, uint64_t value);
	int (*message)(struct decoder *d, const struct wire_field *f);
};

/* No message has a field above 15; a table is indexed by the field's number. */
enum { RULES = 16 };

#define AT(type, member) .offset = offsetof(struct type, member)

static int nomem(struct decoder *d)
{
	return error_set(d->err, ERR_NOMEM, "out of memory");
}

static int fail(struct decoder *d, const struct wire_field *f, const char *field, const char *why)
{
	return error_set(d->err, ERR_FORMAT, "profile: '%s' %s at offset %zu", field, why, f->at);
}

static size_t string_count(const struct decoder *d)
{
	return d->strings.len / sizeof(uint32_t);
}

static int find_string(struct decoder *d, const struct wire_field *f, const char *field,
		       uint64_t index, uint32_t *number)
{
	if (index >= string_count(d))
		return error_set(d->err, ERR_FORMAT,
				 "profile: '%s' is string %lu of only %zu at offset %zu", field,
				 index, string_count(d), f->at);
	*number = ((const uint32_t *)d->strings.data)[index];
	return 0;
}

static int find_id(struct decoder *d, const struct wire_field *f, const char *field,
		   const struct ids *ids, uint64_t id, uint32_t *number)
{
	*number = ids_find(ids, id);
	if (*number)
		return 0;
	return error_set(d->err, ERR_FORMAT,
			 "profile: '%s' names %lu, which is not there, at offset %zu", field, id,
			 f->at);
}

static int read_numbers(struct decoder *d, const struct rule *rule, struct wire_field *f)
{
	int rc = 0;

	if (f->type == WIRE_VARINT)
		return rule->number(d, f, f->value);
	if (f->type != WIRE_BYTES)
		return fail(d, f, rule->name, "has a wrong wire type");
	while (!rc && cursor_left(&f->bytes)) {
		uint64_t value = cursor_uleb(&f->bytes);

		rc = f->bytes.failed ? cursor_error(&f->bytes, d->err) : rule->number(d, f, value);
	}
	return rc;
}

static int read_single(struct decoder *d, const struct rule *rule, const struct wire_field *f,
		       void *into)
{
	void *member = (char *)into + rule->offset;

	if (f->type != WIRE_VARINT)
		return fail(d, f, rule->name, "has a wrong wire type");
	switch (rule->kind) {
	case FLAG:
		*(bool *)member = f->value != 0;
		return 0;
	case STRING:
		return find_string(d, f, rule->name, f->value, member);
	case MAPPING:
		*(uint32_t *)member = 0;
		return f->value ? find_id(d, f, rule->name, &d->mappings, f->value, member) : 0;
	case FUNCTION:
		return find_id(d, f, rule->name, &d->functions, f->value, member);
	default:
		*(uint64_t *)member = f->value;
		return 0;
	}
}

static int read_field(struct decoder *d, const struct rule *rule, struct wire_field *f, void *into)
{
	switch (rule->kind) {
	case SKIPPED:
		return 0;
	case NUMBERS:
		return read_numbers(d, rule, f);
	case MESSAGE:
		return f->type == WIRE_BYTES ? rule->message(d, f) :
					       fail(d, f, rule->name, "has a wrong wire type");
	default:
		return read_single(d, rule, f, into);
	}
}

static int read_message(struct decoder *d, struct cursor m, const struct rule rules[RULES],
			void *into)
{
	struct wire_field f;
	int rc = 0;

	while (!rc && wire_next(&m, &f))
		if (f.number < RULES)
			rc = read_field(d, &rules[f.number], &f, into);
	return rc ? rc : cursor_error(&m, d->err);
}

/* Strings */

static int add_string(struct decoder *d, const struct wire_field *f)
{
	size_t len = cursor_left(&f->bytes);
	uint32_t number;

	if (!string_count(d) && len)
		return fail(d, f, "string_table", "does not begin with the empty string");
	if (strset_add(&d->p->strings, (const char *)f->bytes.pos, len, &number) ||
	    buffer_add(&d->strings, &number, sizeof(number)))
		return nomem(d);
	return 0;
}

static const struct rule string_rules[RULES] = {
	[PROFILE_STRING_TABLE] = { "string_table", MESSAGE, .message = add_string },
};

/* Sample types, mappings, functions, and what is there once */

static const struct rule type_rules[RULES] = {
	[VALUE_TYPE_TYPE] = { "value_type.type", STRING, AT(profile_type, type) },
	[VALUE_TYPE_UNIT] = { "value_type.unit", STRING, AT(profile_type, unit) },
};

static int add_type(struct decoder *d, const struct wire_field *f)
{
	struct profile_type type = { 0 };
	int rc = read_message(d, f->bytes, type_rules, &type);

	if (!rc && profile_add_type_ids(d->p, type))
		rc = nomem(d);
	return rc;
}

static int read_period_type(struct decoder *d, const struct wire_field *f)
{
	return read_message(d, f->bytes, type_rules, &d->p->period_type);
}

static int add_id(struct decoder *d, const struct wire_field *f, const char *field,
		  struct ids *ids, uint64_t id, uint32_t number)
{
	if (!id)
		return fail(d, f, field, "is 0 or missing");
	if (ids_find(ids, id))
		return error_set(d->err, ERR_FORMAT,
				 "profile: '%s' %lu is there a second time at offset %zu", field, id,
				 f->at);
	return ids_add(ids, id, number) ? nomem(d) : 0;
}

struct file_mapping {
	uint64_t id;
	struct profile_mapping as;
};

static const struct rule mapping_rules[RULES] = {
	[MAPPING_ID] = { "mapping.id", NUMBER, AT(file_mapping, id) },
	[MAPPING_START] = { "mapping.memory_start", NUMBER, AT(file_mapping, as.start) },
	[MAPPING_LIMIT] = { "mapping.memory_limit", NUMBER, AT(file_mapping, as.limit) },
	[MAPPING_OFFSET] = { "mapping.file_offset", NUMBER, AT(file_mapping, as.offset) },
	[MAPPING_FILENAME] = { "mapping.filename", STRING, AT(file_mapping, as.filename) },
	[MAPPING_BUILD_ID] = { "mapping.build_id", STRING, AT(file_mapping, as.build_id) },
	[MAPPING_HAS_FUNCTIONS] = { "mapping.has_functions", FLAG,
				    AT(file_mapping, as.has_functions) },
	[MAPPING_HAS_FILENAMES] = { "mapping.has_filenames", FLAG,
				    AT(file_mapping, as.has_filenames) },
	[MAPPING_HAS_LINE_NUMBERS] = { "mapping.has_line_numbers", FLAG,
				       AT(file_mapping, as.has_line_numbers) },
	[MAPPING_HAS_INLINE_FRAMES] = { "mapping.has_inline_frames", FLAG,
					AT(file_mapping, as.has_inline_frames) },
};

static int add_mapping(struct decoder *d, const struct wire_field *f)
{
	struct file_mapping m = { 0 };
	int rc = read_message(d, f->bytes, mapping_rules, &m);
	uint32_t number;

	if (rc)
		return rc;
	if (profile_add_mapping(d->p, &m.as, &number))
		return nomem(d);
	return add_id(d, f, "mapping.id", &d->mappings, m.id, number);
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

static int add_function(struct decoder *d, const struct wire_field *f)
{
	struct file_function fn = { 0 };
	int rc = read_message(d, f->bytes, function_rules, &fn);
	uint32_t number;

	if (rc)
		return rc;
	if (profile_add_function(d->p, &fn.as, &number))
		return nomem(d);
	return add_id(d, f, "function.id", &d->functions, fn.id, number);
}

static int add_comment(struct decoder *d, const struct wire_field *f, uint64_t index)
{
	uint32_t number = 0;
	int rc = find_string(d, f, "comment", index, &number);

	if (!rc && profile_add_comment_id(d->p, number))
		rc = nomem(d);
	return rc;
}

static const struct rule table_rules[RULES] = {
	[PROFILE_SAMPLE_TYPE] = { "sample_type", MESSAGE, .message = add_type },
	[PROFILE_MAPPING] = { "mapping", MESSAGE, .message = add_mapping },
	[PROFILE_FUNCTION] = { "function", MESSAGE, .message = add_function },
	[PROFILE_DROP_FRAMES] = { "drop_frames", STRING, AT(profile, drop_frames) },
	[PROFILE_KEEP_FRAMES] = { "keep_frames", STRING, AT(profile, keep_frames) },
	[PROFILE_TIME_NANOS] = { "time_nanos", NUMBER, AT(profile, time_nanos) },
	[PROFILE_DURATION_NANOS] = { "duration_nanos", NUMBER, AT(profile, duration_nanos) },
	[PROFILE_PERIOD_TYPE] = { "period_type", MESSAGE, .message = read_period_type },
	[PROFILE_PERIOD] = { "period", NUMBER, AT(profile, period) },
	[PROFILE_COMMENT] = { "comment", NUMBERS, .number = add_comment },
	[PROFILE_DEFAULT_SAMPLE_TYPE] = { "default_sample_type", STRING,
					  AT(profile, default_type) },
	[PROFILE_DOC_URL] = { "doc_url", STRING, AT(profile, doc_url) },
};

/* Locations */

static const struct rule line_rules[RULES] = {
	[LINE_FUNCTION_ID] = { "line.function_id", FUNCTION, AT(profile_line, function) },
	[LINE_LINE] = { "line.line", NUMBER, AT(profile_line, line) },
	[LINE_COLUMN] = { "line.column", NUMBER, AT(profile_line, column) },
};

static int add_line(struct decoder *d, const struct wire_field *f)
{
	struct profile_line line = { 0 };
	int rc = read_message(d, f->bytes, line_rules, &line);

	if (!rc && !line.function)
		rc = fail(d, f, "line.function_id", "is missing");
	if (!rc && buffer_add(&d->lines, &line, sizeof(line)))
		rc = nomem(d);
	return rc;
}

struct file_location {
	uint64_t id;
	struct profile_location as;
};

static const struct rule location_rules[RULES] = {
	[LOCATION_ID] = { "location.id", NUMBER, AT(file_location, id) },
	[LOCATION_MAPPING_ID] = { "location.mapping_id", MAPPING, AT(file_location, as.mapping) },
	[LOCATION_ADDRESS] = { "location.address", NUMBER, AT(file_location, as.address) },
	[LOCATION_LINE] = { "location.line", MESSAGE, .message = add_line },
	[LOCATION_IS_FOLDED] = { "location.is_folded", FLAG, AT(file_location, as.is_folded) },
};

static int add_location(struct decoder *d, const struct wire_field *f)
{
	struct file_location l = { 0 };
	uint32_t number;
	int rc;

	d->lines.len = 0;
	rc = read_message(d, f->bytes, location_rules, &l);
	if (rc)
		return rc;
	if (profile_add_location(d->p, &l.as, (const struct profile_line *)d->lines.data,
				 d->lines.len / sizeof(struct profile_line), &number))
		return nomem(d);
	return add_id(d, f, "location.id", &d->locations, l.id, number);
}

static const struct rule place_rules[RULES] = {
	[PROFILE_LOCATION] = { "location", MESSAGE, .message = add_location },
};

/* Samples */

static int add_frame(struct decoder *d, const struct wire_field *f, uint64_t id)
{
	uint32_t number;
	int rc = find_id(d, f, "sample.location_id", &d->locations, id, &number);

	if (!rc && buffer_add(&d->stack, &number, sizeof(number)))
		rc = nomem(d);
	return rc;
}

static int add_value(struct decoder *d, const struct wire_field *f, uint64_t value)
{
	(void)f;
	return buffer_add(&d->values, &value, sizeof(value)) ? nomem(d) : 0;
}

static const struct rule label_rules[RULES] = {
	[LABEL_KEY] = { "label.key", STRING, AT(profile_label, key) },
	[LABEL_STR] = { "label.str", STRING, AT(profile_label, str) },
	[LABEL_NUM] = { "label.num", NUMBER, AT(profile_label, num) },
	[LABEL_NUM_UNIT] = { "label.num_unit", STRING, AT(profile_label, num_unit) },
};

static int add_label(struct decoder *d, const struct wire_field *f)
{
	struct profile_label label = { 0 };
	int rc = read_message(d, f->bytes, label_rules, &label);

	if (!rc && buffer_add(&d->labels, &label, sizeof(label)))
		rc = nomem(d);
	return rc;
}

static const struct rule sample_rules[RULES] = {
	[SAMPLE_LOCATION_ID] = { "sample.location_id", NUMBERS, .number = add_frame },
	[SAMPLE_VALUE] = { "sample.value", NUMBERS, .number = add_value },
	[SAMPLE_LABEL] = { "sample.label", MESSAGE, .message = add_label },
};

static int add_sample(struct decoder *d, const struct wire_field *f)
{
	size_t values;
	int rc;

	if (!d->p->type_count)
		return fail(d, f, "sample", "is there without a sample type");
	d->stack.len = d->values.len = d->labels.len = 0;
	rc = read_message(d, f->bytes, sample_rules, NULL);
	if (rc)
		return rc;
	values = d->values.len / sizeof(int64_t);
	if (values != d->p->type_count)
		return error_set(d->err, ERR_FORMAT,
				 "profile: 'sample.value' has %zu values for %zu sample types at offset %zu",
				 values, d->p->type_count, f->at);
	return profile_add_sample(d->p, (const uint32_t *)d->stack.data,
				  d->stack.len / sizeof(uint32_t),
				  (const int64_t *)d->values.data,
				  (const struct profile_label *)d->labels.data,
				  d->labels.len / sizeof(struct profile_label)) ? nomem(d) : 0;
}

static const struct rule stack_rules[RULES] = {
	[PROFILE_SAMPLE] = { "sample", MESSAGE, .message = add_sample },
};

/* The file */

static int read_file(struct decoder *d, struct cursor file)
{
	int rc = read_message(d, file, string_rules, d->p);

	if (!rc && !string_count(d))
		rc = error_set(d->err, ERR_FORMAT, "profile: 'string_table' is missing at offset %zu",
			       cursor_left(&file));
	if (!rc)
		rc = read_message(d, file, table_rules, d->p);
	if (!rc)
		rc = read_message(d, file, place_rules, d->p);
	if (!rc)
		rc = read_message(d, file, stack_rules, d->p);
	return rc;
}

int profile_decode(struct profile *p, const void *data, size_t len, struct error *err)
{
	struct decoder d = { .p = p, .err = err };
	struct cursor file;
	int rc;

	cursor_init(&file, data, len, "profile");
	rc = read_file(&d, file);
	ids_release(&d.mappings);
	ids_release(&d.functions);
	ids_release(&d.locations);
	buffer_release(&d.strings);
	buffer_release(&d.lines);
	buffer_release(&d.stack);
	buffer_release(&d.values);
	buffer_release(&d.labels);
	return rc;
}

/*
 * The profile is read three times, because its tables can be anywhere in the file. The first
 * reading takes the strings and finds the samples; the second takes mappings, functions and all
 * that refers only to strings; the third takes locations.
 *
 * A location is identified by:
 *
 *	in a mapping with a build ID	the ID and the offset in the file, which do not
 *					depend on where the file is loaded
 *	at any other address		the address
 *	at address 0			its functions' names, their files, and the lines:
 *					goroutine dumps and profiles symbolized by other
 *					tools have no addresses
 *
 * The reference (fastdelta) always uses the address, so all locations at 0 are the same to it.
 */
#include "delta/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/wire/wire.h"

void index_init(struct index *x)
{
	memset(x, 0, sizeof(*x));
	x->nothing = key_of("", 0);
}

static void delta_index_release_table(struct index_table *t)
{
	free(t->hashes);
	free(t->needed);
	ids_release(&t->ids);
}

void index_release(struct index *x)
{
	delta_index_release_table(&x->functions);
	delta_index_release_table(&x->locations);
	ids_release(&x->mappings.ids);
	free(x->mappings.list);
	free(x->types.list);
	free(x->strings.keys);
	free(x->strings.needed);
	index_init(x);
}

static void delta_index_forget(struct index *x)
{
	ids_clear(&x->functions.ids);
	ids_clear(&x->locations.ids);
	ids_clear(&x->mappings.ids);
	x->strings.count = x->functions.count = x->locations.count = 0;
	x->mappings.count = x->types.count = 0;
	x->samples = (struct index_samples){ 0 };
	x->has_time = false;
}

/* Values of fields. Errors fail the cursor. */

static uint64_t delta_index_number(struct cursor *m, const struct wire_field *f)
{
	if (f->type != WIRE_VARINT)
		cursor_fail(m, "wrong wire type");
	return f->value;
}

static struct key delta_index_string(const struct index *x, struct cursor *m,
				     const struct wire_field *f)
{
	if (delta_index_number(m, f) < x->strings.count)
		return x->strings.keys[f->value];
	cursor_fail(m, "string index out of range");
	return x->nothing;
}

/* The number (from 1) of the entry with an id, which must exist. */
static uint32_t delta_index_place(const struct ids *ids, struct cursor *m,
				  const struct wire_field *f)
{
	uint32_t at = ids_find(ids, delta_index_number(m, f));

	if (!at)
		cursor_fail(m, "id that is not there");
	return at;
}

static int delta_index_add_id(struct ids *ids, struct cursor *m, uint64_t id, struct error *err)
{
	if (!id || ids_find(ids, id))
		cursor_fail(m, id ? "id that is there a second time" : "id that is 0 or missing");
	if (m->failed)
		return cursor_error(m, err);
	return ids_add(ids, id) ? error_nomem(err) : 0;
}

/* First reading. */

static int delta_index_add_string(struct index *x, const struct wire_field *f, struct error *err)
{
	if (room_for((void **)&x->strings.keys, &x->strings.room, x->strings.count + 1,
		     sizeof(*x->strings.keys)))
		return error_nomem(err);
	x->strings.keys[x->strings.count++] = key_of(f->data, f->value);
	return 0;
}

static void delta_index_add_sample(struct index *x, const struct cursor *m,
				   const struct wire_field *f, bool *apart)
{
	if (!x->samples.count++)
		x->samples.start = m->start + f->at;
	else if (m->start + f->at != x->samples.end)
		*apart = true;
	x->samples.end = m->pos;
}

static int read_strings(struct index *x, struct cursor m, struct error *err)
{
	bool apart = false;
	struct wire_field f;
	int rc = 0;

	while (!rc && wire_next(&m, &f)) {
		if (f.number == PROFILE_SAMPLE)
			delta_index_add_sample(x, &m, &f, &apart);
		if (f.number != PROFILE_STRING_TABLE && f.number != PROFILE_SAMPLE)
			continue;
		if (f.type != WIRE_BYTES)
			cursor_fail(&m, "wrong wire type");
		else if (f.number == PROFILE_SAMPLE)
			continue;
		else if (!x->strings.count && f.value)
			cursor_fail(&m, "string table that does not begin with the empty string");
		else
			rc = delta_index_add_string(x, &f, err);
	}
	if (apart)
		x->samples.start = NULL;
	if (!rc && !m.failed && !x->strings.count)
		cursor_fail(&m, "no string table");
	return rc ? rc : cursor_error(&m, err);
}

/* Second reading. */

static int read_type(const struct index *x, struct cursor m, struct key type[2], struct error *err)
{
	struct wire_field f;

	type[0] = type[1] = x->nothing;
	while (wire_next(&m, &f))
		if (f.number == VALUE_TYPE_TYPE || f.number == VALUE_TYPE_UNIT)
			type[f.number == VALUE_TYPE_UNIT] = delta_index_string(x, &m, &f);
	return cursor_error(&m, err);
}

static int delta_index_add_type(struct index *x, struct cursor m, struct error *err)
{
	if (room_for((void **)&x->types.list, &x->types.room, x->types.count + 1,
		     sizeof(*x->types.list)))
		return error_nomem(err);
	return read_type(x, m, x->types.list[x->types.count++], err);
}

static int delta_index_add_mapping(struct index *x, struct cursor m, struct error *err)
{
	struct index_mapping mapping = { .build_id = x->nothing };
	struct wire_field f;
	uint64_t id = 0;

	while (wire_next(&m, &f)) {
		if (f.number == MAPPING_ID)
			id = delta_index_number(&m, &f);
		else if (f.number == MAPPING_START)
			mapping.start = delta_index_number(&m, &f);
		else if (f.number == MAPPING_OFFSET)
			mapping.offset = delta_index_number(&m, &f);
		else if (f.number == MAPPING_BUILD_ID)
			mapping.build_id = delta_index_string(x, &m, &f);
		else if (f.number == MAPPING_FILENAME)
			delta_index_string(x, &m, &f);
		else if (f.number <= MAPPING_HAS_INLINE_FRAMES)
			delta_index_number(&m, &f);
	}
	if (room_for((void **)&x->mappings.list, &x->mappings.room, x->mappings.count + 1,
		     sizeof(*x->mappings.list)))
		return error_nomem(err);
	x->mappings.list[x->mappings.count++] = mapping;
	return delta_index_add_id(&x->mappings.ids, &m, id, err);
}

static int delta_index_add_function(struct index *x, struct cursor m, struct error *err)
{
	struct key parts[2] = { x->nothing, x->nothing }; /* name, file */
	struct wire_field f;
	uint64_t id = 0;

	while (wire_next(&m, &f)) {
		if (f.number == FUNCTION_ID)
			id = delta_index_number(&m, &f);
		else if (f.number == FUNCTION_NAME || f.number == FUNCTION_FILENAME)
			parts[f.number == FUNCTION_FILENAME] = delta_index_string(x, &m, &f);
		else if (f.number == FUNCTION_SYSTEM_NAME)
			delta_index_string(x, &m, &f);
		else if (f.number == FUNCTION_START_LINE)
			delta_index_number(&m, &f);
	}
	if (room_for((void **)&x->functions.hashes, &x->functions.room, x->functions.count + 1,
		     sizeof(*x->functions.hashes)))
		return error_nomem(err);
	x->functions.hashes[x->functions.count++] = key_of(parts, sizeof(parts)).low;
	return delta_index_add_id(&x->functions.ids, &m, id, err);
}

static int check_comments(const struct index *x, struct cursor m, struct error *err)
{
	struct wire_field one = { .type = WIRE_VARINT };

	while (cursor_left(&m)) {
		one.value = wire_number(&m);
		delta_index_string(x, &m, &one);
	}
	return cursor_error(&m, err);
}

static int delta_index_add_record(struct index *x, struct cursor *m, struct wire_field *f,
				  struct error *err)
{
	struct key type[2];

	if (f->number <= PROFILE_FUNCTION || f->number == PROFILE_PERIOD_TYPE) {
		if (f->type != WIRE_BYTES)
			cursor_fail(m, "wrong wire type");
		if (m->failed)
			return 0;
	}
	switch (f->number) {
	case PROFILE_SAMPLE_TYPE:
		return delta_index_add_type(x, wire_inside(m, f), err);
	case PROFILE_MAPPING:
		return delta_index_add_mapping(x, wire_inside(m, f), err);
	case PROFILE_LOCATION:
		x->locations.count++;
		return 0;
	case PROFILE_FUNCTION:
		return delta_index_add_function(x, wire_inside(m, f), err);
	case PROFILE_PERIOD_TYPE:
		return read_type(x, wire_inside(m, f), type, err);
	case PROFILE_COMMENT:
		if (f->type == WIRE_BYTES)
			return check_comments(x, wire_inside(m, f), err);
		/* fall through */
	case PROFILE_DROP_FRAMES:
	case PROFILE_KEEP_FRAMES:
	case PROFILE_DEFAULT_SAMPLE_TYPE:
	case PROFILE_DOC_URL:
		delta_index_string(x, m, f);
		return 0;
	case PROFILE_TIME_NANOS:
		x->time = (int64_t)delta_index_number(m, f);
		x->has_time = true;
		return 0;
	case PROFILE_DURATION_NANOS:
	case PROFILE_PERIOD:
		delta_index_number(m, f);
		return 0;
	default:
		return 0;
	}
}

static int delta_index_read_records(struct index *x, struct cursor m, struct error *err)
{
	struct wire_field f;
	int rc = 0;

	while (!rc && index_next(x, &m, &f))
		rc = delta_index_add_record(x, &m, &f, err);
	return rc ? rc : cursor_error(&m, err);
}

/* Third reading. */

/* Sets line[0] to the hash of a line's function and line[1] to its line number. */
static void delta_index_read_line(const struct index *x, struct cursor m, struct cursor *location,
				  uint64_t line[2])
{
	uint32_t function = 0;
	struct wire_field f;

	line[0] = line[1] = 0;
	while (wire_next(&m, &f)) {
		if (f.number == LINE_FUNCTION_ID)
			function = delta_index_place(&x->functions.ids, &m, &f);
		else if (f.number == LINE_LINE)
			line[1] = delta_index_number(&m, &f);
		else if (f.number == LINE_COLUMN)
			delta_index_number(&m, &f);
	}
	if (m.failed)
		cursor_fail(location, m.failed);
	else if (!function)
		cursor_fail(location, "line without a function");
	else
		line[0] = x->functions.hashes[function - 1];
}

static uint64_t delta_index_frame_of(const struct index *x, uint64_t address, uint32_t mapping,
				     uint64_t lines)
{
	struct {
		struct key build_id;
		uint64_t offset;
	} where;

	if (!address)
		return lines;
	if (!mapping || key_equal(x->mappings.list[mapping - 1].build_id, x->nothing))
		return address;
	where.build_id = x->mappings.list[mapping - 1].build_id;
	where.offset = address - x->mappings.list[mapping - 1].start +
		       x->mappings.list[mapping - 1].offset;
	return key_of(&where, sizeof(where)).low;
}

static int delta_index_add_location(struct index *x, struct cursor m, size_t nth, struct error *err)
{
	uint64_t id = 0, address = 0, lines[3] = { 0 };
	uint32_t mapping = 0;
	struct wire_field f;

	while (wire_next(&m, &f)) {
		if (f.number == LOCATION_ID)
			id = delta_index_number(&m, &f);
		else if (f.number == LOCATION_ADDRESS)
			address = delta_index_number(&m, &f);
		else if (f.number == LOCATION_MAPPING_ID)
			mapping = f.value ? delta_index_place(&x->mappings.ids, &m, &f) :
					    (uint32_t)delta_index_number(&m, &f);
		else if (f.number == LOCATION_IS_FOLDED)
			delta_index_number(&m, &f);
		else if (f.number == LOCATION_LINE && f.type != WIRE_BYTES)
			cursor_fail(&m, "wrong wire type");
		else if (f.number == LOCATION_LINE) {
			delta_index_read_line(x, wire_inside(&m, &f), &m, lines + 1);
			lines[0] = key_of(lines, sizeof(lines)).low;
		}
	}
	if (!m.failed)
		x->locations.hashes[nth] = delta_index_frame_of(x, address, mapping, lines[0]);
	return delta_index_add_id(&x->locations.ids, &m, id, err);
}

static int read_locations(struct index *x, struct cursor m, struct error *err)
{
	struct wire_field f;
	size_t nth = 0;
	int rc = 0;

	while (!rc && index_next(x, &m, &f))
		if (f.number == PROFILE_LOCATION)
			rc = delta_index_add_location(x, wire_inside(&m, &f), nth++, err);
	return rc ? rc : cursor_error(&m, err);
}

static int need_nothing(uint8_t **needed, size_t *room, size_t count)
{
	if (room_for((void **)needed, room, count, 1))
		return ERR_NOMEM;
	if (count)
		memset(*needed, 0, count);
	return 0;
}

int index_read(struct index *x, struct cursor profile, struct error *err)
{
	int rc;

	delta_index_forget(x);
	rc = read_strings(x, profile, err);
	if (!rc)
		rc = delta_index_read_records(x, profile, err);
	if (!rc && room_for((void **)&x->locations.hashes, &x->locations.room, x->locations.count,
			    sizeof(*x->locations.hashes)))
		rc = error_nomem(err);
	if (!rc)
		rc = read_locations(x, profile, err);
	if (!rc &&
	    (need_nothing(&x->strings.needed, &x->strings.needed_room, x->strings.count) ||
	     need_nothing(&x->functions.needed, &x->functions.needed_room, x->functions.count) ||
	     need_nothing(&x->locations.needed, &x->locations.needed_room, x->locations.count)))
		rc = error_nomem(err);
	if (!rc)
		x->strings.needed[0] = true;
	return rc;
}

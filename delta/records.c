/* Passes 4 to 6 write everything except the samples. A record that is kept is copied unchanged, so
 * fields that we do not know are preserved. Pass 1 has checked all records. */
#include "delta/compute.h"
#include "pprof/wire/wire.h"

/* Copies the record that was read last. */
static void delta_records_copy(struct delta_computer *dc, const struct cursor *m,
			       const struct wire_field *f)
{
	const uint8_t *start = m->start + f->at;

	output_bytes(&dc->output, start, (size_t)(m->pos - start));
}

static void need_string(struct delta_computer *dc, const struct wire_field *f)
{
	dc->index.strings.needed[f->value] = true;
}

/* Marks the strings that a record refers to; `fields` is a bit mask of its string fields. */
static void need_strings(struct delta_computer *dc, struct cursor m, uint32_t fields)
{
	struct wire_field f;

	while (wire_next(&m, &f))
		if (f.number < 32 && fields >> f.number & 1)
			need_string(dc, &f);
}

static void need_packed(struct delta_computer *dc, struct cursor numbers)
{
	while (cursor_left(&numbers))
		dc->index.strings.needed[wire_number(&numbers)] = true;
}

static void need_functions(struct delta_computer *dc, struct cursor location)
{
	struct wire_field line, f;
	struct cursor m;

	while (wire_next(&location, &line))
		for (m = wire_inside(&location, &line);
		     line.number == LOCATION_LINE && wire_next(&m, &f);)
			if (f.number == LINE_FUNCTION_ID)
				dc->index.functions
					.needed[ids_find(&dc->index.functions.ids, f.value) - 1] =
					true;
}

/* Pass 4. */

/* True if a record is to be written; then marks what it refers to. */
static bool delta_records_is_kept(struct delta_computer *dc, const struct cursor *m,
				  const struct wire_field *f, size_t *location)
{
	switch (f->number) {
	case PROFILE_SAMPLE:
	case PROFILE_FUNCTION:
	case PROFILE_STRING_TABLE:
		return false;
	case PROFILE_SAMPLE_TYPE:
	case PROFILE_PERIOD_TYPE:
		need_strings(dc, wire_inside(m, f), 1u << VALUE_TYPE_TYPE | 1u << VALUE_TYPE_UNIT);
		return true;
	case PROFILE_MAPPING:
		need_strings(dc, wire_inside(m, f),
			     1u << MAPPING_FILENAME | 1u << MAPPING_BUILD_ID);
		return true;
	case PROFILE_LOCATION:
		if (!dc->index.locations.needed[(*location)++])
			return false;
		need_functions(dc, wire_inside(m, f));
		return true;
	case PROFILE_COMMENT:
		if (f->type == WIRE_BYTES)
			need_packed(dc, wire_inside(m, f));
		else
			need_string(dc, f);
		return true;
	case PROFILE_DROP_FRAMES:
	case PROFILE_KEEP_FRAMES:
	case PROFILE_DEFAULT_SAMPLE_TYPE:
	case PROFILE_DOC_URL:
		need_string(dc, f);
		return true;
	case PROFILE_DURATION_NANOS:
		return dc->stats.first;
	default:
		return true;
	}
}

int pass4_write_records(struct delta_computer *dc, struct cursor m)
{
	struct wire_field f;
	size_t location = 0;

	while (!dc->output.rc && index_next(&dc->index, &m, &f))
		if (delta_records_is_kept(dc, &m, &f, &location))
			delta_records_copy(dc, &m, &f);
	/* The delta covers the time since the last profile. The first profile keeps its own
	 * duration. Without the times of both profiles no duration is written. */
	if (!dc->stats.first && dc->has_last_time && dc->index.has_time) {
		output_number(&dc->output, PROFILE_DURATION_NANOS << 3 | WIRE_VARINT);
		output_number(&dc->output, (uint64_t)dc->index.time - (uint64_t)dc->last_time);
	}
	return dc->output.rc;
}

int pass5_write_functions(struct delta_computer *dc, struct cursor m)
{
	struct wire_field f;
	size_t nth = 0;

	while (!dc->output.rc && index_next(&dc->index, &m, &f)) {
		if (f.number != PROFILE_FUNCTION || !dc->index.functions.needed[nth++])
			continue;
		need_strings(dc, wire_inside(&m, &f),
			     1u << FUNCTION_NAME | 1u << FUNCTION_SYSTEM_NAME |
				     1u << FUNCTION_FILENAME);
		delta_records_copy(dc, &m, &f);
	}
	return dc->output.rc;
}

/* A string without a reference becomes empty, so that the others keep their numbers. */
int pass6_write_strings(struct delta_computer *dc, struct cursor m)
{
	static const uint8_t empty[] = { PROFILE_STRING_TABLE << 3 | WIRE_BYTES, 0 };
	struct wire_field f;
	size_t nth = 0;

	while (!dc->output.rc && index_next(&dc->index, &m, &f)) {
		if (f.number != PROFILE_STRING_TABLE)
			continue;
		if (dc->index.strings.needed[nth++])
			delta_records_copy(dc, &m, &f);
		else
			output_bytes(&dc->output, empty, sizeof(empty));
	}
	return dc->output.rc;
}

/* Passes 4 to 6: all but the samples. A record that is kept is copied as it stands, so
 * fields that we do not know stay in it. Pass 1 has checked them all. */
#include "delta/compute.h"
#include "pprof/wire.h"

static void need_string(struct delta_computer *dc, const struct wire_field *f)
{
	dc->index.need_string[f->value] = true;
}

/* Marks the strings of those fields of a record that are strings. */
static void need_strings(struct delta_computer *dc, struct cursor m, uint32_t fields)
{
	struct wire_field f;

	while (wire_next(&m, &f))
		if (f.number < 32 && fields >> f.number & 1)
			need_string(dc, &f);
}

static void need_comments(struct delta_computer *dc, struct wire_field *f)
{
	if (f->type == WIRE_VARINT)
		need_string(dc, f);
	while (f->type == WIRE_BYTES && cursor_left(&f->bytes))
		dc->index.need_string[wire_number(&f->bytes)] = true;
}

static void need_functions(struct delta_computer *dc, struct cursor location)
{
	struct wire_field line, f;

	while (wire_next(&location, &line))
		while (line.number == LOCATION_LINE && wire_next(&line.bytes, &f))
			if (f.number == LINE_FUNCTION_ID)
				dc->index.need_function[ids_find(&dc->index.function_ids,
								 f.value) - 1] = true;
}

/* Pass 4. */

/* What the delta is about begins where the last profile ended; the first keeps the
 * duration that it has. */
static void write_duration(struct delta_computer *dc)
{
	if (dc->stats.first || !dc->has_last_time || !dc->index.has_time)
		return;
	output_number(&dc->output, PROFILE_DURATION_NANOS << 3 | WIRE_VARINT);
	output_number(&dc->output, (uint64_t)dc->index.time - (uint64_t)dc->last_time);
}

/* Is a record to be written? Marks what it refers to, if so. */
static bool is_kept(struct delta_computer *dc, struct wire_field *f, size_t *location)
{
	switch (f->number) {
	case PROFILE_SAMPLE:
	case PROFILE_FUNCTION:
	case PROFILE_STRING_TABLE:
		return false;
	case PROFILE_SAMPLE_TYPE:
	case PROFILE_PERIOD_TYPE:
		need_strings(dc, f->bytes, 1u << VALUE_TYPE_TYPE | 1u << VALUE_TYPE_UNIT);
		return true;
	case PROFILE_MAPPING:
		need_strings(dc, f->bytes, 1u << MAPPING_FILENAME | 1u << MAPPING_BUILD_ID);
		return true;
	case PROFILE_LOCATION:
		if (!dc->index.need_location[(*location)++])
			return false;
		need_functions(dc, f->bytes);
		return true;
	case PROFILE_COMMENT:
		need_comments(dc, f);
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

	for (const uint8_t *start = m.pos; !dc->output.rc && wire_next(&m, &f); start = m.pos)
		if (is_kept(dc, &f, &location))
			output_bytes(&dc->output, start, (size_t)(m.pos - start));
	write_duration(dc);
	return dc->output.rc;
}

int pass5_write_functions(struct delta_computer *dc, struct cursor m)
{
	struct wire_field f;
	size_t nth = 0;

	for (const uint8_t *start = m.pos; !dc->output.rc && wire_next(&m, &f); start = m.pos) {
		if (f.number != PROFILE_FUNCTION || !dc->index.need_function[nth++])
			continue;
		need_strings(dc, f.bytes, 1u << FUNCTION_NAME | 1u << FUNCTION_SYSTEM_NAME |
						  1u << FUNCTION_FILENAME);
		output_bytes(&dc->output, start, (size_t)(m.pos - start));
	}
	return dc->output.rc;
}

/* A string that nobody refers to becomes empty: the others keep their numbers. */
int pass6_write_strings(struct delta_computer *dc, struct cursor m)
{
	static const uint8_t empty[] = { PROFILE_STRING_TABLE << 3 | WIRE_BYTES, 0 };
	struct wire_field f;
	size_t nth = 0;

	for (const uint8_t *start = m.pos; !dc->output.rc && wire_next(&m, &f); start = m.pos) {
		if (f.number != PROFILE_STRING_TABLE)
			continue;
		if (dc->index.need_string[nth++])
			output_bytes(&dc->output, start, (size_t)(m.pos - start));
		else
			output_bytes(&dc->output, empty, sizeof(empty));
	}
	return dc->output.rc;
}

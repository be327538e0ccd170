/*
 * The decoder handles every byte, so it tracks offsets only. Users need samples and ids.
 * These are found only after decoding has failed: the file's fields are read again up to
 * the entry that holds the offset.
 */
#include "pprof/wire/place.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pprof/wire/wire.h"

/* The names of entries of the profile's tables, and whether they have ids (always field 1). */
static const struct place_table {
	const char *name;
	bool has_id;
} tables[] = {
	[PROFILE_SAMPLE_TYPE] = { "sample type", false },
	[PROFILE_SAMPLE] = { "sample", false },
	[PROFILE_MAPPING] = { "mapping", true },
	[PROFILE_LOCATION] = { "location", true },
	[PROFILE_FUNCTION] = { "function", true },
	[PROFILE_STRING_TABLE] = { "string", false },
};

enum { TABLES = sizeof(tables) / sizeof(*tables), ID = 1 };

/* The last id counts, as in the decoder, even if it is behind the error. */
static uint64_t place_find_id(struct cursor entry)
{
	struct wire_field f;
	uint64_t id = 0;

	while (wire_next(&entry, &f))
		if (f.number == ID && f.type == WIRE_VARINT)
			id = f.value;
	return id;
}

static void place_append(struct error *err, const struct cursor *c, const struct wire_field *f,
			 size_t number)
{
	size_t used = strlen(err->text);
	uint64_t id = tables[f->number].has_id ? place_find_id(wire_inside(c, f)) : 0;
	char *end = err->text + used;

	if (id)
		snprintf(end, sizeof(err->text) - used, ", in %s %zu (id %lu)",
			 tables[f->number].name, number, id);
	else
		snprintf(end, sizeof(err->text) - used, ", in %s %zu", tables[f->number].name,
			 number);
}

void place_add(struct error *err, const void *data, size_t len, size_t at)
{
	size_t counts[TABLES] = { 0 };
	struct wire_field f;
	struct cursor c;

	if (!err)
		return;
	cursor_init(&c, data, len, "profile");
	while (wire_next(&c, &f)) {
		if (f.number >= TABLES || !tables[f.number].name || f.type != WIRE_BYTES)
			continue;
		counts[f.number]++;
		if (at < cursor_offset(&c)) {
			if (at >= f.at)
				place_append(err, &c, &f, counts[f.number]);
			return;
		}
	}
}

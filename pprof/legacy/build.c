/*
 * In google/pprof a location is made when its address is first seen, numbered in the order of the
 * samples' stacks (remapLocationIDs), and given a mapping. A text of Go has no memory map, so that
 * is one of all addresses, without a name (remapMappingIDs).
 */
#include "pprof/legacy/build.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/legacy/scan.h"

void legacy_release(struct legacy *l)
{
	hashindex_release(&l->by_address);
	free(l->places);
	free(l->lines);
	free(l->stack);
}

static int legacy_build_find_place(struct legacy *l, uint64_t address, uint32_t *place)
{
	*place = HASHINDEX_NUMBER(&l->by_address, l->places, address, address);
	if (*place != HASHINDEX_NONE)
		return 0;
	*place = (uint32_t)l->place_count;
	if (l->place_count >= UINT32_MAX - 1 ||
	    room_for((void **)&l->places, &l->place_room, l->place_count + 1, sizeof(*l->places)) ||
	    hashindex_add_number(&l->by_address, address, *place))
		return ERR_NOMEM;
	l->places[l->place_count++] = (struct legacy_place){ .address = address };
	return 0;
}

static int legacy_build_add_frame(struct legacy *l, uint64_t address)
{
	uint32_t place;

	if (room_for((void **)&l->stack, &l->stack_room, l->stack_count + 1, sizeof(*l->stack)) ||
	    legacy_build_find_place(l, address, &place))
		return ERR_NOMEM;
	l->stack[l->stack_count++] = place + 1;
	return 0;
}

int legacy_add_sample(struct legacy *l, struct cursor stack, const int64_t *values,
		      const struct profile_label *labels, size_t label_count)
{
	l->stack_count = 0;
	l->naming = (struct legacy_naming){ 0 };
	while (cursor_left(&stack)) {
		scan_expect(&stack, " 0x");
		if (legacy_build_add_frame(l, scan_address(&stack) - 1))
			return ERR_NOMEM;
	}
	if (stack.failed)
		return ERR_FORMAT;
	return profile_add_sample(l->p, l->stack, l->stack_count, values, labels, label_count);
}

static int legacy_build_add_mapping(struct profile *p)
{
	static const struct profile_mapping everything = { .limit = UINT64_MAX };
	uint32_t id;

	return p->mapping_count ? 0 : profile_add_mapping(p, &everything, &id);
}

static void legacy_build_note_names(struct profile_mapping *m, const struct legacy_line *line)
{
	m->has_functions = true;
	m->has_filenames |= line->file != 0;
	m->has_line_numbers |= line->line != 0;
}

static int legacy_build_add_function(struct profile *p, const struct legacy_line *line,
				     uint32_t *id)
{
	struct profile_function f = { .name = line->name,
				      .system_name = line->name,
				      .filename = line->file };

	return profile_add_function(p, &f, id);
}

static int legacy_build_add_location(struct legacy *l, const struct legacy_place *place,
				     struct profile_line *lines)
{
	struct profile_location location = { .mapping = place->address ? 1 : 0,
					     .address = place->address };
	uint32_t id;

	if (location.mapping && legacy_build_add_mapping(l->p))
		return ERR_NOMEM;
	for (size_t i = 0; i < place->lines; i++) {
		const struct legacy_line *from = &l->lines[place->first_line + i];

		lines[i] = (struct profile_line){ .line = from->line };
		if (legacy_build_add_function(l->p, from, &lines[i].function))
			return ERR_NOMEM;
		if (location.mapping)
			legacy_build_note_names(&l->p->mappings[0], from);
	}
	return profile_add_location(l->p, &location, lines, place->lines, &id);
}

int legacy_finish(struct legacy *l)
{
	struct profile_line *lines = malloc((l->line_count + 1) * sizeof(*lines));
	int rc = lines ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < l->place_count; i++)
		rc = legacy_build_add_location(l, &l->places[i], lines);
	free(lines);
	return rc;
}

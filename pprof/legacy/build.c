/*
 * In google/pprof a legacy profile is a graph of pointers. A location is made when its
 * address is first seen. Locations that no sample refers to are dropped; the others are
 * numbered anew (remapLocationIDs) and given mappings. Here places are collected by address,
 * and the profile is written once, in the final order, so its arrays are never rewritten.
 */
#include "pprof/legacy/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/append.h"
#include "pprof/legacy/scan.h"

void legacy_init(struct legacy *l, struct profile *p, struct error *err)
{
	memset(l, 0, sizeof(*l));
	l->p = p;
	l->err = err;
}

void legacy_release(struct legacy *l)
{
	hashindex_release(&l->by_address);
	free(l->places);
	free(l->stack);
	free(l->samples);
	free(l->mappings);
	free(l->lines);
}

int legacy_type(struct legacy *l, const char *type, const char *unit)
{
	return profile_add_type(l->p, type, unit) ? error_nomem(l->err) : 0;
}

int legacy_period(struct legacy *l, const char *type, const char *unit, int64_t period)
{
	l->p->period = period;
	if (profile_string(l->p, type, &l->p->period_type.type) ||
	    profile_string(l->p, unit, &l->p->period_type.unit))
		return error_nomem(l->err);
	return 0;
}

int legacy_string(struct legacy *l, struct cursor text, uint32_t *id)
{
	size_t len = cursor_left(&text);

	if (strset_add(&l->p->strings, len ? (const char *)text.pos : "", len, id))
		return error_nomem(l->err);
	return 0;
}

int legacy_begin_sample(struct legacy *l, struct legacy_sample **sample)
{
	if (room_for((void **)&l->samples, &l->sample_room, l->sample_count + 1,
		     sizeof(*l->samples)))
		return error_nomem(l->err);
	*sample = &l->samples[l->sample_count++];
	**sample = (struct legacy_sample){ .first = l->stack_count };
	return 0;
}

static bool legacy_build_has_address(const void *owner, uint32_t i, const void *key)
{
	return ((const struct legacy *)owner)->places[i].address == *(const uint64_t *)key;
}

static int legacy_build_find_place(struct legacy *l, uint64_t address, uint32_t *place)
{
	uint64_t hash = hash_bytes(&address, sizeof(address));

	*place = hashindex_find(&l->by_address, hash, legacy_build_has_address, l, &address);
	if (*place != HASHINDEX_NONE)
		return 0;
	*place = (uint32_t)l->place_count;
	if (l->place_count >= UINT32_MAX - 1 ||
	    room_for((void **)&l->places, &l->place_room, l->place_count + 1, sizeof(*l->places)) ||
	    hashindex_add(&l->by_address, hash, *place))
		return error_nomem(l->err);
	l->places[l->place_count++] = (struct legacy_place){ .address = address };
	return 0;
}

int legacy_add_frame(struct legacy *l, uint64_t address)
{
	uint32_t place;

	if (room_for((void **)&l->stack, &l->stack_room, l->stack_count + 1, sizeof(*l->stack)))
		return error_nomem(l->err);
	if (legacy_build_find_place(l, address, &place))
		return ERR_NOMEM;
	l->stack[l->stack_count++] = place;
	l->samples[l->sample_count - 1].frames++;
	return 0;
}

/* A byte of the stack behind the "@" of a sample's line: [ x0-9a-f]* */
static bool legacy_build_is_stack(uint8_t ch)
{
	return ch == ' ' || ch == 'x' || is_lower_xdigit(ch);
}

int legacy_add_stack(struct legacy *l, struct cursor text)
{
	struct cursor stack, digits;
	uint64_t address;
	ptrdiff_t at;

	scan_run(&text, legacy_build_is_stack, &stack);
	while ((at = scan_find(&stack, "0x")) >= 0) {
		cursor_bytes(&stack, (size_t)at + 2);
		if (!scan_run(&stack, is_lower_xdigit, &digits))
			continue;
		if (!scan_uint(digits, 16, &address))
			return error_set(l->err, ERR_FORMAT, "an address of more than 64 bits");
		if (legacy_add_frame(l, address - 1))
			return ERR_NOMEM;
	}
	return 0;
}

/* Finishing */

/* Maps places to the profile's locations. */
struct numbering {
	uint32_t *ids;		    /* by place: id of its location, 0 while it has none */
	uint32_t *order;	    /* by location (id - 1): its place */
	uint32_t count;		    /* of locations */
	uint32_t *mappings;	    /* by location (id - 1): id of its mapping */
	struct profile_line *lines; /* of the current location */
	size_t line_room;
};

static void number_places(const struct legacy *l, struct numbering *n)
{
	for (size_t i = 0; i < l->stack_count; i++) {
		uint32_t place = l->stack[i];

		if (n->ids[place])
			continue;
		n->order[n->count] = place;
		n->ids[place] = ++n->count;
	}
}

static void legacy_build_note_names(struct legacy *l, uint32_t mapping,
				    const struct legacy_line *line)
{
	struct profile_mapping *m = &l->p->mappings[mapping - 1];

	m->has_functions = true;
	m->has_filenames |= line->file != 0;
	m->has_line_numbers |= line->line != 0;
}

static int legacy_build_add_location(struct legacy *l, uint32_t i, struct numbering *n)
{
	const struct legacy_place *place = &l->places[n->order[i]];
	struct profile_location location = { .mapping = n->mappings[i], .address = place->address };
	uint32_t id;

	if (room_for((void **)&n->lines, &n->line_room, place->lines, sizeof(*n->lines)))
		return ERR_NOMEM;
	for (size_t k = 0; k < place->lines; k++) {
		const struct legacy_line *from = &l->lines[place->first_line + k];
		struct profile_function f = { .name = from->name,
					      .system_name = from->name,
					      .filename = from->file };

		n->lines[k] = (struct profile_line){ .line = from->line };
		if (profile_add_function(l->p, &f, &n->lines[k].function))
			return ERR_NOMEM;
		if (location.mapping)
			legacy_build_note_names(l, location.mapping, from);
	}
	return profile_add_location(l->p, &location, n->lines, place->lines, &id);
}

static int legacy_build_add_mappings(struct legacy *l, struct numbering *n)
{
	uint64_t *addresses = malloc((n->count + 1) * sizeof(*addresses));
	uint32_t id;
	int rc = addresses ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; !rc && i < n->count; i++)
		addresses[i] = l->places[n->order[i]].address;
	if (!rc)
		rc = legacy_cover(l, addresses, n->count, n->mappings);
	for (size_t i = 0; !rc && i < l->mapping_count; i++)
		rc = profile_add_mapping(l->p, &l->mappings[i], &id);
	free(addresses);
	return rc;
}

/* gperftools may record the leaf twice: from the signal's context and from unwinding. The
 * second one had 1 subtracted when it was read. */
static bool leaf_is_doubled(const struct legacy *l, const struct legacy_sample *s)
{
	return l->drops_doubled_leaf && s->frames > 1 &&
	       l->places[l->stack[s->first]].address ==
		       l->places[l->stack[s->first + 1]].address + 1;
}

static int legacy_build_add_sample(struct legacy *l, const struct legacy_sample *s,
				   const uint32_t *ids, uint32_t *stack)
{
	struct profile_label block = { .num = s->block };
	size_t frames = 0;

	for (size_t i = 0; i < s->frames; i++)
		if (i != 1 || !leaf_is_doubled(l, s))
			stack[frames++] = ids[l->stack[s->first + i]];
	if (s->has_block && profile_string(l->p, "bytes", &block.key))
		return ERR_NOMEM;
	return profile_add_sample(l->p, stack, frames, s->values, &block, s->has_block);
}

static int legacy_build_add_samples(struct legacy *l, const struct numbering *n)
{
	uint32_t *stack = malloc((l->stack_count + 1) * sizeof(*stack));
	int rc = stack ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < l->sample_count; i++)
		rc = legacy_build_add_sample(l, &l->samples[i], n->ids, stack);
	free(stack);
	return rc;
}

static int legacy_build_write_profile(struct legacy *l, struct numbering *n)
{
	int rc;

	number_places(l, n);
	rc = legacy_build_add_mappings(l, n);
	for (uint32_t i = 0; !rc && i < n->count; i++)
		rc = legacy_build_add_location(l, i, n);
	return rc ? rc : legacy_build_add_samples(l, n);
}

int legacy_finish(struct legacy *l)
{
	struct numbering n = {
		.ids = calloc(l->place_count + 1, sizeof(uint32_t)),
		.order = calloc(l->place_count + 1, sizeof(uint32_t)),
		.mappings = calloc(l->place_count + 1, sizeof(uint32_t)),
	};
	int rc = ERR_NOMEM;

	if (n.ids && n.order && n.mappings)
		rc = legacy_build_write_profile(l, &n);
	free(n.ids);
	free(n.order);
	free(n.lines);
	free(n.mappings);
	return rc == ERR_NOMEM ? error_nomem(l->err) : rc;
}

/* The deck is runtime/pprof's pcDeck: frames are put on it as long as they may be inlined into one
 * another, and then become a location that is found again by its first pc. */
#include "runtimes/go/session/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

enum { EXPANDED_MAX = 256 }; /* frames inlined at one place; Go's compiler stays below 40 */

struct builder_mapping {
	struct profile_mapping mapping;
	bool tried, failed; /* proto.go, symbolizeFlag */
};

void builder_init(struct builder *b, struct profile *p, struct pcframes *frames)
{
	static uint32_t last;
	uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);

	*b = (struct builder){ .profile = p, .frames = frames, .number = number };
}

void builder_release(struct builder *b)
{
	free(b->mappings);
	free(b->deck);
	free(b->lines);
	free(b->locations);
	free(b->expanded);
	free(b->function_of);
	builder_init(b, NULL, NULL);
}

int builder_add_mapping(struct builder *b, const struct profile_mapping *mapping)
{
	if (room_for((void **)&b->mappings, &b->mapping_room, b->mapping_count + 1,
		     sizeof(*b->mappings)))
		return ERR_NOMEM;
	b->mappings[b->mapping_count++] = (struct builder_mapping){ .mapping = *mapping };
	return 0;
}

static bool symbol_failed(const struct pcframe *f)
{
	return !f->go || !f->at || !*f->function || !*f->file || !f->line;
}

/* The id of the mapping that contains `pc`; 0: none. As in emitLocation, `pc` is the first one on
 * the deck, and has_functions is set only if all locations of the mapping have symbols. */
static uint32_t builder_mapping_of(struct builder *b, uint64_t pc)
{
	for (size_t i = 0; i < b->mapping_count; i++) {
		struct builder_mapping *m = &b->mappings[i];

		if (pc < m->mapping.start || pc >= m->mapping.limit)
			continue;
		for (size_t j = 0; j < b->deck_count; j++)
			m->failed |= symbol_failed(b->deck[j]);
		m->tried = true;
		return (uint32_t)i + 1;
	}
	return 0;
}

/* Finds or adds a function. Functions are told apart only by name; file and start line come from
 * the first frame with that name. */
static int builder_function_of(struct builder *b, const struct pcframe *f, uint32_t *id)
{
	struct profile_function function = { .start_line = f->start_line };

	if (profile_string(b->profile, f->function, &function.name) ||
	    room_for_zeros((void **)&b->function_of, &b->function_room, function.name + 1u,
			   sizeof(*b->function_of)))
		return ERR_NOMEM;
	*id = b->function_of[function.name];
	if (*id)
		return 0;
	function.system_name = function.name;
	if (profile_string(b->profile, f->file, &function.filename) ||
	    profile_add_function(b->profile, &function, id))
		return ERR_NOMEM;
	b->function_of[function.name] = *id;
	return 0;
}

static int push_location(struct builder *b, uint32_t location)
{
	if (room_for((void **)&b->locations, &b->location_room, b->location_count + 1,
		     sizeof(*b->locations)))
		return ERR_NOMEM;
	b->locations[b->location_count++] = location;
	return 0;
}

/* emitLocation: makes a location, identified by its first pc, from the frames on the deck. */
static int builder_emit(struct builder *b)
{
	struct profile_location location = { 0 };
	struct pcframe *first;

	if (!b->deck_count)
		return 0;
	first = b->deck[0];
	if (room_for((void **)&b->lines, &b->line_room, b->deck_count, sizeof(*b->lines)))
		return ERR_NOMEM;
	for (size_t i = 0; i < b->deck_count; i++) {
		b->lines[i] = (struct profile_line){ .line = b->deck[i]->line };
		if (builder_function_of(b, b->deck[i], &b->lines[i].function))
			return ERR_NOMEM;
	}
	location.address = first->at;
	location.mapping = builder_mapping_of(b, first->pc);
	if (profile_add_location(b->profile, &location, b->lines, b->deck_count, &first->location))
		return ERR_NOMEM;
	first->locations_of = b->number;
	first->location_pcs = (uint32_t)b->deck_count;
	b->deck_count = 0;
	return push_location(b, first->location);
}

/* tryAdd: true if the last frame on the deck may be inlined into this one. A frame of the same
 * function may not ("maybe recursion"); up to 1.21 names were compared as they are printed. */
static bool belongs(const struct builder *b, const struct pcframe *f)
{
	unsigned minor = b->frames->source.minor;
	const struct pcframe *last;

	if (!b->deck_count)
		return true;
	last = b->deck[b->deck_count - 1];
	if ((last->go && !last->inlined) || !last->entry || last->entry != f->entry)
		return false;
	if (minor >= 22)
		return strcmp(last->function, f->function) != 0;
	return !pcframes_same_printed(last->function, f->function, minor);
}

static int push_deck(struct builder *b, struct pcframe *f)
{
	if (room_for((void **)&b->deck, &b->deck_room, b->deck_count + 1, sizeof(*b->deck)))
		return ERR_NOMEM;
	b->deck[b->deck_count++] = f;
	return 0;
}

static bool has_location(const struct builder *b, const struct pcframe *f)
{
	return f->location && f->locations_of == b->number;
}

/* Takes the next frame. *taken: how many frames of the stack it covers. Since 1.19 a pc with a
 * known location can still be a caller of the frames on the deck. */
static int builder_take(struct builder *b, struct pcframe *f, size_t *taken)
{
	bool fits = belongs(b, f), known = has_location(b, f);

	*taken = 1;
	if (known && fits && b->deck_count && b->frames->source.minor >= 19)
		return push_deck(b, f);
	if (!known && !f->exit && fits)
		return push_deck(b, f);
	if (builder_emit(b))
		return ERR_NOMEM;
	if (has_location(b, f)) { /* perhaps since builder_emit(): a recursive function */
		*taken = f->location_pcs;
		return push_location(b, f->location);
	}
	return f->exit ? 0 : push_deck(b, f);
}

/* runtime_expandFinalInlineFrame: a truncated stack may end within inlined frames; adds them. */
static int expand_last(struct builder *b, const uint64_t **pcs, size_t *count)
{
	const struct pcframes_source *source = &b->frames->source;
	struct pcframe *last = *count ? pcframes_find(b->frames, (*pcs)[*count - 1]) : NULL;
	size_t more;

	if (!last)
		return *count ? ERR_NOMEM : 0;
	if (!last->inlined)
		return 0;
	if (room_for((void **)&b->expanded, &b->expanded_room, *count + EXPANDED_MAX,
		     sizeof(*b->expanded)))
		return ERR_NOMEM;
	memcpy(b->expanded, *pcs, (*count - 1) * sizeof(**pcs));
	if (source->expand(source->ctx, last->pc, b->expanded + *count - 1, EXPANDED_MAX, &more))
		return ERR_NOMEM;
	if (more) {
		*pcs = b->expanded;
		*count += more - 1;
	}
	return 0;
}

int builder_locate(struct builder *b, const uint64_t *pcs, size_t count, const uint32_t **locations,
		   size_t *location_count)
{
	size_t taken;

	b->deck_count = b->location_count = 0;
	if (expand_last(b, &pcs, &count))
		return ERR_NOMEM;
	for (size_t i = 0; i < count; i += taken) {
		struct pcframe *f = pcframes_find(b->frames, pcs[i]);

		if (!f || builder_take(b, f, &taken))
			return ERR_NOMEM;
	}
	if (builder_emit(b))
		return ERR_NOMEM;
	*locations = b->locations;
	*location_count = b->location_count;
	return 0;
}

int builder_named(struct builder *b, const char *name, uint32_t *location)
{
	struct pcframe f = { .function = name, .file = "" };
	struct profile_location none = { 0 };
	struct profile_line line = { 0 };

	if (builder_function_of(b, &f, &line.function) ||
	    profile_add_location(b->profile, &none, &line, 1, location))
		return ERR_NOMEM;
	return 0;
}

int builder_finish(struct builder *b)
{
	uint32_t id;

	for (size_t i = 0; i < b->mapping_count; i++) {
		struct profile_mapping *m = &b->mappings[i].mapping;

		m->has_functions = b->mappings[i].tried && !b->mappings[i].failed;
		if (profile_add_mapping(b->profile, m, &id))
			return ERR_NOMEM;
	}
	return 0;
}

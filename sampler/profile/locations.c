/*
 * Each distinct code address is symbolized once. It is announced together with all others of its
 * file, and looked up when a stack first has it; or its names are taken from an earlier profile.
 */
#include "sampler/profile/locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/room.h"
#include "pprof/profile.h"
#include "runtimes/names.h"
#include "sampler/member/member.h"
#include "sampler/profile/assemble.h"
#include "sampler/recorded/recorded.h"
#include "sampler/profile/symbolized.h"
#include "unwind/table/unnamed.h"
#include "symbolize/demangle.h"
#include "symbolize/symbolizer.h"

/* A code address, and the profile's location of it. */
struct place {
	const struct image *image;
	uint64_t addr;
	uint32_t location;
	const char *in_kernel; /* its name, if the place is in the kernel; else NULL */
	const struct interp_function *interpreted; /* its function; NULL: native */
	bool asked;    /* its names were looked up, or taken from an earlier profile */
	bool nameless; /* they were, and its function has no symbol in its file */
};

/* Mappings. */

static int locations_add_mapping(struct locations *p, const struct image *image)
{
	const struct mapping *range = modmap_first_range(p->maps, image);
	struct profile_mapping m = { .start = range->start,
				     .limit = range->end,
				     .offset = range->offset };
	const char *name = image_path(image);

	if (p->mapping_of[image_id(image)])
		return 0;
	if (image == p->recorded->kernel.image && p->recorded->kernel.symbols.count) {
		name = "[kernel.kallsyms]"; /* as perf calls it */
		m.start = p->recorded->kernel.symbols.start;
		m.limit = p->recorded->kernel.symbols.end;
	}
	if (profile_string(p->profile, name, &m.filename) ||
	    profile_string(p->profile, image_build_id(image), &m.build_id))
		return ERR_NOMEM;
	return profile_add_mapping(p->profile, &m, &p->mapping_of[image_id(image)]);
}

static const struct image *find_program(const struct locations *p, struct image *const *images)
{
	for (size_t i = 0; i < p->image_count; i++)
		if (!strcmp(image_path(images[i]), p->recorded->members[0]->process.exe))
			return images[i];
	/* No image has the program's path. As a rule, the program is the first ELF file. */
	for (size_t i = 0; i < p->image_count; i++)
		if (image_elf(images[i]))
			return images[i];
	return NULL;
}

static int locations_add_mappings(struct locations *p)
{
	const struct stackset *stacks = &p->recorded->stacks;
	struct image *const *images = modmap_images(p->maps, &p->image_count);
	const struct image *program = find_program(p, images);

	p->mapping_of = calloc(p->image_count + 1, sizeof(*p->mapping_of));
	p->nameless = calloc(p->image_count + 1, sizeof(*p->nameless));
	if (unnamed_init(&p->unnamed, p->image_count) || !p->mapping_of || !p->nameless ||
	    (program && locations_add_mapping(p, program)))
		return ERR_NOMEM;
	for (size_t i = 0; i < stacks->frame_count; i++)
		if (stacks->frames[i].image && locations_add_mapping(p, stacks->frames[i].image))
			return ERR_NOMEM;
	return 0;
}

struct profile_mapping *locations_mapping_of(const struct locations *p, size_t image)
{
	return &p->profile->mappings[p->mapping_of[image] - 1];
}

/* Locations. */

static bool locations_same_place(const void *owner, uint32_t id, const void *key)
{
	const struct place *p = &((const struct locations *)owner)->all[id];
	const struct place *k = key;

	return p->addr == k->addr && p->image == k->image;
}

static int locations_add_line(struct locations *p, size_t i, const struct symbol_frame *f)
{
	struct profile_function function = { .start_line = f->start_line };

	p->lines[i] = (struct profile_line){ .line = f->line, .column = 0 };
	if (profile_string(p->profile, f->name, &function.name) ||
	    profile_string(p->profile, f->system_name, &function.system_name) ||
	    profile_string(p->profile, f->file, &function.filename))
		return ERR_NOMEM;
	return profile_add_function(p->profile, &function, &p->lines[i].function);
}

/* The interpreter itself tells names and lines. What a JIT compiler has registered for gdb has
 * names as in object files. */
static int add_interpreted_line(struct locations *p, const struct place *place)
{
	const struct interp_function *f = place->interpreted;
	const struct strset *texts = &p->recorded->interpreted.texts;
	const char *name = strset_get(texts, f->name);
	struct arena arena = { 0 };
	struct symbol_frame frame = { .name = demangle(&arena, name),
				      .system_name = name,
				      .file = strset_get(texts, f->file),
				      .line = f->line,
				      .start_line = f->first_line };
	struct profile_mapping *m = locations_mapping_of(p, image_id(place->image));
	int rc;

	m->has_functions = m->has_filenames = m->has_line_numbers = true;
	rc = frame.name ? locations_add_line(p, 0, &frame) : ERR_NOMEM;
	arena_release(&arena);
	if (!rc)
		p->lines[0].column = f->column;
	return rc;
}

static int add_named_line(struct locations *p, const char *name)
{
	struct symbol_frame f = { .name = name, .system_name = name };

	return locations_add_line(p, 0, &f);
}

/* The name is no symbol, so the mapping does not get has_functions, and pprof symbolizes it where
 * it finds the file's symbols. */
static int add_unknown_line(struct locations *p, struct place *place)
{
	char name[UNNAMED_TEXT];
	uint64_t start = 0;

	if (place->asked && p->names.symbolizers &&
	    !symbolizer_leaves_out(symbolizers_of(&p->symbolizers, place->image), place->image) &&
	    unnamed_start(&p->unnamed, place->image, place->addr, &start, &place->nameless))
		return ERR_NOMEM;
	return add_named_line(p, unnamed_text(place->image, place->addr, start, name));
}

/* Code in memory may have been replaced since, so what an earlier profile says of it is used only
 * where nothing is looked up. */
static const struct profile_location *known_of(const struct locations *p, const struct image *image,
					       uint64_t addr)
{
	if (!p->names.known || !image || (p->names.symbolizers && image_is_memory(image)))
		return NULL;
	return symbolized_find(p->names.known, image_id(image), addr);
}

static bool is_interpreted(const struct locations *p, const struct image *image)
{
	return interp_names_find(&p->recorded->interpreted, image, 0) != NULL;
}

static int announce_places(struct locations *p)
{
	const struct stackset *stacks = &p->recorded->stacks;
	struct announcement places = { NULL, 0, 0 };
	int rc = 0, sent;

	for (size_t i = 0; !rc && p->names.symbolizers && i < stacks->frame_count; i++) {
		const struct frame *f = &stacks->frames[i];
		uint64_t addr = frame_code_address(f->addr, f->kind);

		if (f->image && !is_interpreted(p, f->image) && !known_of(p, f->image, addr))
			rc = announce_place(&places, f->image, addr);
	}
	sent = announce_send(&places, &p->symbolizers);
	return rc ? rc : sent;
}

static void note_abilities(struct locations *p, const struct place *place)
{
	struct profile_mapping *m = locations_mapping_of(p, image_id(place->image));

	m->has_functions = true;
	if (symbolizer_has_lines(symbolizers_of(&p->symbolizers, place->image), place->image))
		m->has_filenames = m->has_line_numbers = true;
	if (symbolizer_has_inlines(symbolizers_of(&p->symbolizers, place->image), place->image))
		m->has_inline_frames = true;
}

/* Copies a location's lines from an earlier profile. */
static int copy_lines(struct locations *p, const struct place *place,
		      const struct profile_location *l, size_t *count)
{
	const struct profile *from = &p->names.known->profile;
	struct profile_mapping *m = locations_mapping_of(p, image_id(place->image));

	*count = l->lines;
	if (room_for((void **)&p->lines, &p->line_room, *count, sizeof(*p->lines)))
		return ERR_NOMEM;
	for (size_t i = 0; i < l->lines; i++) {
		const struct profile_line *line = &from->lines[l->first_line + i];
		const struct profile_function none = { 0 };
		const struct profile_function *f = line->function ?
							   &from->functions[line->function - 1] :
							   &none;
		struct symbol_frame frame = {
			.name = strset_get(&from->strings, f->name),
			.system_name = strset_get(&from->strings, f->system_name),
			.file = strset_get(&from->strings, f->filename),
			.line = (uint32_t)line->line,
			.start_line = (uint32_t)f->start_line,
		};

		if (locations_add_line(p, i, &frame))
			return ERR_NOMEM;
	}
	if (l->mapping) {
		const struct profile_mapping *was = &from->mappings[l->mapping - 1];

		m->has_functions |= was->has_functions;
		m->has_filenames |= was->has_filenames;
		m->has_line_numbers |= was->has_line_numbers;
		m->has_inline_frames |= was->has_inline_frames;
	}
	return 0;
}

/* A later profile will have its name. Until then it is a row with all others of its module, not one
 * by its address, which no other profile has. */
static bool is_to_be_named(const struct locations *p, const struct place *place)
{
	return p->names.known && place->image && !place->asked;
}

static int fill_lines(struct locations *p, struct place *place, size_t *count)
{
	bool native = !place->in_kernel && !place->interpreted;
	const struct profile_location *known = !native ? NULL :
							 known_of(p, place->image, place->addr);
	struct symbol symbol = { .count = 0 };

	place->asked = place->image && native && (known || p->names.symbolizers);
	if (known)
		return copy_lines(p, place, known, count);
	if (native && place->image && !place->asked) {
		*count = 0; /* pending */
		return 0;
	}
	if (place->asked && symbolizer_lookup(symbolizers_of(&p->symbolizers, place->image),
					      place->image, place->addr, &symbol))
		return ERR_NOMEM;
	*count = symbol.count ? symbol.count : 1;
	if (room_for((void **)&p->lines, &p->line_room, *count, sizeof(*p->lines)))
		return ERR_NOMEM;
	if (place->interpreted)
		return add_interpreted_line(p, place);
	if (place->in_kernel) {
		locations_mapping_of(p, image_id(place->image))->has_functions = true;
		return add_named_line(p, place->in_kernel);
	}
	if (is_to_be_named(p, place)) {
		*count = 0;
		return 0;
	}
	if (!symbol.count)
		return add_unknown_line(p, place);
	note_abilities(p, place);
	for (size_t i = 0; i < symbol.count; i++)
		if (locations_add_line(p, i, &symbol.frames[i]))
			return ERR_NOMEM;
	return 0;
}

static int locations_add_place(struct locations *p, struct place *place, uint64_t hash)
{
	struct profile_location location = { .address = place->addr };
	size_t lines;

	if (place->image) {
		location.mapping = p->mapping_of[image_id(place->image)];
		location.address += modmap_first_range(p->maps, place->image)->bias;
	}
	if (place->interpreted || (place->in_kernel && place->addr <= UINT32_MAX))
		location.address = 0; /* the kernel does not tell the address */
	if (fill_lines(p, place, &lines) ||
	    profile_add_location(p->profile, &location, p->lines, lines, &place->location) ||
	    room_for((void **)&p->all, &p->room, p->count + 1, sizeof(*p->all)) ||
	    hashindex_add(&p->index, hash, p->count))
		return ERR_NOMEM;
	p->all[p->count++] = *place;
	return 0;
}

/* *id: the place's number in p->all; a new one is added. */
static int locations_find_place(struct locations *p, const struct frame *frame, uint32_t *id)
{
	struct place place = { .image = frame->image,
			       .addr = frame_code_address(frame->addr, frame->kind) };
	uint64_t words[2], hash;

	if (kernelstack_locate(&p->recorded->kernel, frame->image, frame->addr, &place.in_kernel,
			       &place.addr))
		return ERR_NOMEM;
	place.interpreted = interp_names_find(&p->recorded->interpreted, frame->image, frame->addr);
	words[0] = place.addr;
	words[1] = (uint64_t)(uintptr_t)place.image;
	hash = hash_bytes(words, sizeof(words));
	*id = hashindex_find(&p->index, hash, locations_same_place, p, &place);
	if (*id != HASHINDEX_NONE)
		return 0;
	if (locations_add_place(p, &place, hash))
		return ERR_NOMEM;
	*id = p->count - 1;
	return 0;
}

int locations_get(struct locations *p, const struct frame *frame, uint32_t *location)
{
	uint32_t id;

	if (locations_find_place(p, frame, &id))
		return ERR_NOMEM;
	*location = p->all[id].location;
	return 0;
}

int locations_count_leaf(struct locations *p, const struct frame *leaf, uint64_t samples)
{
	const struct place *place;
	uint32_t id;

	if (locations_find_place(p, leaf, &id))
		return ERR_NOMEM;
	place = &p->all[id];
	p->samples += samples;
	if (place->nameless)
		p->nameless[image_id(place->image)] += samples;
	return 0;
}

int locations_add_named(struct locations *p, const char *name, uint32_t *location)
{
	struct profile_location l = { 0 };

	if (room_for((void **)&p->lines, &p->line_room, 1, sizeof(*p->lines)) ||
	    add_named_line(p, name))
		return ERR_NOMEM;
	return profile_add_location(p->profile, &l, p->lines, 1, location);
}

bool locations_is_nameless(const struct image *image, const char *name)
{
	size_t len = strlen(image_name(image));

	return !strncmp(name, image_name(image), len) && (name[len] == '+' || name[len] == '!');
}

/* A name of any frame shows that the image's symbols were read. */
bool locations_has_symbols(struct locations *p, const struct image *image)
{
	const struct stackset *stacks = &p->recorded->stacks;
	struct symbol symbol = { .count = 0 };

	if (locations_mapping_of(p, image_id(image))->has_functions)
		return true;
	for (size_t i = 0; p->names.symbolizers && !symbol.count && i < stacks->frame_count; i++) {
		const struct frame *f = &stacks->frames[i];

		if (f->image == image &&
		    symbolizer_lookup(symbolizers_of(&p->symbolizers, image), image,
				      frame_code_address(f->addr, f->kind), &symbol))
			return false;
	}
	return symbol.count;
}

int locations_variable(struct locations *p, const struct image *image, uint64_t addr,
		       const char **name, uint64_t *offset)
{
	*name = NULL;
	if (!p->names.symbolizers)
		return 0;
	return symbolizer_variable(symbolizers_of(&p->symbolizers, image), image, addr, name,
				   offset);
}

int locations_tell(const struct locations *p)
{
	for (uint32_t i = 0; p->names.places && i < p->count; i++) {
		const struct place *place = &p->all[i];
		struct symbolized_place known = { .addr = place->addr,
						  .location = place->location };

		if (!place->asked)
			continue;
		known.image = image_id(place->image);
		if (buffer_add(p->names.places, &known, sizeof(known)))
			return ERR_NOMEM;
	}
	return 0;
}

int locations_init(struct locations *p, struct recorded *recorded,
		   const struct assemble_names *names, struct profile *profile)
{
	*p = (struct locations){ .recorded = recorded,
				 .maps = recorded->members[0]->maps,
				 .names = *names,
				 .symbolizers = { names->symbolizers, recorded->members,
						  recorded->member_count },
				 .profile = profile };
	return locations_add_mappings(p) || announce_places(p) ? ERR_NOMEM : 0;
}

void locations_release(struct locations *p)
{
	unnamed_release(&p->unnamed);
	free(p->nameless);
	free(p->mapping_of);
	free(p->all);
	free(p->lines);
	hashindex_release(&p->index);
}

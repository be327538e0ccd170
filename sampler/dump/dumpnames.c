/* The symbols of a dump's frames. Each distinct address is looked up once. */
#include <stdlib.h>
#include <string.h>

#include "base/hashindex.h"
#include "base/process/modmap.h"
#include "base/room.h"
#include "sampler/dump/dumplook.h"
#include "runtimes/names.h"
#include "sampler/profile/announce.h"
#include "unwind/table/unnamed.h"
#include "sampler/member/member.h"
#include "symbolize/demangle.h"
#include "symbolize/symbolizer.h"

struct dumpnames_names {
	struct dump *d;
	struct symbolizers symbolizers;
	struct unnamed unnamed;
	struct hashindex index;
	struct dump_frame **known; /* a frame for each distinct address, symbolized */
	uint32_t count;
	size_t room;
};

struct dumpnames_place {
	const struct image *image;
	uint64_t addr;
};

static struct dumpnames_place dumpnames_place_of(const struct dump_frame *f)
{
	return (struct dumpnames_place){ f->image, frame_code_address(f->addr, f->kind) };
}

static bool dumpnames_is_at(const void *owner, uint32_t id, const void *key)
{
	struct dumpnames_place have = dumpnames_place_of(
		((const struct dumpnames_names *)owner)->known[id]);
	const struct dumpnames_place *want = key;

	return have.addr == want->addr && have.image == want->image;
}

/* The name that a profile gives to a function without a symbol. */
static int name_unnamed(struct dumpnames_names *n, struct dump_frame *f)
{
	struct dumpnames_place place = dumpnames_place_of(f);
	struct symbol_frame *call = arena_alloc(&n->d->arena, sizeof(*call));
	char text[UNNAMED_TEXT];
	const char *name;
	bool nameless;

	if (!call || (!symbolizer_leaves_out(symbolizers_of(&n->symbolizers, f->image), f->image) &&
		      unnamed_start(&n->unnamed, f->image, place.addr, &f->function, &nameless)))
		return ERR_NOMEM;
	unnamed_text(f->image, place.addr, f->function, text);
	name = arena_copy(&n->d->arena, text, strlen(text) + 1);
	*call = (struct symbol_frame){ .name = name, .system_name = name };
	f->calls = call;
	f->call_count = 1;
	f->unnamed = true;
	return name ? 0 : ERR_NOMEM;
}

static int dumpnames_look_up(struct dumpnames_names *n, struct dump_frame *f)
{
	struct dumpnames_place place = dumpnames_place_of(f);
	struct symbol symbol;
	struct symbol_frame *calls;

	if (symbolizer_lookup(symbolizers_of(&n->symbolizers, f->image), f->image, place.addr,
			      &symbol))
		return ERR_NOMEM;
	if (!symbol.count)
		return name_unnamed(n, f);
	calls = arena_alloc(&n->d->arena, symbol.count * sizeof(*calls) + 1);
	if (!calls)
		return ERR_NOMEM;
	memcpy(calls, symbol.frames, symbol.count * sizeof(*calls));
	f->calls = calls;
	f->call_count = symbol.count;
	f->function = symbol.start;
	return 0;
}

/* As add_interpreted_line in sampler/profile/locations.c. */
static int name_interpreted(struct dumpnames_names *n, struct dump_frame *f,
			    const struct interp_function *function)
{
	const struct strset *texts = &n->d->interpreted.texts;
	struct symbol_frame *call = arena_alloc(&n->d->arena, sizeof(*call));
	const char *name = strset_get(texts, function->name);
	const char *file = strset_get(texts, function->file);

	const char *shown = demangle(&n->d->arena, name);

	if (!call || !shown)
		return ERR_NOMEM;
	*call = (struct symbol_frame){ .name = shown,
				       .system_name = name,
				       .file = *file ? file : NULL,
				       .line = function->line,
				       .column = function->column,
				       .start_line = function->first_line };
	f->calls = call;
	f->call_count = 1;
	f->interpreted = true;
	return 0;
}

static int dumpnames_name_frame(struct dumpnames_names *n, struct dump_frame *f)
{
	const struct interp_function *function = interp_names_find(&n->d->interpreted, f->image,
								   f->addr);
	struct dumpnames_place place = dumpnames_place_of(f);
	uint64_t words[2] = { place.addr, (uint64_t)(uintptr_t)place.image };
	uint64_t hash = hash_bytes(words, sizeof(words));
	uint32_t id;

	if (function)
		return name_interpreted(n, f, function);
	if (!f->image)
		return 0;
	id = hashindex_find(&n->index, hash, dumpnames_is_at, n, &place);
	if (id == HASHINDEX_NONE) {
		if (room_for((void **)&n->known, &n->room, n->count + 1ul, sizeof(*n->known)))
			return ERR_NOMEM;
		n->known[n->count] = f;
		return dumpnames_look_up(n, f) || hashindex_add(&n->index, hash, n->count++) ?
			       ERR_NOMEM :
			       0;
	}
	f->calls = n->known[id]->calls;
	f->call_count = n->known[id]->call_count;
	f->function = n->known[id]->function;
	f->unnamed = n->known[id]->unnamed;
	return 0;
}

static int name_all(struct dumpnames_names *n)
{
	for (size_t i = 0; i < n->d->count; i++) {
		const struct dump_process *p = &n->d->processes[i];

		for (size_t j = 0; j < p->count; j++)
			for (size_t k = 0; k < p->threads[j].count; k++)
				if (dumpnames_name_frame(n, &p->threads[j].frames[k]))
					return ERR_NOMEM;
	}
	return 0;
}

static int announce_thread(const struct dumpnames_names *n, struct announcement *places,
			   const struct dump_thread *t)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->count; i++)
		if (t->frames[i].image &&
		    !interp_names_find(&n->d->interpreted, t->frames[i].image, 0))
			rc = announce_place(places, t->frames[i].image,
					    dumpnames_place_of(&t->frames[i]).addr);
	return rc;
}

static int announce_all(struct dumpnames_names *n)
{
	struct announcement places = { NULL, 0, 0 };
	int rc = 0, sent;

	for (size_t i = 0; i < n->d->count; i++) {
		const struct dump_process *p = &n->d->processes[i];

		for (size_t j = 0; !rc && j < p->count; j++)
			rc = announce_thread(n, &places, &p->threads[j]);
	}
	sent = announce_send(&places, &n->symbolizers);
	return rc ? rc : sent;
}

int dump_symbolize(struct dump *d, struct symbolizer *const *symbolizers)
{
	struct dumpnames_names n = { .d = d, .symbolizers = { symbolizers, d->members, d->count } };
	size_t images;
	int rc;

	modmap_images(d->members[0]->maps, &images);
	rc = unnamed_init(&n.unnamed, images) || announce_all(&n) || name_all(&n) ? ERR_NOMEM : 0;
	unnamed_release(&n.unnamed);
	hashindex_release(&n.index);
	free(n.known);
	return rc;
}

/* Is it a function of an interpreter, and no seam between its frames and native ones? */
static bool dumpnames_is_function(const struct dump_frame *f)
{
	return f->interpreted && strcmp(f->calls[0].name, "[not merged]") != 0;
}

static void drop_native(struct dump_thread *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++)
		if (dumpnames_is_function(&t->frames[i]))
			t->frames[kept++] = t->frames[i];
	t->count = kept ? kept : t->count;
}

void dump_drop_native(struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		for (size_t j = 0; j < d->processes[i].count; j++)
			drop_native(&d->processes[i].threads[j]);
}

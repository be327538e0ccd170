/* A site is found by its pc and by how the pc was reached. Functions at which tracebacks change are
 * recognized by name once, when their site is made. */
#include "runtimes/go/stacks/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/room.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"

enum {
	SITES_MAX = 1 << 22,
	FRAMES_MAX = 256, /* frames inlined into one another at one pc */
	SENSE_SHIFT = 62, /* bit of a key; no address is as high */
	NAME_ROOM = 32,	  /* longer than the names that are looked for */
	IMAGES_MAX = 1 << 16,
};

/* The funcID of wrappers differs between releases. runtime.deferreturn is a wrapper in each of them
 * (cmd/internal/objabi/funcid.go). */
int gosites_init(struct gosites *s, const struct golive *live)
{
	struct go_function f;

	memset(s, 0, sizeof(*s));
	s->live = live;
	s->minor = live->vars.layout->minor;
	if (gopclntab_named(live->table, "runtime.deferreturn", &f))
		s->wrapper = f.id;
	return 0;
}

void gosites_release(struct gosites *s)
{
	for (size_t i = 0; i < s->others_room; i++)
		gopclntab_close(s->others[i].table);
	free(s->others);
	free(s->all);
	free(s->frames);
	hashindex_release(&s->index);
	memset(s, 0, sizeof(*s));
}

/* The table of a module other than the runtime's, opened on first use. */
static struct gopclntab *other_table(struct gosites *s, const struct image *image)
{
	uint32_t id = image_id(image);
	struct gosites_other *other;

	if (id >= IMAGES_MAX ||
	    room_for_zeros((void **)&s->others, &s->others_room, id + 1u, sizeof(*s->others)))
		return NULL;
	other = &s->others[id];
	if (!other->looked && image != s->live->rt.image) {
		other->looked = true;
		if (gopclntab_open(image, &other->table))
			other->table = NULL;
	}
	return other->table;
}

bool gosites_function(struct gosites *s, uint64_t address, struct gosites_function *f)
{
	const struct mapping *m;

	f->table = s->live->table;
	f->bias = s->live->rt.bias;
	if (gopclntab_find(f->table, address - f->bias, &f->function))
		return true;
	m = s->live->maps ? modmap_find(s->live->maps, address) : NULL;
	f->table = m ? other_table(s, m->image) : NULL;
	if (!f->table)
		return false;
	f->bias = m->bias;
	return gopclntab_find(f->table, address - f->bias, &f->function);
}

/* The functions that change tracebacks (runtime/traceback.go). Names of assembly functions may end
 * in ".abi0". */
enum sites_special { PLAIN, PANICS, SIGPANIC, INJECTED, CALLBACK };

static enum sites_special special_of(const struct gosites_function *f)
{
	static const struct {
		const char *name;
		enum sites_special special;
	} names[] = {
		{ "runtime.gopanic", PANICS },	     { "runtime.panicwrap", PANICS },
		{ "runtime.sigpanic", SIGPANIC },    { "runtime.asyncPreempt", INJECTED },
		{ "runtime.debugCallV2", INJECTED }, { "runtime.cgocallback", CALLBACK },
	};
	char name[NAME_ROOM];

	if (!gopclntab_name(f->table, f->function.name, name, sizeof(name)))
		return PLAIN;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t len = strlen(names[i].name);

		if (!strncmp(name, names[i].name, len) &&
		    (!name[len] || !strcmp(name + len, ".abi0")))
			return names[i].special;
	}
	return PLAIN;
}

/* runtime/traceback.go, (*unwinder).resolveInternal and next; up to 1.20 gentraceback, which treats
 * only sigpanic's callers as interrupted. */
static void sites_find_caller(struct gosites *s, struct gosite *site,
			      const struct gosites_function *f, enum sites_special special,
			      uint64_t pc)
{
	bool injected = special == SIGPANIC || (special == INJECTED && s->minor > 20);

	if (!f->function.pcsp)
		site->kind = GOSITE_FOREIGN;
	else if (f->function.flags & GO_TOP_FRAME)
		site->kind = GOSITE_TOP;
	else if (!gopclntab_stack(f->table, &f->function, pc - f->bias, &site->depth))
		site->kind = GOSITE_BROKEN;
	else if (f->function.flags & GO_SP_WRITE && special != CALLBACK)
		site->kind = GOSITE_MOVES_SP;
	else
		site->kind = injected ? GOSITE_INJECTED : GOSITE_CALLED;
}

static int sites_add_frame(struct gosites *s, struct gosite *site, uint64_t pc, uint8_t id,
			   bool panic)
{
	int rc = room_for((void **)&s->frames, &s->frame_room, s->frame_count + 1,
			  sizeof(*s->frames));

	if (rc)
		return rc;
	s->frames[s->frame_count++] = (struct gosite_frame){ pc, s->wrapper && id == s->wrapper,
							     panic };
	site->count++;
	return 0;
}

/* runtime/symtabinl.go, inlineUnwinder. */
static int sites_find_frames(struct gosites *s, struct gosite *site,
			     const struct gosites_function *f, bool panic, uint64_t pc,
			     enum gosite_sense sense)
{
	bool before = sense == GOSITE_PHYSICAL ||
		      (sense == GOSITE_RETURN && pc - f->bias > f->function.entry);
	uint64_t at = pc - f->bias - before;
	struct go_inlined inlined;
	int rc = 0;

	while (!rc && site->count < FRAMES_MAX &&
	       gopclntab_inlined(f->table, &f->function, at, &inlined)) {
		rc = sites_add_frame(s, site, at + f->bias + 1, inlined.id, false);
		at = inlined.call;
	}
	return rc ? rc : sites_add_frame(s, site, at + f->bias + 1, f->function.id, panic);
}

static int sites_add(struct gosites *s, uint64_t key, uint64_t pc, enum gosite_sense sense,
		     const struct gosites_function *f)
{
	struct gosite site = { .key = key, .first = (uint32_t)s->frame_count };
	enum sites_special special = special_of(f);
	int rc = room_for((void **)&s->all, &s->room, s->count + 1, sizeof(*s->all));

	sites_find_caller(s, &site, f, special, pc);
	if (!rc)
		rc = sites_find_frames(s, &site, f, special == PANICS || special == SIGPANIC, pc,
				       sense);
	if (!rc)
		rc = hashindex_add_number(&s->index, key, (uint32_t)s->count);
	if (rc)
		return rc;
	s->all[s->count++] = site;
	return 0;
}

const struct gosite *gosites_at(struct gosites *s, uint64_t pc, enum gosite_sense sense, int *rc)
{
	uint64_t key = pc | (uint64_t)sense << SENSE_SHIFT;
	struct gosites_function f;
	uint32_t id;

	*rc = 0;
	if (pc >> SENSE_SHIFT)
		return NULL;
	id = HASHINDEX_NUMBER(&s->index, s->all, key, key);
	if (id != HASHINDEX_NONE)
		return &s->all[id];
	if (!gosites_function(s, sense == GOSITE_PHYSICAL ? pc - 1 : pc, &f))
		return NULL;
	if (s->count == SITES_MAX) {
		hashindex_clear(&s->index);
		s->count = s->frame_count = 0;
	}
	*rc = sites_add(s, key, pc, sense, &f);
	return *rc ? NULL : &s->all[s->count - 1];
}

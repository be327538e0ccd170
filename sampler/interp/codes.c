#include "sampler/interp/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "sampler/interp/names.h"

enum {
	ARENA_MAX = 64 << 20, /* bytes of names and line tables; then all are read anew */
	ENTRIES_MAX = 1 << 18,
};

void interp_codes_release(struct interp_codes *c)
{
	free(c->entries);
	free(c->ids);
	free(c->asked);
	hashindex_release(&c->index);
	arena_release(&c->arena);
	memset(c, 0, sizeof(*c));
}

static bool is_of(const void *owner, uint32_t id, const void *key)
{
	const struct interp_entry *e = &((const struct interp_codes *)owner)->entries[id];

	return e->identity.code == *(const uint64_t *)key;
}

static struct interp_entry *find(const struct interp_codes *c, uint64_t code)
{
	uint32_t id = hashindex_find(&c->index, hash_bytes(&code, sizeof(code)), is_of, c, &code);

	return id == HASHINDEX_NONE ? NULL : &c->entries[id];
}

/* A program that makes code all the time would fill our memory. */
static void forget_all(struct interp_codes *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		interp_known_remove(&c->known, c->entries[i].identity.code);
	c->count = 0;
	hashindex_clear(&c->index);
	arena_release(&c->arena);
}

static struct interp_entry *add(struct interp_codes *c, uint64_t code)
{
	struct interp_entry *e;

	if (room_for((void **)&c->entries, &c->room, c->count + 1ul, sizeof(*c->entries)) ||
	    hashindex_add(&c->index, hash_bytes(&code, sizeof(code)), c->count))
		return NULL;
	e = &c->entries[c->count++];
	*e = (struct interp_entry){ .identity.code = code };
	return e;
}

/* Notes each code object of the sample once: in c->asked, first the named ones, then the others.
 * Returns their number, *named of them named; or ERR_NOMEM. */
static long ask(struct interp_codes *c, unsigned of, const struct interp_walk *walk, size_t *named)
{
	size_t count = 0;

	*named = 0;
	if (room_for((void **)&c->asked, &c->asked_room, walk->count, sizeof(*c->asked)) ||
	    room_for((void **)&c->ids, &c->ids_room, walk->count, sizeof(*c->ids)))
		return ERR_NOMEM;
	for (size_t i = 0; i < walk->count; i++) {
		const struct interp_frame *f = &walk->frames[i];
		struct interp_entry *e;

		if (f->runtime != of)
			continue;
		e = find(c, f->code);
		if (!e)
			e = add(c, f->code);
		if (!e)
			return ERR_NOMEM;
		if (e->sample == c->sample)
			continue;
		e->sample = c->sample;
		e->proven = false;
		c->asked[count] = (uint32_t)(e - c->entries);
		if (e->named) {
			uint32_t first = c->asked[*named];

			c->asked[(*named)++] = c->asked[count];
			c->asked[count] = first;
		}
		count++;
	}
	return (long)count;
}

static void identify(struct interp_codes *c, const struct interp_runtime *r,
		     const struct memory *memory, size_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		c->ids[i] = (struct interp_identity){
			.code = c->entries[c->asked[first + i]].identity.code
		};
	if (count)
		r->ops->identify(r->rt, memory, c->ids, count);
}

static bool is_same(const struct interp_identity *a, const struct interp_identity *b)
{
	return a->valid && b->valid && !memcmp(a->words, b->words, sizeof(a->words));
}

/* Notes which of the first `count` ones are what they were, and moves the others to the front.
 * Returns how many these are. */
static size_t compare_named(struct interp_codes *c, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t id = c->asked[i];
		struct interp_entry *e = &c->entries[id];

		e->proven = is_same(&e->identity, &c->ids[i]);
		if (e->proven)
			continue;
		c->asked[i] = c->asked[left];
		c->asked[left++] = id;
	}
	return left;
}

/* Named ones: another code object may be there now. But those that capture has copied, although they
 * are known, were in the hold what the copy says. */
static void prove_named(struct interp_codes *c, const struct interp_runtime *r,
			const struct memory *copy, const struct memory *live, size_t count)
{
	identify(c, r, copy, 0, count);
	count = compare_named(c, count);
	identify(c, r, live, 0, count);
	count = compare_named(c, count);
	for (size_t i = 0; i < count; i++) {
		struct interp_entry *e = &c->entries[c->asked[i]];

		e->named = false;
		interp_known_remove(&c->known, e->identity.code);
	}
}

/* New ones: what they were in the hold, their names, what they are now. */
static int prove_new(struct interp_codes *c, const struct interp_runtime *r,
		     const struct memory *before, const struct memory *live, size_t first,
		     size_t count)
{
	identify(c, r, before, first, count);
	for (size_t i = 0; i < count; i++) {
		struct interp_entry *e = &c->entries[c->asked[first + i]];
		int rc;

		e->identity = c->ids[i];
		if (!e->identity.valid)
			continue;
		memset(&e->code, 0, sizeof(e->code));
		rc = r->ops->resolve(r->rt, live, e->identity.code, &c->arena, &e->code);
		if (rc == ERR_NOMEM)
			return rc;
		e->identity.valid = !rc && (!e->code.identity.valid ||
					    is_same(&e->identity, &e->code.identity));
		e->names = 0;
	}
	identify(c, r, live, first, count);
	for (size_t i = 0; i < count; i++) {
		struct interp_entry *e = &c->entries[c->asked[first + i]];

		e->named = e->proven = is_same(&e->identity, &c->ids[i]);
		if (e->named)
			interp_known_add(&c->known, e->identity.code);
	}
	return 0;
}

int interp_codes_prove(struct interp_codes *c, const struct interp_runtime *r, unsigned of,
		       const struct interp_walk *walk, const struct memory *copy,
		       const struct memory *live, bool still)
{
	size_t named;
	long count;

	if (c->arena.total > ARENA_MAX || c->count > ENTRIES_MAX)
		forget_all(c);
	c->sample++;
	count = ask(c, of, walk, &named);
	if (count < 0)
		return ERR_NOMEM;
	prove_named(c, r, copy, live, named);
	return prove_new(c, r, still ? live : copy, live, named, (size_t)count - named);
}

bool interp_codes_place(struct interp_codes *c, const struct interp_runtime *r,
			const struct interp_frame *frame, uint32_t language,
			struct interp_names *names, uint32_t *place, bool *hidden, int *rc)
{
	struct interp_entry *e = find(c, frame->code);
	struct interp_function f = { .language = language };

	*hidden = false;
	*rc = 0;
	if (!e || !e->proven || e->sample != c->sample)
		return false;
	if (e->names != names->serial) {
		if (strset_addz(&names->texts, e->code.name, &e->name) ||
		    strset_addz(&names->texts, e->code.file, &e->file)) {
			*rc = ERR_NOMEM;
			return false;
		}
		e->names = names->serial;
	}
	*hidden = e->code.hidden || (int64_t)frame->at < e->code.begin;
	f.name = e->name;
	f.file = e->file;
	f.first_line = e->code.first_line;
	r->ops->line(r->rt, &e->code, frame->at, &f.line, &f.column);
	*rc = interp_names_place(names, &f, place);
	return !*rc;
}

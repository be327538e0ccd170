/* The code objects of a sample are noted once each and identified in bulk: those that must be named
 * are moved to the front of the array, those that were not copied to its end. */
#include "runtimes/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "runtimes/names.h"

enum {
	ARENA_MAX = 64 << 20, /* bytes of names and line tables; then all are read anew */
	ENTRIES_MAX = 1 << 18,
	SAME_BEFORE_KNOWN = 100,
	SAME_AFTER_CHANGE = 512,
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

static bool runtimes_codes_is_of(const void *owner, uint32_t id, const void *key)
{
	const struct interp_entry *e = &((const struct interp_codes *)owner)->entries[id];
	const struct interp_frame *f = key;

	return e->identity.code == f->code && e->identity.method == f->method;
}

static uint64_t runtimes_codes_hash_of(const struct interp_frame *f)
{
	uint64_t key = interp_code_key(f->code, f->method);

	return hash_bytes(&key, sizeof(key));
}

static struct interp_entry *runtimes_codes_find(const struct interp_codes *c,
						const struct interp_frame *f)
{
	uint32_t id = hashindex_find(&c->index, runtimes_codes_hash_of(f), runtimes_codes_is_of, c,
				     f);

	return id == HASHINDEX_NONE ? NULL : &c->entries[id];
}

static uint64_t runtimes_codes_key_of(const struct interp_entry *e)
{
	return interp_code_key(e->identity.code, e->identity.method);
}

/* A program that makes code all the time would fill our memory. */
static void runtimes_codes_forget_all(struct interp_codes *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		interp_known_remove(&c->known, runtimes_codes_key_of(&c->entries[i]));
	c->count = 0;
	hashindex_clear(&c->index);
	arena_release(&c->arena);
}

static struct interp_entry *runtimes_codes_add(struct interp_codes *c, const struct interp_frame *f)
{
	struct interp_entry *e;

	if (room_for((void **)&c->entries, &c->room, c->count + 1ul, sizeof(*c->entries)) ||
	    hashindex_add(&c->index, runtimes_codes_hash_of(f), c->count))
		return NULL;
	e = &c->entries[c->count++];
	*e = (struct interp_entry){ .identity = { .code = f->code, .method = f->method } };
	return e;
}

/* Notes each code object of the sample once in c->asked. Returns their number, or ERR_NOMEM. */
static long runtimes_codes_ask(struct interp_codes *c, unsigned of, const struct interp_walk *walk)
{
	long count = 0;

	if (room_for((void **)&c->asked, &c->asked_room, walk->count, sizeof(*c->asked)) ||
	    room_for((void **)&c->ids, &c->ids_room, walk->count, sizeof(*c->ids)))
		return ERR_NOMEM;
	for (size_t i = 0; i < walk->count; i++) {
		const struct interp_frame *f = &walk->frames[i];
		struct interp_entry *e;

		if (f->runtime != of)
			continue;
		e = runtimes_codes_find(c, f);
		if (!e)
			e = runtimes_codes_add(c, f);
		if (!e)
			return ERR_NOMEM;
		if (e->sample == c->sample)
			continue;
		e->sample = c->sample;
		e->proven = false;
		c->asked[count++] = (uint32_t)(e - c->entries);
	}
	return count;
}

/* Reads the identities of `count` code objects, from c->asked[first] on, to the same places of
 * c->ids. */
static void runtimes_codes_identify(struct interp_codes *c, const struct interp_runtime *r,
				    const struct memory *memory, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		c->ids[i] = (struct interp_identity){
			.code = c->entries[c->asked[i]].identity.code,
			.method = c->entries[c->asked[i]].identity.method,
		};
	if (count)
		r->ops->identify(r->rt, memory, c->ids + first, count);
}

static bool runtimes_codes_is_same(const struct interp_identity *a, const struct interp_identity *b)
{
	return a->valid && b->valid && !memcmp(a->words, b->words, sizeof(a->words));
}

/* A copy of the stop has shown the code object that was there before. */
static void runtimes_codes_confirm(struct interp_codes *c, struct interp_entry *e)
{
	e->proven = true;
	e->same++;
	if (!e->known && e->same >= (e->changed		? SAME_AFTER_CHANGE :
				     e->identity.unique ? 1 :
							  SAME_BEFORE_KNOWN)) {
		interp_known_add(&c->known, runtimes_codes_key_of(e));
		e->known = true;
	}
}

/* Another code object is at the address. */
static void change(struct interp_codes *c, struct interp_entry *e)
{
	e->changed |= e->named;
	e->named = e->known = false;
	e->same = 0;
	interp_known_remove(&c->known, runtimes_codes_key_of(e));
}

static void swap(struct interp_codes *c, size_t a, size_t b)
{
	struct interp_identity id = c->ids[a];
	uint32_t asked = c->asked[a];

	c->ids[a] = c->ids[b];
	c->asked[a] = c->asked[b];
	c->ids[b] = id;
	c->asked[b] = asked;
}

/* Compares the first `count` code objects of c->asked with the identities in the sample's copy.
 * Moves those whose names have to be read to the front, and returns their number. Moves those that
 * have names, but were not copied, to the end, from *uncopied on. */
static size_t runtimes_codes_compare(struct interp_codes *c, size_t count, size_t *uncopied)
{
	size_t fresh = 0, i = 0;

	*uncopied = count;
	while (i < *uncopied) {
		struct interp_entry *e = &c->entries[c->asked[i]];

		if (!c->ids[i].valid && e->named) {
			swap(c, i, --*uncopied);
			continue;
		}
		if (e->named && runtimes_codes_is_same(&e->identity, &c->ids[i])) {
			runtimes_codes_confirm(c, e);
		} else if (c->ids[i].valid) {
			change(c, e);
			e->identity = c->ids[i];
			swap(c, i, fresh++);
		}
		i++;
	}
	return fresh;
}

/* A code object that was not copied may have been replaced. If its identity is the same now, it is
 * proven, but only if it is known: else it was left out because it could not be copied. */
static void prove_uncopied(struct interp_codes *c, const struct interp_runtime *r,
			   const struct memory *live, size_t first, size_t count)
{
	runtimes_codes_identify(c, r, live, first, count);
	for (size_t i = first; i < first + count; i++) {
		struct interp_entry *e = &c->entries[c->asked[i]];

		if (!runtimes_codes_is_same(&e->identity, &c->ids[i]))
			change(c, e);
		else
			e->proven = e->known;
	}
}

/* Reads names, and then the identities once more: names count if these are those of the stop. */
static int name_fresh(struct interp_codes *c, const struct interp_runtime *r,
		      const struct memory *live, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct interp_entry *e = &c->entries[c->asked[i]];
		int rc;

		memset(&e->code, 0, sizeof(e->code));
		rc = r->ops->resolve(r->rt, live, &e->identity, &c->arena, &e->code);
		if (rc == ERR_NOMEM)
			return rc;
		e->identity.valid = !rc &&
				    (!e->code.identity.valid ||
				     runtimes_codes_is_same(&e->identity, &e->code.identity));
		e->names = 0;
	}
	runtimes_codes_identify(c, r, live, 0, count);
	for (size_t i = 0; i < count; i++) {
		struct interp_entry *e = &c->entries[c->asked[i]];

		e->named = runtimes_codes_is_same(&e->identity, &c->ids[i]);
		if (e->named)
			runtimes_codes_confirm(c, e);
	}
	return 0;
}

int interp_codes_prove(struct interp_codes *c, const struct interp_runtime *r, unsigned of,
		       const struct interp_walk *walk, const struct memory *seen,
		       const struct memory *live, bool *proven)
{
	size_t fresh, uncopied;
	long count;
	int rc;

	if (c->arena.total > ARENA_MAX || c->count > ENTRIES_MAX)
		runtimes_codes_forget_all(c);
	c->sample++;
	count = runtimes_codes_ask(c, of, walk);
	if (count < 0)
		return ERR_NOMEM;
	runtimes_codes_identify(c, r, seen, 0, (size_t)count);
	fresh = runtimes_codes_compare(c, (size_t)count, &uncopied);
	prove_uncopied(c, r, live, uncopied, (size_t)count - uncopied);
	rc = name_fresh(c, r, live, fresh);
	*proven = true;
	for (long i = 0; i < count; i++)
		*proven &= c->entries[c->asked[i]].proven;
	return rc;
}

bool interp_codes_place(struct interp_codes *c, const struct interp_runtime *r,
			const struct interp_frame *frame, uint32_t language,
			struct interp_names *names, uint32_t *place, bool *hidden, int *rc)
{
	struct interp_entry *e = runtimes_codes_find(c, frame);
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
	if (!(frame->flags & INTERP_INEXACT))
		r->ops->line(r->rt, &e->code, frame->at, &f.line, &f.column);
	*rc = interp_names_place(names, &f, place);
	return !*rc;
}

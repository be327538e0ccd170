/* Each code object of a sample is listed once in c->sampled, and all are identified together. Those
 * that need names are moved to the front of that array, those that the stop did not copy to its
 * end. */
#include "runtimes/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "runtimes/names.h"

enum {
	ARENA_MAX = 64 << 20, /* bytes of names and line tables; then all are read anew */
	ENTRIES_MAX = 1 << 18,
	SAME_BEFORE_KNOWN = 100, /* samples in a row, until a code object is known (codes.h) */
	SAME_AFTER_CHANGE = 512, /* the same, where another one was at its address before */
};

void interp_codes_release(struct interp_codes *c)
{
	free(c->entries);
	free(c->ids);
	free(c->sampled);
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

/* Bounds the memory that a program takes which makes code all the time. */
static void runtimes_codes_clear(struct interp_codes *c)
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

/* Lists each code object of runtime number `of` once in c->sampled. Returns their number, or
 * ERR_NOMEM. */
static long runtimes_codes_gather(struct interp_codes *c, unsigned of,
				  const struct interp_walk *walk)
{
	long count = 0;

	if (room_for((void **)&c->sampled, &c->sampled_room, walk->count, sizeof(*c->sampled)) ||
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
		c->sampled[count++] = (uint32_t)(e - c->entries);
	}
	return count;
}

/* Reads the identities of `count` code objects, from c->sampled[first] on, to the same places of
 * c->ids. */
static void runtimes_codes_identify(struct interp_codes *c, const struct interp_runtime *r,
				    const struct memory *memory, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		c->ids[i] = (struct interp_identity){
			.code = c->entries[c->sampled[i]].identity.code,
			.method = c->entries[c->sampled[i]].identity.method,
		};
	if (count)
		r->ops->identify(r->rt, memory, c->ids + first, count);
}

static bool runtimes_codes_is_same(const struct interp_identity *a, const struct interp_identity *b)
{
	return a->valid && b->valid && !memcmp(a->words, b->words, sizeof(a->words));
}

/* The code object in the copy is the one that was at its address before. */
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

/* Another code object is at the address now. */
static void mark_replaced(struct interp_codes *c, struct interp_entry *e)
{
	e->changed |= e->named;
	e->named = e->known = false;
	e->same = 0;
	interp_known_remove(&c->known, runtimes_codes_key_of(e));
}

static void swap_sampled(struct interp_codes *c, size_t a, size_t b)
{
	struct interp_identity id = c->ids[a];
	uint32_t sampled = c->sampled[a];

	c->ids[a] = c->ids[b];
	c->sampled[a] = c->sampled[b];
	c->ids[b] = id;
	c->sampled[b] = sampled;
}

/* Compares the `count` code objects of c->sampled with their identities in the sample's copy. Moves
 * those that need names to the front, and returns how many they are. Moves those that have names
 * and were not copied to the end; *uncopied is the index of the first of them. */
static size_t runtimes_codes_compare(struct interp_codes *c, size_t count, size_t *uncopied)
{
	size_t to_name = 0, i = 0;

	*uncopied = count;
	while (i < *uncopied) {
		struct interp_entry *e = &c->entries[c->sampled[i]];

		if (!c->ids[i].valid && e->named) {
			swap_sampled(c, i, --*uncopied);
			continue;
		}
		if (e->named && runtimes_codes_is_same(&e->identity, &c->ids[i])) {
			runtimes_codes_confirm(c, e);
		} else if (c->ids[i].valid) {
			mark_replaced(c, e);
			e->identity = c->ids[i];
			swap_sampled(c, i, to_name++);
		}
		i++;
	}
	return to_name;
}

/* A code object that was not copied is proven if its identity is still the same, and if it was left
 * out of the copy because it is known. One that is not known could not be copied, which proves
 * nothing. */
static void prove_uncopied(struct interp_codes *c, const struct interp_runtime *r,
			   const struct memory *live, size_t first, size_t count)
{
	runtimes_codes_identify(c, r, live, first, count);
	for (size_t i = first; i < first + count; i++) {
		struct interp_entry *e = &c->entries[c->sampled[i]];

		if (!runtimes_codes_is_same(&e->identity, &c->ids[i]))
			mark_replaced(c, e);
		else
			e->proven = e->known;
	}
}

/* Reads names, then the identities again. The names are valid if an identity is still that of the
 * stop. */
static int name_codes(struct interp_codes *c, const struct interp_runtime *r,
		      const struct memory *live, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct interp_entry *e = &c->entries[c->sampled[i]];
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
		struct interp_entry *e = &c->entries[c->sampled[i]];

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
	size_t to_name, uncopied;
	long count;
	int rc;

	if (c->arena.total > ARENA_MAX || c->count > ENTRIES_MAX)
		runtimes_codes_clear(c);
	c->sample++;
	count = runtimes_codes_gather(c, of, walk);
	if (count < 0)
		return ERR_NOMEM;
	runtimes_codes_identify(c, r, seen, 0, (size_t)count);
	to_name = runtimes_codes_compare(c, (size_t)count, &uncopied);
	prove_uncopied(c, r, live, uncopied, (size_t)count - uncopied);
	rc = name_codes(c, r, live, to_name);
	*proven = true;
	for (long i = 0; i < count; i++)
		*proven &= c->entries[c->sampled[i]].proven;
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

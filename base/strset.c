/* The texts lie in an arena, so their addresses hold as long as the set. A hash of the text leads
 * to its number. */
#include "base/strset.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

int strset_init(struct strset *s)
{
	uint32_t id;

	memset(s, 0, sizeof(*s));
	return strset_add(s, "", 0, &id);
}

void strset_release(struct strset *s)
{
	arena_release(&s->arena);
	hashindex_release(&s->index);
	free(s->entries);
	memset(s, 0, sizeof(*s));
}

static bool strset_same(const void *owner, uint32_t id, const void *key)
{
	const struct strset_entry *a = &((const struct strset *)owner)->entries[id];
	const struct strset_entry *b = key;

	return a->len == b->len && (!a->len || memcmp(a->text, b->text, a->len) == 0);
}

static int strset_make_room(struct strset *s, size_t need)
{
	static const size_t most = 1ul << 31; /* numbers have 32 bits */

	if (need > most)
		return ERR_NOMEM;
	return room_for((void **)&s->entries, &s->room, need, sizeof(*s->entries));
}

int strset_reserve(struct strset *s, size_t more)
{
	if (more > UINT32_MAX || strset_make_room(s, s->count + more))
		return ERR_NOMEM;
	return hashindex_reserve(&s->index, more);
}

int strset_add(struct strset *s, const char *text, size_t len, uint32_t *id)
{
	struct strset_entry e = { text, len };
	uint64_t hash = hash_bytes(text, len);

	*id = hashindex_find(&s->index, hash, strset_same, s, &e);
	if (*id != HASHINDEX_NONE)
		return 0;
	if (strset_make_room(s, (size_t)s->count + 1) ||
	    !(e.text = arena_copy(&s->arena, text, len)) ||
	    hashindex_add(&s->index, hash, s->count))
		return ERR_NOMEM;
	*id = s->count;
	s->entries[s->count++] = e;
	return 0;
}

int strset_addz(struct strset *s, const char *text, uint32_t *id)
{
	return strset_add(s, text ? text : "", text ? strlen(text) : 0, id);
}

const char *strset_get(const struct strset *s, uint32_t id)
{
	return id < s->count ? s->entries[id].text : "";
}

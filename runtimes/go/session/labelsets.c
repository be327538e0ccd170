/* Two indices lead to a set: by address, emptied with each batch, and by the text that Go would
 * print (labelMap.String), which makes equal sets one. */
#include "runtimes/go/session/labelsets.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/gotext/goquote.h"
#include "pprof/profile.h"
#include "runtimes/go/labels.h"

struct labelsets_seen {
	uint64_t address;
	uint32_t set;
};

void labelsets_release(struct labelsets *s)
{
	arena_release(&s->arena);
	free(s->sets);
	hashindex_release(&s->texts);
	buffer_release(&s->text);
	free(s->seen);
	hashindex_release(&s->addresses);
	free(s->made);
	*s = (struct labelsets){ 0 };
}

uint32_t labelsets_at(const struct labelsets *s, uint64_t address)
{
	uint32_t i = HASHINDEX_NUMBER(&s->addresses, s->seen, address, address);

	return i == HASHINDEX_NONE ? 0 : s->seen[i].set;
}

void labelsets_forget(struct labelsets *s)
{
	s->seen_count = 0;
	hashindex_clear(&s->addresses);
}

/* The text of one label: `len` bytes at text + from. */
struct labelsets_piece {
	size_t from, len;
	const uint8_t *text;
};

static int labelsets_by_text(const void *a, const void *b)
{
	const struct labelsets_piece *x = a, *y = b;
	int order = memcmp(x->text + x->from, y->text + y->from, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static int quote_each(const struct golabel *labels, size_t count, struct labelsets_piece *pieces,
		      struct buffer *text)
{
	for (size_t i = 0; i < count; i++) {
		pieces[i].from = text->len;
		if (goquote(labels[i].key, labels[i].key_len, text) || buffer_add(text, ":", 1) ||
		    goquote(labels[i].value, labels[i].value_len, text))
			return ERR_NOMEM;
		pieces[i].len = text->len - pieces[i].from;
	}
	return 0;
}

/* label.go, labelMap.String: sorted by text, which is not always the order of keys. */
static int labelsets_write_text(const struct golabel *labels, size_t count, struct buffer *out)
{
	struct buffer text = { 0 };
	struct labelsets_piece *pieces = calloc(count + 1, sizeof(*pieces));
	int rc = !pieces || quote_each(labels, count, pieces, &text) ? ERR_NOMEM :
								       buffer_add(out, "{", 1);

	for (size_t i = 0; i < count && !rc; i++)
		pieces[i].text = text.data;
	if (!rc)
		qsort(pieces, count, sizeof(*pieces), labelsets_by_text);
	for (size_t i = 0; i < count && !rc; i++)
		if ((i && buffer_add(out, ", ", 2)) ||
		    buffer_add(out, text.data + pieces[i].from, pieces[i].len))
			rc = ERR_NOMEM;
	free(pieces);
	buffer_release(&text);
	return rc ? rc : buffer_add(out, "}", 1);
}

static bool labelsets_same_text(const void *owner, uint32_t i, const void *key)
{
	const struct labelset *set = &((const struct labelsets *)owner)->sets[i];
	const struct buffer *text = key;

	return set->len == text->len && !memcmp(set->text, text->data, text->len);
}

static const struct golabel *copy_labels(struct labelsets *s, const struct golabel *labels,
					 size_t count)
{
	struct golabel *copy = arena_alloc(&s->arena, (count + !count) * sizeof(*copy));

	for (size_t i = 0; i < count && copy; i++) {
		copy[i] = labels[i];
		copy[i].key = arena_copy(&s->arena, labels[i].key, labels[i].key_len);
		copy[i].value = arena_copy(&s->arena, labels[i].value, labels[i].value_len);
		if (!copy[i].key || !copy[i].value)
			return NULL;
	}
	return copy;
}

static int add_set(struct labelsets *s, const struct golabel *labels, size_t count, uint64_t hash)
{
	struct labelset set = { .len = s->text.len, .count = count };

	set.text = arena_copy(&s->arena, s->text.data, s->text.len);
	set.labels = copy_labels(s, labels, count);
	if (!set.text || !set.labels || s->count >= UINT32_MAX - 2 ||
	    room_for((void **)&s->sets, &s->room, s->count + 1, sizeof(*s->sets)) ||
	    hashindex_add(&s->texts, hash, (uint32_t)s->count))
		return ERR_NOMEM;
	s->sets[s->count++] = set;
	return 0;
}

static int labelsets_remember(struct labelsets *s, uint64_t address, uint32_t set)
{
	if (!address || labelsets_at(s, address) || s->seen_count >= UINT32_MAX - 2)
		return 0;
	if (room_for((void **)&s->seen, &s->seen_room, s->seen_count + 1, sizeof(*s->seen)) ||
	    hashindex_add_number(&s->addresses, address, (uint32_t)s->seen_count))
		return ERR_NOMEM;
	s->seen[s->seen_count++] = (struct labelsets_seen){ address, set };
	return 0;
}

int labelsets_add(struct labelsets *s, uint64_t address, const struct golabel *labels, size_t count,
		  uint32_t *set)
{
	uint64_t hash;
	uint32_t i;

	s->text.len = 0;
	if (labelsets_write_text(labels, count, &s->text))
		return ERR_NOMEM;
	hash = hash_bytes(s->text.data, s->text.len);
	i = hashindex_find(&s->texts, hash, labelsets_same_text, s, &s->text);
	if (i == HASHINDEX_NONE) {
		i = (uint32_t)s->count;
		if (s->arena.total > LABELSETS_BYTES_MAX)
			return ERR_LIMIT;
		if (add_set(s, labels, count, hash))
			return ERR_NOMEM;
	}
	*set = i + 1;
	return labelsets_remember(s, address, *set);
}

int labelsets_make(struct labelsets *s, uint32_t set, struct profile *p,
		   const struct profile_label **labels, size_t *count)
{
	const struct labelset *from = set ? &s->sets[set - 1] : NULL;

	*count = 0;
	if (from && room_for((void **)&s->made, &s->made_room, from->count, sizeof(*s->made)))
		return ERR_NOMEM;
	for (size_t i = 0; from && i < from->count; i++) {
		const struct golabel *l = &from->labels[i];
		struct profile_label label = { 0 };

		if (profile_text(p, l->key, l->key_len, &label.key) ||
		    profile_text(p, l->value, l->value_len, &label.str))
			return ERR_NOMEM;
		s->made[(*count)++] = label;
	}
	*labels = s->made;
	return 0;
}

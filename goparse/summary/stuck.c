/*
 * A goroutine of the first dump is stored as its id, a 64-bit hash of its state and stack, and the
 * number of the last dump in which it was the same. This is about 40 bytes with the slot in the
 * index; the stack itself would take hundreds. Only goroutines of the first dump are stored,
 * because others cannot be in all dumps. A stack is compared only with the same goroutine's stack
 * in other dumps, and hashes start from a seed of this process. So stacks with equal hashes count
 * as equal.
 *
 * A goroutine without a known stack (it was running, or has no frames) never counts as the same.
 *
 * The g0s of all threads have the id 0. Any two with equal stacks are interchangeable.
 */
#include "goparse/summary/stuck.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"

struct stuck_entry {
	uint64_t id, hash;
	uint32_t dump; /* it was the same in all dumps up to this one */
};

struct stuck {
	struct stuck_entry *entries;
	size_t count, room;
	struct hashindex index; /* of entries */
	uint32_t dump;		/* the current one, from 1 */
};

int stuck_new(struct stuck **s, struct error *err)
{
	*s = calloc(1, sizeof(**s));
	return *s ? 0 : error_nomem(err);
}

void stuck_free(struct stuck *s)
{
	if (!s)
		return;
	hashindex_release(&s->index);
	free(s->entries);
	free(s);
}

void stuck_next_dump(struct stuck *s)
{
	s->dump++;
}

/* Bytes that are hashed together. When the buffer is full, its hash replaces its contents. */
struct digest {
	size_t len;
	uint8_t bytes[4096];
};

static uint64_t digest_end(const struct digest *d)
{
	return hash_bytes(d->bytes, d->len);
}

static void digest_add(struct digest *d, const void *data, size_t len)
{
	const uint8_t *from = data;

	while (len) {
		size_t room = sizeof(d->bytes) - d->len, part = len < room ? len : room;

		memcpy(d->bytes + d->len, from, part);
		d->len += part;
		from += part;
		len -= part;
		if (d->len == sizeof(d->bytes)) {
			uint64_t hash = digest_end(d);

			memcpy(d->bytes, &hash, sizeof(hash));
			d->len = sizeof(hash);
		}
	}
}

/* Lengths come first, so that different lists of texts always have different bytes. */
static void stuck_digest_text(struct digest *d, struct goparse_text t)
{
	digest_add(d, &t.len, sizeof(t.len));
	digest_add(d, t.at, t.len);
}

static void digest_frame(struct digest *d, const struct goparse_frame *f)
{
	stuck_digest_text(d, f->function);
	stuck_digest_text(d, f->file);
	digest_add(d, &f->line, sizeof(f->line));
}

static uint64_t hash_goroutine(const struct goparse_goroutine *g)
{
	const struct goparse_stack *s = &g->stack;
	uint64_t numbers[5] = { s->id, s->count, s->elided, s->elided ? s->elided_at : 0,
				s->elided_count };
	struct digest d;

	d.len = 0;
	digest_add(&d, numbers, sizeof(numbers));
	stuck_digest_text(&d, g->state);
	for (size_t i = 0; i < s->count; i++)
		digest_frame(&d, &s->frames[i]);
	digest_frame(&d, &s->created_by);
	return digest_end(&d);
}

static bool stuck_same_entry(const void *owner, uint32_t i, const void *key)
{
	const struct stuck_entry *a = &((const struct stuck *)owner)->entries[i], *b = key;

	return a->id == b->id && a->hash == b->hash;
}

int stuck_add(struct stuck *s, const struct goparse_goroutine *g, bool *all, struct error *err)
{
	struct stuck_entry e = { g->stack.id, hash_goroutine(g), s->dump };
	uint32_t found;

	*all = s->dump <= 1;
	if (!g->stack.count)
		return 0;
	found = hashindex_find(&s->index, e.hash, stuck_same_entry, s, &e);
	if (found == HASHINDEX_NONE) {
		if (!*all)
			return 0;
		if (s->count >= HASHINDEX_NONE - 1 ||
		    room_for((void **)&s->entries, &s->room, s->count + 1, sizeof(e)) ||
		    hashindex_add(&s->index, e.hash, (uint32_t)s->count))
			return error_nomem(err);
		s->entries[s->count++] = e;
		return 0;
	}
	if (s->entries[found].dump + 1 >= s->dump) {
		s->entries[found].dump = s->dump;
		*all = true;
	}
	return 0;
}

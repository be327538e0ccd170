/* The ids that came are bits in blocks of 64, found by a hash of the block's number, since ids of
 * one dump lie close together. */
#include "goparse/summary/dumps.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "goparse/text.h"

enum { BLOCK = 64 };

void dumps_release(struct dumps *d)
{
	free(d->blocks);
	hashindex_release(&d->index);
	*d = (struct dumps){ 0 };
}

static void clear_ids(struct dumps *d)
{
	d->count = 0;
	hashindex_clear(&d->index);
}

void dumps_clear(struct dumps *d)
{
	clear_ids(d);
	d->any = false;
}

static bool has_number(const void *owner, uint32_t i, const void *key)
{
	return ((const struct dumps *)owner)->blocks[i].number == *(const uint64_t *)key;
}

/* The block of an id; NULL: none of its goroutines has come. */
static struct dumps_block *dumps_find(const struct dumps *d, uint64_t id)
{
	uint64_t number = id / BLOCK;
	uint32_t at = hashindex_find(&d->index, hash_bytes(&number, sizeof(number)), has_number, d,
				     &number);

	return at == HASHINDEX_NONE ? NULL : &d->blocks[at];
}

static bool dumps_has(const struct dumps *d, uint64_t id)
{
	const struct dumps_block *b = dumps_find(d, id);

	return id && b && b->bits >> id % BLOCK & 1;
}

static int dumps_add_id(struct dumps *d, uint64_t id)
{
	uint64_t number = id / BLOCK;
	struct dumps_block *b = dumps_find(d, id);

	if (!b) {
		if (room_for((void **)&d->blocks, &d->room, d->count + 1, sizeof(*d->blocks)) ||
		    hashindex_add(&d->index, hash_bytes(&number, sizeof(number)),
				  (uint32_t)d->count))
			return ERR_NOMEM;
		b = &d->blocks[d->count++];
		*b = (struct dumps_block){ .number = number };
	}
	b->bits |= UINT64_C(1) << id % BLOCK;
	return 0;
}

/* True for a goroutine that prints dumps, and for the g0 that received a SIGQUIT. */
static bool leads(const struct goparse_goroutine *g)
{
	return !g->stack.id || (text_is(g->state, LITERAL("running")) && !g->stack.unavailable);
}

int dumps_add(struct dumps *d, const struct goparse_goroutine *g, bool *begins, bool *again)
{
	bool seen = dumps_has(d, g->stack.id), next_seen = dumps_has(d, g->next);

	if (!d->any)
		d->led_by_first = leads(g);
	d->any = true;
	*begins = !g->relayed &&
		  (seen ? next_seen || leads(g) : next_seen && leads(g) && d->led_by_first);
	*again = seen && !*begins;
	if (*begins)
		clear_ids(d);
	return g->stack.id ? dumps_add_id(d, g->stack.id) : 0;
}

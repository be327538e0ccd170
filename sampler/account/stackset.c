/* A hash over context and frames leads to the entry. All frames lie in one array, of which an entry
 * has a range; entries of one stack in several contexts share it. */
#include "sampler/account/stackset.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

void stackset_release(struct stackset *s)
{
	free(s->entries);
	free(s->frames);
	hashindex_release(&s->index);
	*s = (struct stackset){ 0 };
}

struct stackset_key {
	const struct stack_context *context;
	const struct stack *stack;
};

static bool same_context(const struct stack_context *a, const struct stack_context *b)
{
	return a->member == b->member && a->thread == b->thread && a->state == b->state &&
	       a->syscall == b->syscall && a->labels == b->labels && a->goid == b->goid &&
	       a->lock == b->lock && a->owner_stack == b->owner_stack && a->awaited == b->awaited &&
	       a->gil == b->gil && a->cut == b->cut;
}

/* Frames are compared field by field: their padding may hold anything. */
static bool stackset_same(const void *owner, uint32_t id, const void *key)
{
	const struct stackset *s = owner;
	const struct stackset_entry *e = &s->entries[id];
	const struct frame *a = s->frames + e->first;
	const struct stackset_key *k = key;
	const struct frame *b = k->stack->frames;

	if (!same_context(&e->context, k->context) || e->count != k->stack->count)
		return false;
	for (size_t i = 0; i < e->count; i++)
		if (a[i].addr != b[i].addr || a[i].image != b[i].image || a[i].kind != b[i].kind)
			return false;
	return true;
}

static uint64_t hash_key(const struct stackset_key *k)
{
	uint64_t h = k->context->thread ^ (uint64_t)k->context->state << 60 ^
		     (uint64_t)(uint32_t)k->context->syscall << 32 ^
		     (uint64_t)k->context->member << 40 ^ (uint64_t)k->context->labels << 20 ^
		     k->context->goid << 8 ^ (uint64_t)k->context->lock << 36 ^
		     (uint64_t)k->context->owner_stack << 12 ^ (uint64_t)k->context->awaited << 24;

	for (size_t i = 0; i < k->stack->count; i++) {
		const struct frame *f = &k->stack->frames[i];
		uint64_t word = f->addr ^ (uint64_t)(uintptr_t)f->image << 17 ^
				(uint64_t)f->kind << 62;

		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h * 0x9e3779b97f4a7c15u;
}

static int stackset_add_entry(struct stackset *s, uint64_t hash, const struct stackset_entry *e,
			      uint32_t *id)
{
	if (room_for((void **)&s->entries, &s->room, s->count + 1ul, sizeof(*s->entries)) ||
	    hashindex_add(&s->index, hash, s->count))
		return ERR_NOMEM;
	*id = s->count++;
	s->entries[*id] = *e;
	return 0;
}

int stackset_add(struct stackset *s, const struct stack_context *context, const struct stack *stack,
		 uint32_t *entry)
{
	struct stackset_key key = { context, stack };
	uint64_t hash = hash_key(&key);
	struct stackset_entry e = { .context = *context,
				    .count = (uint32_t)stack->count,
				    .origin = s->count,
				    .first = s->frame_count };

	*entry = hashindex_find(&s->index, hash, stackset_same, s, &key);
	if (*entry != HASHINDEX_NONE)
		return 0;
	if (stack->count > UINT32_MAX ||
	    room_for((void **)&s->frames, &s->frame_room, s->frame_count + stack->count,
		     sizeof(*s->frames)) ||
	    stackset_add_entry(s, hash, &e, entry))
		return ERR_NOMEM;
	memcpy(s->frames + s->frame_count, stack->frames, stack->count * sizeof(*stack->frames));
	s->frame_count += stack->count;
	return 0;
}

int stackset_in_context(struct stackset *s, uint32_t of, const struct stack_context *context,
			uint32_t *entry)
{
	struct stackset_entry e = { .context = *context,
				    .count = s->entries[of].count,
				    .origin = s->entries[of].origin,
				    .first = s->entries[of].first };
	struct stack stack = { .frames = s->frames + e.first, .count = e.count };
	struct stackset_key key = { context, &stack };
	uint64_t hash = hash_key(&key);

	*entry = hashindex_find(&s->index, hash, stackset_same, s, &key);
	return *entry == HASHINDEX_NONE ? stackset_add_entry(s, hash, &e, entry) : 0;
}

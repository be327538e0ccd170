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

struct key {
	const struct stack_context *context;
	const struct stack *stack;
};

static bool same_context(const struct stack_context *a, const struct stack_context *b)
{
	return a->member == b->member && a->thread == b->thread && a->state == b->state &&
	       a->syscall == b->syscall && a->labels == b->labels && a->goid == b->goid;
}

/* Frames are compared field by field: their padding may hold anything. */
static bool same(const void *owner, uint32_t id, const void *key)
{
	const struct stackset *s = owner;
	const struct stackset_entry *e = &s->entries[id];
	const struct frame *a = s->frames + e->first;
	const struct key *k = key;
	const struct frame *b = k->stack->frames;

	if (!same_context(&e->context, k->context) || e->count != k->stack->count)
		return false;
	for (size_t i = 0; i < e->count; i++)
		if (a[i].addr != b[i].addr || a[i].image != b[i].image || a[i].kind != b[i].kind)
			return false;
	return true;
}

static uint64_t hash_key(const struct key *k)
{
	uint64_t h = k->context->thread ^ (uint64_t)k->context->state << 60 ^
		     (uint64_t)(uint32_t)k->context->syscall << 32 ^
		     (uint64_t)k->context->member << 40 ^ (uint64_t)k->context->labels << 20 ^
		     k->context->goid << 8;

	for (size_t i = 0; i < k->stack->count; i++) {
		const struct frame *f = &k->stack->frames[i];
		uint64_t word = f->addr ^ (uint64_t)(uintptr_t)f->image << 17 ^
				(uint64_t)f->kind << 62;

		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h * 0x9e3779b97f4a7c15u;
}

int stackset_add(struct stackset *s, const struct stack_context *context, const struct stack *stack,
		 uint32_t *entry)
{
	struct key key = { context, stack };
	uint64_t hash = hash_key(&key);
	uint32_t id = hashindex_find(&s->index, hash, same, s, &key);

	if (id == HASHINDEX_NONE) {
		if (stack->count > UINT32_MAX ||
		    room_for((void **)&s->entries, &s->room, s->count + 1ul, sizeof(*s->entries)) ||
		    room_for((void **)&s->frames, &s->frame_room, s->frame_count + stack->count,
			     sizeof(*s->frames)) ||
		    hashindex_add(&s->index, hash, s->count))
			return ERR_NOMEM;
		memcpy(s->frames + s->frame_count, stack->frames,
		       stack->count * sizeof(*stack->frames));
		id = s->count++;
		s->entries[id] = (struct stackset_entry){ .context = *context,
							  .count = (uint32_t)stack->count,
							  .first = s->frame_count };
		s->frame_count += stack->count;
	}
	*entry = id;
	return 0;
}

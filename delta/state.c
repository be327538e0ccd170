/* An entry that has been missing for too many rounds is marked, and the marked ones are removed
 * together once they are many, because that moves all others. */
#include "delta/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"

enum { FORGOTTEN = UINT8_MAX, ROUNDS_MAX = FORGOTTEN - 1 };

void state_init(struct state *s, size_t columns)
{
	memset(s, 0, sizeof(*s));
	s->columns = columns;
}

void state_release(struct state *s)
{
	hashindex_release(&s->index);
	free(s->keys);
	free(s->values);
	free(s->at);
	free(s->missing);
	state_init(s, 0);
}

void state_clear(struct state *s)
{
	hashindex_clear(&s->index);
	s->count = s->next = s->forgotten = 0;
}

static bool delta_state_has_key(const void *owner, uint32_t entry, const void *key)
{
	return key_equal(((const struct state *)owner)->keys[entry], *(const struct key *)key);
}

static int delta_state_add(struct state *s, struct key key, uint32_t *entry)
{
	size_t need = (size_t)s->count + 1;

	if (need >= UINT32_MAX / 2 ||
	    room_for((void **)&s->keys, &s->key_room, need, sizeof(*s->keys)) ||
	    room_for((void **)&s->values, &s->value_room, need * s->columns, sizeof(*s->values)) ||
	    room_for((void **)&s->at, &s->at_room, need, sizeof(*s->at)) ||
	    room_for((void **)&s->missing, &s->missing_room, need, sizeof(*s->missing)) ||
	    hashindex_add(&s->index, key.low, s->count))
		return ERR_NOMEM;
	*entry = s->count++;
	s->keys[*entry] = key;
	s->at[*entry] = 0;
	s->missing[*entry] = 0;
	memset(state_values(s, *entry), 0, s->columns * sizeof(*s->values));
	return 0;
}

int state_find(struct state *s, struct key key, uint32_t *entry, bool *added)
{
	*added = false;
	if (s->next < s->count && key_equal(s->keys[s->next], key)) {
		*entry = s->next;
	} else {
		*entry = hashindex_find(&s->index, key.low, delta_state_has_key, s, &key);
		*added = *entry == HASHINDEX_NONE;
		if (*added && delta_state_add(s, key, entry))
			return ERR_NOMEM;
	}
	if (s->missing[*entry] == FORGOTTEN) {
		s->missing[*entry] = 0;
		s->forgotten--;
		*added = true;
	}
	s->next = *entry + 1;
	return 0;
}

static void delta_state_forget(struct state *s, uint32_t entry)
{
	s->missing[entry] = FORGOTTEN;
	s->forgotten++;
	memset(state_values(s, entry), 0, s->columns * sizeof(*s->values));
}

/* Closes the gaps of removed entries. The index already has room for all that stay. */
static void remove_forgotten(struct state *s)
{
	uint32_t count = 0;

	hashindex_clear(&s->index);
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->missing[i] == FORGOTTEN)
			continue;
		s->keys[count] = s->keys[i];
		s->missing[count] = s->missing[i];
		memmove(state_values(s, count), state_values(s, i),
			s->columns * sizeof(*s->values));
		(void)hashindex_add(&s->index, s->keys[count].low, count);
		count++;
	}
	s->count = count;
	s->forgotten = 0;
}

size_t state_turn(struct state *s, unsigned rounds)
{
	size_t vanished = 0;

	rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->at[i]) {
			s->missing[i] = 0;
		} else if (s->missing[i] != FORGOTTEN) {
			vanished += s->missing[i]++ == 0;
			if (s->missing[i] >= rounds)
				delta_state_forget(s, i);
		}
	}
	/* Removing one entry costs as much as removing all, so entries are removed when enough are
	 * forgotten. */
	if (s->forgotten > s->count / 8)
		remove_forgotten(s);
	if (s->count)
		memset(s->at, 0, s->count * sizeof(*s->at));
	s->next = 0;
	return vanished;
}

size_t state_size(const struct state *s)
{
	return s->key_room * sizeof(*s->keys) + s->value_room * sizeof(*s->values) +
	       s->at_room * sizeof(*s->at) + s->missing_room +
	       (s->index.slots ? ((size_t)s->index.mask + 1) * 2 * sizeof(uint32_t) : 0);
}

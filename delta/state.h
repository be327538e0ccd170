/*
 * Remembers of the profiles so far, for each sample, its key and the values to subtract.
 *
 * Go writes a profile's samples in nearly the same order each time. So the entry after the one
 * found last is tried first, and the hash index is used only if that fails: a profile of a million
 * samples is processed in memory order.
 *
 * Entries are stored in parallel arrays, which need no padding, so that a table of a million has
 * few bytes for each entry.
 */
#ifndef DELTA_STATE_H
#define DELTA_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "delta/key.h"

struct state {
	size_t columns; /* of each entry, to subtract */
	uint32_t count;
	size_t key_room, value_room, at_room, missing_room;
	struct key *keys;
	int64_t *values;  /* `columns` of each entry */
	uint32_t *at;	  /* where the current profile has it (samples.c); 0: nowhere yet */
	uint8_t *missing; /* profiles in a row; FORGOTTEN: to be removed, its values are 0 */
	struct hashindex index;
	uint32_t next; /* the entry to try first */
	uint32_t forgotten;
};

void state_init(struct state *s, size_t columns);
void state_release(struct state *s);

/* Removes all entries and keeps the memory. */
void state_clear(struct state *s);

/* Finds the entry with a key or adds one. *added: it is new, or was forgotten; its values are 0.
 * ERR_NOMEM. */
int state_find(struct state *s, struct key key, uint32_t *entry, bool *added);

/* Ends a profile. Forgets the entries that were missing from the last `rounds` profiles and
 * prepares the others for the next profile. Returns how many entries the previous profile had and
 * this one does not have. */
size_t state_turn(struct state *s, unsigned rounds);

static inline int64_t *state_values(const struct state *s, uint32_t entry)
{
	return s->values + entry * s->columns;
}

/* The memory of the arrays and the index, bytes. */
size_t state_size(const struct state *s);

#endif

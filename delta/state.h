/*
 * What is remembered of the profiles so far: for each sample its key and the values to
 * subtract from.
 *
 * Go writes a profile's samples in nearly the same order each time. So the entry behind
 * the one found last is tried first, and the hash index is asked only where that fails:
 * a profile of a million samples is gone through in memory order.
 *
 * Entries are arrays beside each other, without gaps: a table of a million is measured in
 * bytes an entry.
 */
#ifndef DELTA_STATE_H
#define DELTA_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "delta/key.h"

struct state {
	size_t columns; /* to subtract */
	uint32_t count;
	size_t key_room, value_room, at_room, missing_room;
	struct key *keys;
	int64_t *values;  /* columns of each entry */
	uint32_t *at;	  /* where the present profile has it (compute.c); 0: nowhere yet */
	uint8_t *missing; /* rounds in a row; FORGOTTEN: values are 0, and it waits to be removed */
	struct hashindex index;
	uint32_t next;	  /* the entry to try first */
	uint32_t forgotten;
};

void state_init(struct state *s, size_t columns);
void state_release(struct state *s);

/* Forgets everything and keeps the memory. */
void state_clear(struct state *s);

/* The entry with that key, made when there is none (its values are 0 then, and *added is
 * set). ERR_NOMEM. */
int state_find(struct state *s, struct key key, uint32_t *entry, bool *added);

/* After a profile: forgets entries that it and the `rounds` - 1 before it did not have,
 * and makes the others ready for the next. How many were in the profile before and not in
 * this one. */
size_t state_turn(struct state *s, unsigned rounds);

static inline int64_t *state_values(const struct state *s, uint32_t entry)
{
	return s->values + entry * s->columns;
}

/* Bytes held. */
size_t state_size(const struct state *s);

#endif

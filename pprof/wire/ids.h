/*
 * Maps the ids of a table in a file to the places of its entries, which count from 1.
 *
 * profile.proto allows any 64-bit number but 0 as an id. Nearly every writer counts
 * from 1, though. Then an id is its own place and nothing needs to be stored: the ids
 * and their hash index are made only when a file does otherwise.
 */
#ifndef PPROF_WIRE_IDS_H
#define PPROF_WIRE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"

struct ids {
	size_t count;
	bool sparse;   /* some id is not its place */
	uint64_t *ids; /* in the order of the file; only when sparse */
	size_t room;
	struct hashindex index; /* of ids */
};

/* {0} is empty. */
void ids_release(struct ids *ids);

/* Removes all ids and keeps the memory. */
void ids_clear(struct ids *ids);

uint32_t ids_find_kept(const struct ids *ids, uint64_t id); /* only for ids_find */

/* The place of an id, 0 when it does not exist. */
static inline uint32_t ids_find(const struct ids *ids, uint64_t id)
{
	if (ids->sparse)
		return ids_find_kept(ids, id);
	return id - 1 < ids->count ? (uint32_t)id : 0;
}

/* Adds the id of the next entry, which must be new. 0 or ERR_NOMEM, also when there are more
 * ids than 32 bits can count. */
int ids_add(struct ids *ids, uint64_t id);

#endif

/*
 * The ids of a table in a file -> the places of its entries, counted from 1.
 *
 * profile.proto lets ids be any 64-bit numbers but 0. Nearly every writer counts
 * from 1, though, and then an id is its own place and nothing needs to be kept: ids
 * and their hash index are only once a file turns out to do otherwise.
 */
#ifndef PPROF_IDS_H
#define PPROF_IDS_H

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

/* Forgets all ids and keeps the memory. */
void ids_clear(struct ids *ids);

uint32_t ids_find_kept(const struct ids *ids, uint64_t id); /* only for the next */

/* The place of an id, 0 when it is not there. */
static inline uint32_t ids_find(const struct ids *ids, uint64_t id)
{
	if (ids->sparse)
		return ids_find_kept(ids, id);
	return id - 1 < ids->count ? (uint32_t)id : 0;
}

/* Adds the id of the next entry, which is not there yet. 0 or ERR_NOMEM, also when there
 * are too many for 32 bits. */
int ids_add(struct ids *ids, uint64_t id);

#endif

/*
 * The ids of a table in a file -> the numbers that its entries get here.
 *
 * profile.proto lets ids be any 64-bit numbers but 0. Nearly every writer counts
 * from 1, though, and then an id is its own place: the hash index is built only
 * once a file turns out to do otherwise.
 */
#ifndef PPROF_IDS_H
#define PPROF_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"

struct ids {
	struct id_pair {
		uint64_t id;
		uint32_t number;
	} *pairs; /* in the order of the file */
	size_t count, room;
	bool sparse; /* some id is not its place + 1: index holds them all */
	struct hashindex index;
};

/* {0} is empty. */
void ids_release(struct ids *ids);

/* The number of an id, 0 when it is not there. */
uint32_t ids_find(const struct ids *ids, uint64_t id);

/* Adds an id that is not there yet, and its number, which is not 0. 0 or
 * ERR_NOMEM. */
int ids_add(struct ids *ids, uint64_t id, uint32_t number);

#endif

/*
 * The items of a collection on their way from its process: written one after the other into a
 * file, read back as bytes that nobody vouches for.
 */
#ifndef ROUNDS_COLLECTED_H
#define ROUNDS_COLLECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rounds/collection.h"

struct error;

enum {
	COLLECTED_TEXT = 600,	/* bytes of a reason or a note, with its NUL; more is cut */
	COLLECTED_ITEMS = 256,	/* more are not read */
};

/* All: ERR_IO. _end says that all items are there; before it may stand what the source has to
 * remember. */
int collected_write(int fd, const struct collection_item *item, struct error *err);
int collected_write_memory(int fd, const void *data, size_t len, struct error *err);
int collected_write_end(int fd, struct error *err);

struct collected {
	struct collection_item *items; /* owned */
	size_t count;
	const uint8_t *memory; /* of the source, NULL for none */
	size_t memory_len;
	bool whole; /* up to its end */
};

/* Items of the types in the set, of each but custom ones the first. They point into `data`,
 * whose texts are made printable and end with a NUL. After {0}. ERR_FORMAT: what follows
 * the items makes no sense. ERR_NOMEM. */
int collected_read(struct collected *c, void *data, size_t len, unsigned types, struct error *err);

/* For a type without an item: adds one with that reason, which must live as long. ERR_NOMEM. */
int collected_fill(struct collected *c, unsigned types, const char *why_not);
void collected_release(struct collected *c);

#endif

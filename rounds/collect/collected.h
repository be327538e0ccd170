/*
 * The items of a collection on their way from its process: written one after the other into a
 * file, and read back as untrusted bytes.
 */
#ifndef ROUNDS_COLLECT_COLLECTED_H
#define ROUNDS_COLLECT_COLLECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rounds/collect/collection.h"

struct error;

enum {
	COLLECTED_TEXT = 600,  /* bytes of a reason or a note, with its NUL; more is cut */
	COLLECTED_ITEMS = 256, /* more are ERR_FORMAT */
};

/* All return 0 or ERR_IO. _memory writes what source_save gave, and is called once at most. _end is
 * called last, and marks that all items are there. */
int collected_write(int fd, const struct collection_item *item, struct error *err);
int collected_write_memory(int fd, const void *data, size_t len, struct error *err);
int collected_write_end(int fd, struct error *err);

struct collected {
	struct collection_item *items; /* owned */
	size_t count, room;
	const uint8_t *memory; /* for source_load, points into the data; NULL for none */
	size_t memory_len;
	bool whole; /* the end mark is there */
};

/* Appends the items in `data` to `c`, which is {0} at first. Only types of the set `types` are
 * accepted, each but CAPTURE_CUSTOM once. Items point into `data`; its texts are made printable
 * and end with a NUL. ERR_FORMAT: a part is not valid; the items before it stay. ERR_NOMEM. */
int collected_read(struct collected *c, void *data, size_t len, unsigned types, struct error *err);

/* Adds an item for each type of the set that has none. Its reason `why_not` is borrowed until
 * collected_release. ERR_NOMEM. */
int collected_fill(struct collected *c, unsigned types, const char *why_not);
void collected_release(struct collected *c);

#endif

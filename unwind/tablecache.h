/*
 * Tables kept from run to run: $XDG_CACHE_HOME/sampler/BUILD-ID, a file for each image
 * whose table takes longer to build than to read.
 *
 * A file is believed to be of an image only if it was made of the very bytes that the
 * image has now: a build ID says what an image claims to be. And it is believed to say
 * something sensible only as far as that has been checked: a file made by an enemy can
 * lead to a wrong stack, as an image can, but not out of the table.
 */
#ifndef UNWIND_TABLECACHE_H
#define UNWIND_TABLECACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_source;
struct cfi_table;
struct error;
struct image;
struct tablecache;

enum {
	/* Bytes of CFI from which on a file is worth while: about a millisecond of
	 * building, five to ten times what reading and checking take. */
	TABLECACHE_WORTH = 256 << 10,
};

/* A cache in a folder (base/cachedir.h), whose descriptor it takes over. ERR_NOMEM. */
int tablecache_new(struct tablecache **c, int dir);
void tablecache_free(struct tablecache *c);

/* An image's table, from the cache or built; *loaded tells which. `c` may be NULL.
 * ERR_NOMEM. */
int tablecache_table(struct tablecache *c, const struct image *image, struct cfi_table **table,
		     bool *loaded, struct error *err);

/* Writes the tables that had to be built, which must still be there, and removes what
 * was not used for longest where it has become too much. Not while a thread is held.
 * ERR_IO: some were not written. */
int tablecache_save(struct tablecache *c, struct error *err);

/* The two directions of a file, for the above, tests and the bench. */

enum { TABLECACHE_HEAD = 128 }; /* bytes before the table's */

/* What stands before a table's bytes. `salt` makes the digest of the source one that
 * who makes an image cannot foresee. ERR_NOMEM. */
int tablecache_make_head(void *head, const struct cfi_source *source, uint64_t salt,
			 const struct cfi_table *table);

/* The table in an open file of `len` bytes, NULL when there is none or not one of this
 * source. */
struct cfi_table *tablecache_read(int fd, uint64_t len, const struct cfi_source *source);

#endif

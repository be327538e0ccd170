/*
 * Keeps tables from run to run: $XDG_CACHE_HOME/sampler/BUILD-ID, a file for each image with a
 * table that takes longer to build than to read.
 *
 * A file is used for an image only if it was made of the very bytes that the image has now: a build
 * ID is only a claim of the image. Its contents are checked, too: a forged file can lead to a wrong
 * stack, as a forged image can, but not to memory outside the table.
 */
#ifndef SAMPLER_UNWIND_TABLECACHE_H
#define SAMPLER_UNWIND_TABLECACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_source;
struct cfi_table;
struct error;
struct image;
struct tablecache;

enum {
	/* Bytes of CFI from which on a file is worthwhile: about a millisecond of building, five to
	 * ten times what reading and checking take. */
	TABLECACHE_WORTH = 256 << 10,
};

/* Makes a cache in the folder `dir` (base/file/cachedir.h); takes over the descriptor, also on
 * failure. The caller frees *c with tablecache_free. ERR_NOMEM. */
int tablecache_new(struct tablecache **c, int dir);
void tablecache_free(struct tablecache *c);

/* An image's table, from the cache or built; *loaded tells which. `c` may be NULL. The caller frees
 * *table with cfi_table_free; a built one must exist until tablecache_save. ERR_NOMEM. */
int tablecache_table(struct tablecache *c, const struct image *image, struct cfi_table **table,
		     bool *loaded, struct error *err);

/* Writes the tables that were built, which must still exist, and removes the files that were not
 * used for longest where there are too many bytes. Must not be called while a thread is held.
 * ERR_IO: some tables were not written. */
int tablecache_save(struct tablecache *c, struct error *err);

/* Writing and reading a file: for the above, tests and the benchmark. */

enum { TABLECACHE_HEAD = 128 }; /* bytes before the table's data */

/* Makes the TABLECACHE_HEAD bytes that precede a table's data in its file. With `salt`, the author
 * of an image cannot predict the digest of the source. ERR_NOMEM. */
int tablecache_make_head(void *head, const struct cfi_source *source, uint64_t salt,
			 const struct cfi_table *table);

/* Reads the table in an open file of `len` bytes; the caller frees it with cfi_table_free. NULL
 * when it is broken or was not made from this source. */
struct cfi_table *tablecache_read(int fd, uint64_t len, const struct cfi_source *source);

#endif

/*
 * The index of a folder of batches: the file ".catalog" in it, from which the catalog is read
 * instead of from the batches. It can be lost or wrong at any time; then the batches are read.
 *
 *   "sampler catalog 1\n", XXH3 of all that follows, numbers of strings, rows and items; the
 *   strings, each with its length; rows; items. Numbers are little-endian.
 *
 * It is believed only if it belongs to us, to root or to the folder's owner, and if all of it is
 * valid. The hash finds what a disk or an editor has broken, not what an enemy wrote: the owner of
 * the folder can also write batches.
 */
#ifndef ROUNDS_CATALOG_INDEX_H
#define ROUNDS_CATALOG_INDEX_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct catalog;

#define INDEX_FILE ".catalog"

/* Fills the empty catalog from the folder's index; leaves it empty if there is no valid one.
 * ERR_NOMEM. */
int batchindex_load(struct catalog *c, int dir);

/* Replaces the index by the rows of *c that could be read. Best effort: a folder that cannot be
 * written to has none. */
void batchindex_save(const struct catalog *c, int dir);

/* From bytes and to bytes. ERR_FORMAT: they are no index, and the catalog is of no use;
 * ERR_NOMEM. */
int batchindex_read(struct catalog *c, const void *data, size_t len);
int batchindex_write(const struct catalog *c, struct buffer *out);

#endif

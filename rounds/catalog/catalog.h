/*
 * What a folder of batches holds: of each batch what event.json and metrics.json say of it.
 *
 * Batches never change after their rename, so what was read of one stays true as long as the
 * folder's list has the same name with the same inode number. What was read is kept in the folder,
 * in a hidden file (index.h), and only batches that it does not have are opened: 10,000 batches
 * take one list of the folder and one file. The reader writes the file, when more than one batch in
 * 64 had to be read; in a folder that it may not write to, it reads all batches each time. A batch
 * with something unreadable is never kept there: it may still be on its way, by a copy.
 *
 * Rejected: an index by the sampler that writes the batches, which would be one more file to fail,
 * to sync and to lock, for folders that nobody lists; a stat(2) of each event.json, which is the
 * walk that the index saves on a disk; modification times of the folder, which a new batch changes
 * and which two renames within a tick of the kernel's clock share.
 */
#ifndef ROUNDS_CATALOG_CATALOG_H
#define ROUNDS_CATALOG_CATALOG_H

#include "rounds/catalog/rows.h"

struct error;

/* Initialises *c with the batches of the folder at `path`. What is wrong with a batch is in its
 * row. ERR_IO: the folder cannot be listed; ERR_NOTFOUND: there is no batch in it; ERR_NOMEM. The
 * caller calls catalog_release, after an error too. */
int catalog_open(struct catalog *c, const char *path, struct error *err);

#endif

/*
 * A folder of batches at the level of the file system: list, measure, rename, remove.
 *
 * Other users may write to the folder, and we may be root. An entry is removed only if it has a
 * name of ours, lies in the folder itself, belongs to `owner` and holds no folders; no link is
 * followed. All folder descriptors are open for reading (not O_PATH) and belong to the caller.
 */
#ifndef ROUNDS_BATCH_DIR_H
#define ROUNDS_BATCH_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct dirent;
struct error;

/* Opens the folder at `path` into *dir, which the caller closes; creates the last folder of the
 * path if it is missing. Links that another user has put into a world-writable folder are not
 * followed (ERR_PERM). ERR_IO. */
int batchdir_open(const char *path, int *dir, struct error *err);

/* Does the path still lead to this folder, and is the folder not removed? */
bool batchdir_current(const char *path, int dir);

/* Opens a folder in `dir`; the caller closes the descriptor. -1 and errno; EPERM: it does not
 * belong to `owner`. */
int batchdir_open_batch(int dir, const char *name, uid_t owner);

/* Calls `each` for every entry but "." and "..". Stops when `each` returns other than 0, and
 * returns that value. ERR_IO. */
int batchdir_each(int dir, int (*each)(void *ctx, const struct dirent *entry), void *ctx);

/* Disk space in bytes of a folder and of the files in it. ERR_IO. */
int batchdir_bytes(int batch, uint64_t *bytes);

/* The highest number of a batch, of any owner; 0 when there is none. */
uint64_t batchdir_highest(int dir);

/* Renames a folder. -1 and errno; batchdir_taken(errno): the new name exists already. */
int batchdir_rename(int dir, const char *from, const char *to);
bool batchdir_taken(int why);

/* Removes a folder and the files in it. For names that are hidden already. */
void batchdir_remove(int dir, const char *name, uid_t owner);

/* Renames a batch to a hidden name of ours, so that no reader sees half of it, and removes it.
 * False, and the batch stays: it does not belong to `owner`, holds something other than regular
 * files, or cannot be renamed. */
bool batchdir_remove_batch(int dir, const char *name, const char *key_text, uid_t owner);

/* Removes what dead samplers have left: temporary folders and locks of keys that no sampler
 * holds, and all temporary folders of `key_text`, which we hold. Best effort. */
void batchdir_sweep(int dir, const char *key_text, uid_t owner);

#endif

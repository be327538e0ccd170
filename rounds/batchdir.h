/*
 * A folder of batches, below its rules: what is in it, and removing that.
 *
 * Others may write to the folder, and we may be root. What is removed is known by its name,
 * lies in the folder itself, belongs to `owner` and holds no folders; no link is followed.
 * All descriptors of folders are for reading (not O_PATH), and the caller's.
 */
#ifndef ROUNDS_BATCHDIR_H
#define ROUNDS_BATCHDIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

/* Opens the folder at `path`; makes the last one on the way when it is missing. Links that
 * another user has put into a folder that everybody may write to are not followed. ERR_IO,
 * ERR_PERM. */
int batchdir_open(const char *path, int *dir, struct error *err);

/* Does the path still lead to this folder, and does it exist? */
bool batchdir_current(const char *path, int dir);

/* Opens a folder in it that belongs to `owner`; -1 and errno. */
int batchdir_open_batch(int dir, const char *name, uid_t owner);

/* Calls `each` for every name but "." and ".." until it returns other than 0, and returns
 * that; ERR_IO. */
int batchdir_each(int dir, int (*each)(void *ctx, const char *name), void *ctx);

/* What the files in a folder take, itself included, in bytes on the disk. ERR_IO. */
int batchdir_bytes(int batch, uint64_t *bytes);

/* The highest number of a batch, of anybody; 0 when there is none. */
uint64_t batchdir_highest(int dir);

/* Gives a folder another name, unless that is taken: -1, and batchdir_taken(errno). */
int batchdir_rename(int dir, const char *from, const char *to);
bool batchdir_taken(int why);

/* Removes a folder and the files in it: for those whose names are hidden already. */
void batchdir_remove(int dir, const char *name, uid_t owner);

/* Gives a batch a hidden name of ours, so that nobody sees half of it, and removes it.
 * False, and it stays, when it does not belong to `owner`, holds other than files or cannot
 * be renamed. */
bool batchdir_remove_batch(int dir, const char *name, const char *key_text, uid_t owner);

/* Removes what is left of samplers that ended without doing so: temporary folders and locks
 * of keys that nobody holds, and all temporary folders of `key_text`, which we hold. */
void batchdir_sweep(int dir, const char *key_text, uid_t owner);

#endif

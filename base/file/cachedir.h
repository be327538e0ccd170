/*
 * Our own folder for files that can be made again: $XDG_CACHE_HOME/sampler, by default
 * ~/.cache/sampler (XDG Base Directory Specification).
 *
 * It is used only if no other user can have put a file there: the folder above it and the folder
 * itself must belong to our effective user, and only we may write to the folder itself. So root
 * neither writes into a user's home because HOME still points there, nor trusts files found there.
 */
#ifndef BASE_FILE_CACHEDIR_H
#define BASE_FILE_CACHEDIR_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct iovec;

/* Opens the folder and creates it if it is missing. *dir is its descriptor, which the caller
 * closes; -1 on error. ERR_NOTFOUND: the environment names no place; ERR_PERM: the folder is not
 * ours alone; ERR_IO. */
int cachedir_open(int *dir, struct error *err);

/* Opens a file in it for reading. Returns the descriptor, which the caller closes; *len is the
 * length in bytes. -1 unless it is a regular file of ours that no other user may write to. */
int cachedir_open_file(int dir, const char *name, uint64_t *len);

/* Writes a file from `count` parts, whole or not at all, and replaces one of that name. `name` has
 * hex digits only. ERR_IO. */
int cachedir_write(int dir, const char *name, const struct iovec *parts, int count,
		   struct error *err);

/* Removes the least recently used files until the others take at most `bytes`. Only files with
 * names as cachedir_write's are removed. */
void cachedir_trim(int dir, uint64_t bytes);

#endif

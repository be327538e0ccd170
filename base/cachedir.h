/*
 * A folder of our own for what can be made again: $XDG_CACHE_HOME/sampler, by default
 * ~/.cache/sampler (XDG Base Directory Specification).
 *
 * It is used only if nobody else can have put something there: the folder above it and
 * itself belong to our effective user, and nobody else may write to it. So root does
 * not write into a user's home because HOME still points there, nor believe what it
 * finds there.
 */
#ifndef BASE_CACHEDIR_H
#define BASE_CACHEDIR_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct iovec;

/* Opens it, and makes it where it is missing. The folder's descriptor through *dir, the
 * caller's. ERR_NOTFOUND when no place is named, ERR_IO, ERR_PERM when it is not ours
 * alone. */
int cachedir_open(int *dir, struct error *err);

/* A file in it, for reading; its length through *len. Refused (-1) unless it is a
 * regular file of ours that nobody else may write to. */
int cachedir_open_file(int dir, const char *name, uint64_t *len);

/* Puts a file there, whole or not at all; replaces what has the name. ERR_IO. */
int cachedir_write(int dir, const char *name, const struct iovec *parts, int count,
		   struct error *err);

/* Removes the files longest unused until the rest takes at most `bytes`. Others than
 * cachedir_write's are left alone. */
void cachedir_trim(int dir, uint64_t bytes);

#endif

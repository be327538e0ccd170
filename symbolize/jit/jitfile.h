/*
 * Reads files that a JIT compiler leaves for profilers, if they can be trusted.
 *
 * Other users may write where these files are (/tmp), and sampler may read files that those users
 * may not read. So only a regular file, not a link to one, that belongs to the process's user or to
 * root is read, in the target's own view of the file system.
 */
#ifndef SYMBOLIZE_JIT_JITFILE_H
#define SYMBOLIZE_JIT_JITFILE_H

struct buffer;
struct error;
struct process;

/* Reads the whole file into an empty buffer. ERR_NOTFOUND, ERR_PERM, ERR_LIMIT (more than 256 MiB),
 * ERR_IO, ERR_NOMEM. */
int jitfile_read(const struct process *p, const char *path, struct buffer *out, struct error *err);

#endif

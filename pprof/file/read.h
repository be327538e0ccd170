/* Reads profiles from files: profile.proto's format, compressed or not, or a text of Go's. */
#ifndef PPROF_FILE_READ_H
#define PPROF_FILE_READ_H

#include <stddef.h>

struct buffer;
struct error;
struct profile;

/* Reads a file ("-": standard input), uncompresses it if it is compressed with gzip (or with
 * zstd, in builds with libzstd), and decodes it like profile_decode, or as Go's text
 * (pprof/legacy/legacy.h). ERR_LIMIT: more than `max_size` bytes (0: 1 GiB), compressed or not, or
 * tables of more than 4 * max_size bytes or 256 MiB, whichever is larger. ERR_IO, ERR_FORMAT,
 * ERR_NOMEM. Messages name the file. */
int profile_read(struct profile *p, const char *path, size_t max_size, struct error *err);

/* The same for `len` bytes in memory; never ERR_IO. */
int profile_parse(struct profile *p, const void *data, size_t len, size_t max_size,
		  struct error *err);

/* Appends a file's bytes ("-": standard input) unchanged. ERR_LIMIT: more than `max_size` bytes
 * (0: 1 GiB); ERR_IO, ERR_NOMEM. Messages name the file. */
int profile_load(struct buffer *bytes, const char *path, size_t max_size, struct error *err);

#endif

/* Decodes the bytes of profile.proto into a profile. The bytes may be hostile. */
#ifndef PPROF_DECODE_H
#define PPROF_DECODE_H

#include <stddef.h>

struct buffer;
struct error;
struct profile;

/* Decodes an uncompressed message into an initialised, empty profile. Ids become numbers
 * without gaps. Unknown fields are skipped. Every profile that google/pprof reads and finds
 * valid is accepted (decode.c lists what else is). ERR_FORMAT with the field and the offset
 * that broke a rule; ERR_NOMEM. The caller releases the profile in any case. */
int profile_decode(struct profile *p, const void *data, size_t len, struct error *err);

/* The same, but ERR_LIMIT as soon as the profile's tables take more than `max_memory`
 * bytes. The tables of a usual file take twice its size; those of a crafted file can take
 * 12 times its size. */
int profile_decode_within(struct profile *p, const void *data, size_t len, size_t max_memory,
			  struct error *err);

/* Reads a file ("-": standard input), uncompresses it if it is compressed with gzip (or with
 * zstd, in builds with libzstd), and decodes it like profile_decode, or as a legacy profile
 * (pprof/legacy.h). ERR_LIMIT: more than `max_size` bytes (0: 1 GiB), compressed or not, or
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

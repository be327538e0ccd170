/* The bytes of profile.proto -> a profile. Bytes are hostile until decoded. */
#ifndef PPROF_DECODE_H
#define PPROF_DECODE_H

#include <stddef.h>

struct buffer;
struct error;
struct profile;

/* Decodes an uncompressed message into an initialised, empty profile. Numbers
 * are made dense. Unknown fields are skipped. What google/pprof reads and finds valid
 * is read (decode.c says where more is). ERR_FORMAT with the offset, and
 * the field, that broke the rule; ERR_NOMEM. The profile must be released in
 * any case. */
int profile_decode(struct profile *p, const void *data, size_t len, struct error *err);

/* The same, but ERR_LIMIT as soon as the profile's tables hold more than `max_memory`
 * bytes. Those of usual files hold twice the file; a file can be made so that they hold
 * 12 times as much. */
int profile_decode_within(struct profile *p, const void *data, size_t len, size_t max_memory,
			  struct error *err);

/* Reads a file ("-" for standard input), uncompresses it when it is gzip'd (or zstd'd,
 * where libzstd is there), up to `max_size` bytes (0: 1 GiB), and decodes, into tables
 * of up to 4 times as many, or 256 MiB; a legacy profile (pprof/legacy.h) is read as what
 * it is. ERR_IO, ERR_FORMAT, ERR_LIMIT,
 * ERR_NOMEM; messages name the file. */
int profile_read(struct profile *p, const char *path, size_t max_size, struct error *err);

/* The same of bytes that are at hand. */
int profile_parse(struct profile *p, const void *data, size_t len, size_t max_size,
		  struct error *err);

/* Appends a file's bytes ("-" for standard input) as they stand, at most `max_size` (0:
 * 1 GiB). ERR_IO, ERR_LIMIT, ERR_NOMEM; messages name the file. */
int profile_load(struct buffer *bytes, const char *path, size_t max_size, struct error *err);

#endif

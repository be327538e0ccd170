/* Zstandard (RFC 8878) around a profile, by libzstd where its header was there. */
#ifndef PPROF_ZSTD_H
#define PPROF_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

/* True when the bytes begin as a frame does. */
bool zstd_detect(const void *data, size_t len);

/* Appends the contents of all frames to `out`, at most `max` bytes. ERR_FORMAT with the
 * offset, or because this build cannot; ERR_LIMIT, ERR_NOMEM. */
int zstd_uncompress(const void *data, size_t len, size_t max, struct buffer *out,
		    struct error *err);

#endif

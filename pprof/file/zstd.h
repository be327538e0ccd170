/* Uncompresses Zstandard (RFC 8878) with libzstd, in builds that found its header. */
#ifndef PPROF_FILE_ZSTD_H
#define PPROF_FILE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

/* True when the bytes begin as a frame does. */
bool zstd_detect(const void *data, size_t len);

/* Appends the contents of all frames to `out`. ERR_FORMAT with the offset, or because this
 * build has no libzstd; ERR_LIMIT: the contents are more than `max` bytes; ERR_NOMEM. */
int zstd_uncompress(const void *data, size_t len, size_t max, struct buffer *out,
		    struct error *err);

#endif

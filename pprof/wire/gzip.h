/* Compresses and uncompresses gzip (RFC 1952) in memory, with libdeflate or zlib. */
#ifndef PPROF_WIRE_GZIP_H
#define PPROF_WIRE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

/* Takes the next compressed bytes, which are valid during the call. 0, or an error, which ends the
 * compression. */
typedef int gzip_sink(void *ctx, const void *data, size_t len, struct error *err);

/* Compresses to one gzip member with mtime 0 and no name. With the same libraries the same
 * input always gives the same output. ERR_NOMEM or the sink's error. */
int gzip_compress(const void *data, size_t len, gzip_sink *sink, void *ctx, struct error *err);

/* True when the bytes begin as a gzip member does. */
bool gzip_detect(const void *data, size_t len);

/* Appends the contents of all members to `out`. ERR_FORMAT with the offset; ERR_LIMIT: the
 * contents are more than `max` bytes; ERR_NOMEM. */
int gzip_uncompress(const void *data, size_t len, size_t max, struct buffer *out,
		    struct error *err);

#endif

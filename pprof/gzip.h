/* gzip (RFC 1952) around a profile, by libdeflate or zlib. */
#ifndef PPROF_GZIP_H
#define PPROF_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

/* Takes the next compressed bytes; its error ends the compression. */
typedef int gzip_sink(void *ctx, const void *data, size_t len, struct error *err);

/* Compresses to one gzip member with mtime 0 and no name: the same bytes in give
 * the same bytes out, as long as the libraries are the same. ERR_NOMEM or the sink's error. */
int gzip_compress(const void *data, size_t len, gzip_sink *sink, void *ctx, struct error *err);

/* True when the bytes begin as a gzip member does. */
bool gzip_detect(const void *data, size_t len);

/* Appends the contents of all members to `out`, at most `max` bytes. ERR_FORMAT
 * with the offset, ERR_LIMIT, ERR_NOMEM. */
int gzip_uncompress(const void *data, size_t len, size_t max, struct buffer *out,
		    struct error *err);

#endif

/* Compresses and uncompresses gzip (RFC 1952) in memory, with libdeflate or zlib, and compresses it
 * piece by piece. */
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

/* Compresses piece by piece, with zlib, so that the whole is never in memory. */

struct gzip_stream;

/* Like Go's gzip.DefaultCompression: the speed of deltas is compared with Go's profiler at the same
 * size (docs/delta.md). */
enum { GZIP_STREAM_LEVEL = 6 };

/* A stream takes about 330 kB and can write any number of members, one after the other. `level` is
 * zlib's. The caller frees *s with gzip_stream_free. ERR_NOMEM. */
int gzip_stream_new(struct gzip_stream **s, int level, struct error *err);
void gzip_stream_free(struct gzip_stream *s);

/* Begins a member with mtime 0 and no name; its compressed bytes go to the sink. A member that
 * was not ended is discarded. */
void gzip_stream_begin(struct gzip_stream *s, gzip_sink *sink, void *ctx);

/* Compress bytes; end the member, so that all of it has gone to the sink. 0 or the sink's error. */
int gzip_stream_write(struct gzip_stream *s, const void *data, size_t len, struct error *err);
int gzip_stream_end(struct gzip_stream *s, struct error *err);

#endif

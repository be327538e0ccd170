/* Writes gzip (RFC 1952) piece by piece, with zlib, so that the whole is never in memory. */
#ifndef PPROF_WIRE_GZIPSTREAM_H
#define PPROF_WIRE_GZIPSTREAM_H

#include <stddef.h>

#include "pprof/wire/gzip.h"

struct gzip_stream;

/* A stream takes about 330 kB and can write any number of members, one after the other. The
 * caller frees *s with gzip_stream_free. ERR_NOMEM. */
int gzip_stream_new(struct gzip_stream **s, struct error *err);
void gzip_stream_free(struct gzip_stream *s);

/* Begins a member with mtime 0 and no name; its compressed bytes go to the sink. A member that
 * was not ended is discarded. */
void gzip_stream_begin(struct gzip_stream *s, gzip_sink *sink, void *ctx);

/* Compress bytes; end the member, so that all of it has gone to the sink. 0 or the sink's error. */
int gzip_stream_write(struct gzip_stream *s, const void *data, size_t len, struct error *err);
int gzip_stream_end(struct gzip_stream *s, struct error *err);

#endif

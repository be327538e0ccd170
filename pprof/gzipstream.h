/* gzip (RFC 1952), written piece by piece, by zlib: for what is not to be in memory whole. */
#ifndef PPROF_GZIPSTREAM_H
#define PPROF_GZIPSTREAM_H

#include <stddef.h>

#include "pprof/gzip.h"

struct gzip_stream;

/* Its memory, some 330 kB, serves any number of members one after the other. ERR_NOMEM. */
int gzip_stream_new(struct gzip_stream **s, struct error *err);
void gzip_stream_free(struct gzip_stream *s);

/* Begins a member with mtime 0 and no name; what is compressed goes to the sink. What was
 * not ended is forgotten. */
void gzip_stream_begin(struct gzip_stream *s, gzip_sink *sink, void *ctx);

/* 0 or the sink's error. */
int gzip_stream_write(struct gzip_stream *s, const void *data, size_t len, struct error *err);
int gzip_stream_end(struct gzip_stream *s, struct error *err);

#endif

/* Reads gzip (RFC 1952) piece by piece, with zlib, so that the whole is never in memory. */
#ifndef PPROF_WIRE_GUNZIP_H
#define PPROF_WIRE_GUNZIP_H

#include <stddef.h>

struct error;
struct gunzip;

/* Reads up to `len` compressed bytes into `buf`; *got 0 is the end. 0 or a negative error. */
typedef int gunzip_source(void *ctx, void *buf, size_t len, size_t *got, struct error *err);

/* A reader of the compressed bytes that source(ctx, ...) delivers; the caller frees *g with
 * gunzip_free. ERR_NOMEM. */
int gunzip_new(struct gunzip **g, gunzip_source *source, void *ctx, struct error *err);
void gunzip_free(struct gunzip *g);

/* Reads up to `len` bytes of the contents of all members; *got 0 is the end. Contents before an
 * error are returned by earlier calls. ERR_FORMAT with the offset, ERR_NOMEM or the source's
 * error. */
int gunzip_read(struct gunzip *g, void *buf, size_t len, size_t *got, struct error *err);

#endif

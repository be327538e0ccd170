/* gzip (RFC 1952), read piece by piece, by zlib: for what is not to be in memory whole. */
#ifndef PPROF_GUNZIP_H
#define PPROF_GUNZIP_H

#include <stddef.h>

struct error;
struct gunzip;

/* Fills up to `len` bytes; *got 0 is the end. */
typedef int gunzip_source(void *ctx, void *buf, size_t len, size_t *got, struct error *err);

/* Takes what is compressed from the source, which must live as long. ERR_NOMEM. */
int gunzip_new(struct gunzip **g, gunzip_source *source, void *ctx, struct error *err);
void gunzip_free(struct gunzip *g);

/* Up to `len` bytes of the contents of all members; *got 0 is their end. What came before an
 * error has been given already. ERR_FORMAT with the offset, ERR_NOMEM, the source's error. */
int gunzip_read(struct gunzip *g, void *buf, size_t len, size_t *got, struct error *err);

#endif

/* Uncompresses gzip (RFC 1952) piece by piece, with zlib: from any pieces to any pieces. */
#ifndef BASE_INFLATER_H
#define BASE_INFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

struct error;

struct inflater {
	z_stream z;
	bool open;   /* `z` must be freed */
	bool member; /* within a member, of which there may be several; the data may end between
		      * them. A caller for which no data are an error sets it at the start */
};

/* ERR_NOMEM. The caller calls inflater_release in any case; {0} is harmless there. */
int inflater_init(struct inflater *f);
void inflater_release(struct inflater *f);

/* Uncompresses up to `len` bytes to `out` from the *in_len bytes at *in, and moves *in and *in_len
 * on. *got may be 0 when all input is used up. Contents before an error are returned first: the
 * next call repeats the error. ERR_FORMAT, ERR_NOMEM. */
int inflater_read(struct inflater *f, const uint8_t **in, size_t *in_len, void *out, size_t len,
		  size_t *got);

/* The message of `rc`, which inflater_read returned, or of data that ended within a member if `rc`
 * is 0. `offset`: of the compressed bytes that were used up. */
int inflater_explain(int rc, uint64_t offset, struct error *err);

#endif

/* Uncompresses gzip (RFC 1952) with zlib, piece by piece. Pieces have any size on both sides. */
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
	bool member; /* within a gzip member; there may be several, and the data may end only
		      * between them. A caller sets it at the start if empty data are an error */
};

/* ERR_NOMEM. The caller calls inflater_release in any case; {0} is harmless there. */
int inflater_init(struct inflater *f);
void inflater_release(struct inflater *f);

/* Uncompresses up to `len` bytes to `out` from the *in_len bytes at *in, and moves *in and *in_len
 * on. *got may be 0 when all input is used up. Contents before an error are returned first: the
 * next call repeats the error. ERR_FORMAT, ERR_NOMEM. */
int inflater_read(struct inflater *f, const uint8_t **in, size_t *in_len, void *out, size_t len,
		  size_t *got);

/* Sets the message for `rc`, which inflater_read returned, and returns the code. If `rc` is 0, the
 * data ended within a member: ERR_FORMAT. `offset`: number of compressed bytes used up. */
int inflater_explain(int rc, uint64_t offset, struct error *err);

#endif

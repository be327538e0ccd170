/*
 * A response's content, as it was before it was encoded for the way: as it is, or gzip
 * (RFC 9110, section 8.4).
 *
 * libcurl could do that. But it unpacks all that it has received before it can be made to
 * wait, a thousand bytes from one, and takes the encodings that it knows, whatever was
 * asked for, one within another.
 */
#ifndef NET_UNPACK_H
#define NET_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>

struct error;

struct unpack {
	bool gzip, open; /* `open`: `z` is to be freed */
	bool member;	 /* within a gzip member, of which there may be several */
	z_stream z;
};

/* ERR_NOMEM. To be released in either case. */
int unpack_init(struct unpack *u, bool gzip, struct error *err);
void unpack_release(struct unpack *u);

/* Takes from *in_len bytes at *in what is needed to fill `len` bytes at `out`, and moves both
 * on. *got may be 0, when all of the input is used up. ERR_FORMAT, ERR_NOMEM. */
int unpack_bytes(struct unpack *u, const unsigned char **in, size_t *in_len, void *out,
		 size_t len, size_t *got, struct error *err);

/* Whether the content may end here: ERR_FORMAT within a gzip member. */
int unpack_end(const struct unpack *u, struct error *err);

#endif

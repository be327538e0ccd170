/*
 * Unpacks a response's content (RFC 9110, section 8.4): gzip, or not encoded.
 *
 * libcurl could do that. But it unpacks all that it has received before it can be paused, up to a
 * thousand bytes from one. And it accepts all encodings that it supports, even one within another,
 * whatever was requested.
 */
#ifndef BASE_NET_UNPACK_H
#define BASE_NET_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/inflater.h"

struct error;

struct unpack {
	bool gzip;
	struct inflater inflater;
};

/* ERR_NOMEM. The caller calls unpack_release in any case. */
int unpack_init(struct unpack *u, bool gzip, struct error *err);
void unpack_release(struct unpack *u);

/* Unpacks up to `len` bytes to `out` from the *in_len bytes at *in, and moves *in and *in_len on.
 * *got may be 0 when all input is used up. ERR_FORMAT, ERR_NOMEM. */
int unpack_bytes(struct unpack *u, const unsigned char **in, size_t *in_len, void *out, size_t len,
		 size_t *got, struct error *err);

/* May the content end here? ERR_FORMAT within a gzip member. */
int unpack_end(const struct unpack *u, struct error *err);

#endif

/*
 * A multipart/form-data body (RFC 7578), byte by byte as Go's mime/multipart.Writer makes it:
 * what receives it was tried with that.
 */
#ifndef ROUNDS_MULTIPART_H
#define ROUNDS_MULTIPART_H

#include <stddef.h>

#include "base/buffer.h"

struct error;

enum { MULTIPART_BOUNDARY = 32 }; /* digits: 128 random bits are in no part */

struct multipart {
	struct buffer body; /* owned */
	char boundary[MULTIPART_BOUNDARY + 1];
	size_t parts;
};

/* ERR_IO: the kernel has no random bytes. To be released in any case. */
int multipart_init(struct multipart *m, struct error *err);
void multipart_release(struct multipart *m);

/* Begins a part; its content is what is appended to m->body next. Without a type it is
 * application/octet-stream. ERR_NOMEM. */
int multipart_part(struct multipart *m, const char *name, const char *file, const char *type);

/* Behind the last part. ERR_NOMEM. */
int multipart_end(struct multipart *m);

/* The Content-Type header's value. */
void multipart_type(const struct multipart *m, char text[80]);

#endif

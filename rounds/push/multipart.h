/*
 * A multipart/form-data body (RFC 7578), byte for byte as Go's mime/multipart.Writer makes it: the
 * engines are tested with that writer.
 */
#ifndef ROUNDS_PUSH_MULTIPART_H
#define ROUNDS_PUSH_MULTIPART_H

#include <stddef.h>

#include "base/buffer.h"

struct error;

enum { MULTIPART_BOUNDARY = 32 }; /* hexadecimal digits: 128 random bits occur in no part */

struct multipart {
	struct buffer body; /* the caller releases it, after an error too */
	char boundary[MULTIPART_BOUNDARY + 1];
	size_t parts;
};

/* ERR_IO: the kernel has no random bytes. */
int multipart_init(struct multipart *m, struct error *err);

/* Begins a part; what is appended to m->body next is its content. `type` NULL:
 * application/octet-stream. ERR_NOMEM. */
int multipart_part(struct multipart *m, const char *name, const char *file, const char *type);

/* Ends the body after the last part. ERR_NOMEM. */
int multipart_end(struct multipart *m);

/* Writes the Content-Type header's value. */
void multipart_type(const struct multipart *m, char text[80]);

#endif

/* A growing byte buffer for encoders. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* {0} is empty. */
struct buffer {
	uint8_t *data; /* owned; NULL while empty */
	size_t len, room;
};

/* Frees the bytes. The buffer is then empty and can be used again. */
void buffer_release(struct buffer *b);

/* Makes room for `more` bytes behind the present ones. 0 or ERR_NOMEM. */
int buffer_reserve(struct buffer *b, size_t more);

/* Appends `len` bytes. 0 or ERR_NOMEM. Inline, because encoders call it all the time. */
static inline int buffer_add(struct buffer *b, const void *data, size_t len)
{
	if (len > b->room - b->len && buffer_reserve(b, len))
		return ERR_NOMEM;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

/* Appends what read(2) gives from `fd`, to its end, but at most `most` bytes. 0; ERR_NOMEM; ERR_IO,
 * errno and what came before. */
int buffer_read(struct buffer *b, int fd, size_t most);

/* Appends formatted text without its NUL. 0 or ERR_NOMEM. */
int buffer_addf(struct buffer *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int buffer_vaddf(struct buffer *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Appends text as UTF-8: each byte that belongs to no character becomes U+FFFD. 0 or ERR_NOMEM. */
int buffer_add_utf8(struct buffer *b, const char *text, size_t len);

/* Appends foreign text as a terminal may show it (base/printable.h). 0 or ERR_NOMEM. */
int buffer_add_printable(struct buffer *b, const char *text, size_t len);

/* Appends bytes in base64 (RFC 4648, 4). Room for them and a NUL is made at once, so that no copy
 * of a secret is left where the buffer was smaller. 0 or ERR_NOMEM. */
int buffer_add_base64(struct buffer *b, const void *data, size_t len);

/* Appends `value` as "0x2a", for callers that write millions of numbers. 0 or ERR_NOMEM. */
int buffer_add_hex(struct buffer *b, uint64_t value);

#endif

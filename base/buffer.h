/* A growing run of bytes: what an encoder writes into. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

struct buffer {
	uint8_t *data; /* owned; NULL while empty */
	size_t len, room;
};

/* An empty buffer owns nothing; {0} is as good. */
void buffer_init(struct buffer *b);
void buffer_release(struct buffer *b);

/* Makes room for `more` bytes behind the present ones. 0 or ERR_NOMEM. */
int buffer_reserve(struct buffer *b, size_t more);

/* Appends. 0 or ERR_NOMEM. Inline, because encoders live on it. */
static inline int buffer_add(struct buffer *b, const void *data, size_t len)
{
	if (len > b->room - b->len && buffer_reserve(b, len))
		return ERR_NOMEM;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

/* Appends formatted text without its NUL. 0 or ERR_NOMEM. */
int buffer_addf(struct buffer *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int buffer_vaddf(struct buffer *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* "0x2a"; for where there are millions. 0 or ERR_NOMEM. */
int buffer_add_hex(struct buffer *b, uint64_t value);

#endif

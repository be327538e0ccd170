/* The buffer doubles its room, from 256 bytes on. A request beyond a quarter of the address space
 * is out of memory, so that no sum of lengths overflows. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/printable.h"

enum { PIECE = 16 << 10 };

void buffer_release(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){ 0 };
}

int buffer_reserve(struct buffer *b, size_t more)
{
	size_t room = b->room ? b->room : 256;
	uint8_t *data;

	if (more <= b->room - b->len)
		return 0;
	if (more > SIZE_MAX / 4 - b->len)
		return ERR_NOMEM;
	while (room - b->len < more)
		room *= 2;
	data = realloc(b->data, room);
	if (!data)
		return ERR_NOMEM;
	b->data = data;
	b->room = room;
	return 0;
}

int buffer_read(struct buffer *b, int fd, size_t most)
{
	for (size_t left = most; left;) {
		size_t step = left < PIECE ? left : PIECE;
		ssize_t n;

		if (buffer_reserve(b, step))
			return ERR_NOMEM;
		step = b->room - b->len < left ? b->room - b->len : left;
		n = read(fd, b->data + b->len, step);
		if (n <= 0)
			return n < 0 ? ERR_IO : 0;
		b->len += (size_t)n;
		left -= (size_t)n;
	}
	return 0;
}

int buffer_vaddf(struct buffer *b, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0 || buffer_reserve(b, (size_t)len + 1))
		return ERR_NOMEM;
	vsnprintf((char *)b->data + b->len, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
	return 0;
}

int buffer_addf(struct buffer *b, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buffer_vaddf(b, fmt, ap);
	va_end(ap);
	return rc;
}

int buffer_add_base64(struct buffer *b, const void *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = data;

	if (buffer_reserve(b, len / 3 * 4 + 5))
		return ERR_NOMEM;
	for (size_t i = 0; i < len; i += 3) {
		uint32_t bits = 0;

		for (size_t j = 0; j < 3; j++)
			bits = bits << 8 | (i + j < len ? from[i + j] : 0);
		for (size_t j = 0; j < 4; j++)
			b->data[b->len++] = (uint8_t)(i + j > len ?
							      '=' :
							      digits[bits >> (18 - 6 * j) & 63]);
	}
	return 0;
}

int buffer_add_hex(struct buffer *b, uint64_t value)
{
	char text[2 + 2 * sizeof(value)], *end = text + sizeof(text), *at = end;

	do
		*--at = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	*--at = 'x';
	*--at = '0';
	return buffer_add(b, at, (size_t)(end - at));
}

int buffer_add_utf8(struct buffer *b, const char *text, size_t len)
{
	int rc = 0;

	while (!rc && len) {
		size_t valid = utf8_valid(text, len);

		rc = buffer_add(b, text, valid);
		if (!rc && valid < len)
			rc = buffer_add(b, "\xef\xbf\xbd", 3);
		valid += valid < len;
		text += valid;
		len -= valid;
	}
	return rc;
}

int buffer_add_printable(struct buffer *b, const char *text, size_t len)
{
	size_t start = 0, size;
	int rc = 0;

	for (size_t at = 0; at < len && !rc; at += size) {
		if (printable_next(text + at, len - at, &size))
			continue;
		rc = buffer_add(b, text + start, at - start) || buffer_add(b, "?", 1) ? ERR_NOMEM :
											0;
		start = at + size;
	}
	return rc ? rc : buffer_add(b, text + start, len - start);
}

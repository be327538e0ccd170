/* The header's inline functions take the common cases, a byte or a short number. All that crosses
 * the end fails here, in cursor_bytes, so the bound is in one place. */
#include "base/cursor.h"

#include <string.h>

#include "base/error.h"

void cursor_init(struct cursor *c, const void *data, size_t len, const char *what)
{
	static const uint8_t nothing[1];

	c->start = c->pos = data ? data : nothing;
	c->end = c->start + (data ? len : 0);
	c->what = what;
	c->failed = NULL;
	c->failed_at = 0;
}

size_t cursor_offset(const struct cursor *c)
{
	return (size_t)(c->pos - c->start);
}

void cursor_fail(struct cursor *c, const char *why)
{
	if (c->failed)
		return;
	c->failed = why;
	c->failed_at = cursor_offset(c);
}

int cursor_error(const struct cursor *c, struct error *err)
{
	if (!c->failed)
		return 0;
	return error_set(err, ERR_FORMAT, "%s: %s at offset %zu", c->what, c->failed, c->failed_at);
}

const uint8_t *cursor_bytes(struct cursor *c, uint64_t len)
{
	const uint8_t *p = c->pos;

	if (c->failed)
		return NULL;
	if (len > (uint64_t)(c->end - c->pos)) {
		cursor_fail(c, "ends too early");
		return NULL;
	}
	c->pos += len;
	return p;
}

uint64_t cursor_uint(struct cursor *c, unsigned bytes)
{
	const uint8_t *p = cursor_bytes(c, bytes);
	uint64_t v = 0;

	if (!p)
		return 0;
	switch (bytes) { /* memcpy of a constant length needs no call */
	case 1:
		return *p;
	case 2:
		memcpy(&v, p, 2);
		break;
	case 4:
		memcpy(&v, p, 4);
		break;
	default:
		memcpy(&v, p, bytes);
	}
	return v;
}

uint64_t cursor_long_uleb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = cursor_byte(c);

		if (c->failed)
			return 0;
		if (shift == 63 && byte > 1) {
			cursor_fail(c, "number of more than 64 bits");
			return 0;
		}
		v |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
}

int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0, byte;
	unsigned shift = 0;

	do {
		byte = cursor_byte(c);
		if (c->failed)
			return 0;
		if (shift == 63 && byte != 0 && byte != 0x7f) { /* only the sign is left */
			cursor_fail(c, "number of more than 64 bits");
			return 0;
		}
		v |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		v |= ~(uint64_t)0 << shift;
	return (int64_t)v;
}

bool cursor_line(struct cursor *c, struct cursor *line)
{
	size_t left = cursor_left(c);
	const uint8_t *nl;

	if (!left)
		return false;
	nl = memchr(c->pos, '\n', left);
	cursor_init(line, c->pos, nl ? (size_t)(nl - c->pos) : left, c->what);
	c->pos = nl ? nl + 1 : c->end;
	return true;
}

static unsigned cursor_digit(uint8_t ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	if (ch >= 'A' && ch <= 'F')
		return ch - 'A' + 10;
	return 99;
}

uint64_t cursor_number(struct cursor *c, int base)
{
	const uint8_t *first = c->pos;
	uint64_t v = 0;

	while (cursor_left(c)) {
		unsigned d = cursor_digit(*c->pos);

		if (d >= (unsigned)base)
			break;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v)) {
			cursor_fail(c, "number of more than 64 bits");
			return 0;
		}
		c->pos++;
	}
	if (c->pos == first)
		cursor_fail(c, "number expected");
	return v;
}

void cursor_expect(struct cursor *c, char ch)
{
	if (!cursor_left(c))
		cursor_fail(c, "ends too early");
	else if (*c->pos != (uint8_t)ch)
		cursor_fail(c, "another character expected");
	else
		c->pos++;
}

void cursor_blanks(struct cursor *c)
{
	while (cursor_left(c) && (*c->pos == ' ' || *c->pos == '\t'))
		c->pos++;
}

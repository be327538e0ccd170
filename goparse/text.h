/*
 * Reading a line's text from its front and from its back. Every function stays within the
 * text; one that does not find what it looks for changes nothing and returns false.
 */
#ifndef GOPARSE_TEXT_H
#define GOPARSE_TEXT_H

#include <string.h>

#include "goparse/goparse.h"

/* A literal and its length, for the functions below. */
#define LITERAL(s) (s), sizeof(s) - 1

static inline bool text_starts(struct goparse_text t, const char *with, size_t len)
{
	return t.len >= len && !memcmp(t.at, with, len);
}

static inline bool text_is(struct goparse_text t, const char *s, size_t len)
{
	return t.len == len && !memcmp(t.at, s, len);
}

static inline bool text_equal(struct goparse_text a, struct goparse_text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

/* Takes what it starts or ends with off it. */
static inline bool text_take(struct goparse_text *t, const char *with, size_t len)
{
	if (!text_starts(*t, with, len))
		return false;
	t->at += len;
	t->len -= len;
	return true;
}

static inline bool text_take_end(struct goparse_text *t, const char *with, size_t len)
{
	if (t->len < len || memcmp(t->at + t->len - len, with, len))
		return false;
	t->len -= len;
	return true;
}

/* Numbers without sign, of at least one digit; one of more than 64 bits is none. */
bool text_take_number(struct goparse_text *t, uint64_t *number);
bool text_take_number_end(struct goparse_text *t, uint64_t *number);

/* "0x1d", as the runtime's printhex writes it. */
bool text_take_hex(struct goparse_text *t, uint64_t *number);
bool text_take_hex_end(struct goparse_text *t, uint64_t *number);

#endif

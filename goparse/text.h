/*
 * Takes tokens from the front or the back of a line's text. No function reads beyond the text. A
 * function that does not find what it looks for changes nothing and returns false.
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

/* Remove a prefix or a suffix from the text. */
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

/* Removes carriage returns and blanks from the end, which Go prints on no line. */
static inline void text_trim_end(struct goparse_text *t)
{
	while (t->len && (t->at[t->len - 1] == '\r' || t->at[t->len - 1] == ' '))
		t->len--;
}

/* A byte's value as a digit plus 1; for other bytes 0, from which text_digit makes a number larger
 * than any base. A table, because a branch would be mispredicted: which digits of an address are
 * letters is random. */
extern const unsigned char text_digit_and_one[256];

static inline unsigned text_digit(char c)
{
	return text_digit_and_one[(unsigned char)c] - 1u;
}

/* The value of `len` digits; false if there are none or the value has more than 64 bits. */
static inline bool text_decimal(const char *s, size_t len, uint64_t *number)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, text_digit(s[i]), &n))
			return false;
	if (len)
		*number = n;
	return len;
}

static inline bool text_hexadecimal(const char *s, size_t len, uint64_t *number)
{
	if (!len || len > 16)
		return false;
	*number = 0;
	for (size_t i = 0; i < len; i++)
		*number = *number << 4 | text_digit(s[i]);
	return true;
}

/* Take a number without a sign, or one with "0x" as the runtime's printhex writes it. The functions
 * that take it off the end are needed for most lines of a dump, so they are inline. Calls would
 * cost a tenth of the whole time, mostly because all of *t is loaded just after a part of it was
 * stored. */
bool text_take_number(struct goparse_text *t, uint64_t *number);
bool text_take_hex(struct goparse_text *t, uint64_t *number);

static inline bool text_take_number_end(struct goparse_text *t, uint64_t *number)
{
	size_t at = t->len;

	while (at && text_digit(t->at[at - 1]) < 10)
		at--;
	if (!text_decimal(t->at + at, t->len - at, number))
		return false;
	t->len = at;
	return true;
}

static inline bool text_take_hex_end(struct goparse_text *t, uint64_t *number)
{
	size_t at = t->len;

	while (at && text_digit(t->at[at - 1]) < 16)
		at--;
	if (at < 2 || memcmp(t->at + at - 2, "0x", 2) ||
	    !text_hexadecimal(t->at + at, t->len - at, number))
		return false;
	t->len = at - 2;
	return true;
}

#endif

/* Foreign text for a terminal: what it would act on becomes '?'. The one rule for all that is
 * shown. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* False for the control characters C0, DEL and C1, for line and paragraph separators, and for what
 * changes the direction of text, so that it reads as another (UAX #9, 2). */
static inline bool printable_rune(uint32_t c)
{
	return c >= ' ' && (c < 0x7f || c >= 0xa0) && c != 0x61c && (c < 0x200e || c > 0x200f) &&
	       (c < 0x2028 || c > 0x202e) && (c < 0x2066 || c > 0x2069);
}

/* Is the character at `text`, of `len` bytes, at least 1, to be shown? *size is its length, 1 if it
 * is not UTF-8. */
static inline bool printable_next(const char *text, size_t len, size_t *size)
{
	uint32_t c = utf8_next(text, len, size);

	return printable_rune(c) && (c != UTF8_REPLACEMENT || *size > 1);
}

/* Puts a '?' in the place of each character that is not shown, and of each byte that is not UTF-8.
 * Returns the length that is left of `len` bytes. */
static inline size_t printable_bytes(char *text, size_t len)
{
	size_t to = 0, size;

	for (size_t at = 0; at < len; at += size) {
		bool shown = printable_next(text + at, len - at, &size);

		memmove(text + to, shown ? text + at : "?", shown ? size : 1);
		to += shown ? size : 1;
	}
	return to;
}

/* The same for a text, which ends at `room` bytes at the latest. */
static inline void printable(char *text, size_t room)
{
	text[room - 1] = '\0';
	text[printable_bytes(text, strlen(text))] = '\0';
}

#endif

/*
 * Foreign text for a terminal: what it would act on, and what cannot be seen, becomes '?'. The one
 * rule for all that is shown.
 *
 * A name with an invisible character in it reads as another name. Two kinds of them are shown where
 * a script or an emoji needs them, that is, where the character before is beyond the Latin letters
 * and their signs: a variation selector, one; and a joiner (ZWJ, ZWNJ) between two such characters,
 * as in Persian, in Devanagari and in emoji of several. Rejected: the rule of RFC 5892, A.1 and
 * A.2, by which a joiner needs a virama or letters that join, since it has no emoji and needs
 * tables of all scripts.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

enum { PRINTABLE_MAX = 11 }; /* bytes: a character, a selector and a joiner */

/* False for the control characters C0, DEL and C1, for line and paragraph separators, and for what
 * changes the direction of text, so that it reads as another (UAX #9, 2). */
static inline bool printable_rune(uint32_t c)
{
	return c >= ' ' && (c < 0x7f || c >= 0xa0) && c != 0x61c && (c < 0x200e || c > 0x200f) &&
	       (c < 0x2028 || c > 0x202e) && (c < 0x2066 || c > 0x2069);
}

/* Of a script or a set of signs that has use for selectors and joiners: U+0300 to U+036F are signs
 * that Latin letters carry. */
static inline bool printable_beyond_latin(uint32_t c)
{
	return c > 0x36f && printable_rune(c) && !utf8_is_invisible(c);
}

/* The same as printable_next, of a character beyond ASCII. */
static inline bool printable_unit(const char *text, size_t len, size_t *size)
{
	uint32_t c = utf8_next(text, len, size);
	size_t at = *size, more, next;

	if (!printable_rune(c) || (c == UTF8_REPLACEMENT && at == 1) || utf8_is_invisible(c))
		return false;
	if (!printable_beyond_latin(c))
		return true;
	if (at < len && utf8_is_selector(utf8_next(text + at, len - at, &more)))
		*size = at += more;
	if (at < len && utf8_is_joiner(utf8_next(text + at, len - at, &more)) && at + more < len &&
	    printable_beyond_latin(utf8_next(text + at + more, len - at - more, &next)))
		*size += more;
	return true;
}

/* Is the character at `text`, of `len` bytes, at least 1, to be shown? *size is its length, with
 * those of a selector and a joiner that belong to it, at most PRINTABLE_MAX; 1 if it is not
 * UTF-8. */
static inline bool printable_next(const char *text, size_t len, size_t *size)
{
	if ((unsigned char)*text >= 0x80)
		return printable_unit(text, len, size);
	*size = 1;
	return printable_rune((unsigned char)*text);
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

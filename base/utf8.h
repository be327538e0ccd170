/* UTF-8, decoded as Go does: a byte that belongs to no character is a character by itself. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_REPLACEMENT = 0xfffd };

/* Returns the character at the start of `text`, which has `size` bytes, at least 1; *len is the
 * character's length, 1 to 4 bytes. Bytes that are no character (overlong, a surrogate, beyond
 * U+10FFFF, cut off) give U+FFFD and *len 1; an encoded U+FFFD gives *len 3. */
uint32_t utf8_next(const char *text, size_t size, size_t *len);

/* How many of the first `len` bytes of `text` are whole characters. */
size_t utf8_valid(const char *text, size_t len);

/* Writes a character to `text`, without a NUL, and returns its length, 1 to 4 bytes. What is no
 * character (a surrogate, beyond U+10FFFF) becomes U+FFFD. */
size_t utf8_put(char text[4], uint32_t ch);

/* Returns how many of the `len` bytes of `text`, which is UTF-8, are the whole characters that
 * `room` bytes hold. */
size_t utf8_fit(const char *text, size_t len, size_t room);

/* Has the character no glyph of its own, does it select a variant of the one before, does it join
 * two or keep them apart? Selectors and joiners are invisible, too. */
bool utf8_is_invisible(uint32_t ch);
bool utf8_is_selector(uint32_t ch);
bool utf8_is_joiner(uint32_t ch);

#endif

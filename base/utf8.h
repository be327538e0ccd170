/* UTF-8, read as Go reads it: a byte that does not belong to a character is one of its own. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { UTF8_REPLACEMENT = 0xfffd };

/* The character that `text` begins with, and through *len its bytes: 1 to 4. Where the bytes
 * are no character (overlong, a surrogate, beyond U+10FFFF, cut off) U+FFFD, and *len is 1;
 * U+FFFD itself has 3 bytes. `size` is at least 1. */
uint32_t utf8_next(const char *text, size_t size, size_t *len);

#endif

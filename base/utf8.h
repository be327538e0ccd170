/* UTF-8 in bytes that may hold anything. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* The length of the sequence that the bytes begin with; 0 when that is none. `left` is at
 * least 1. */
size_t utf8_length(const unsigned char *s, size_t left);

#endif

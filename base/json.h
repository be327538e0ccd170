/* JSON strings (RFC 8259, section 7). */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stddef.h>

struct buffer;

/* Appends the bytes as a string, quotes included. What is no UTF-8 (a thread's name, a
 * path may hold anything) becomes U+FFFD, a byte at a time, so that the result is valid
 * whatever they are. 0 or ERR_NOMEM. */
int json_add_string(struct buffer *b, const char *text, size_t len);

/* The same of a C string; NULL is null. */
int json_add_text(struct buffer *b, const char *text);

#endif

/* JSON strings (RFC 8259, section 7). */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stddef.h>

struct buffer;

/* Appends the bytes as a string, with its quotes. A byte that is not UTF-8 (a thread's name or a
 * path may hold any) becomes U+FFFD, so the result is always valid. 0 or ERR_NOMEM. */
int json_add_string(struct buffer *b, const char *text, size_t len);

/* The same for a C string; NULL gives null. */
int json_add_text(struct buffer *b, const char *text);

#endif

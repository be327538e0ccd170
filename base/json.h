/* Writes JSON (RFC 8259) to a buffer. After a failure nothing more is written, so callers check
 * `rc` only at the end. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stddef.h>
#include <stdint.h>

struct buffer;

struct json {
	struct buffer *out; /* borrowed */
	int rc;		    /* the first failure: ERR_NOMEM, or what the caller stores */
};

/* Appends the text as it is. */
void json_add(struct json *j, const char *text);
void json_addf(struct json *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends the bytes as a string, with its quotes. A byte that is not UTF-8 (a thread's name or a
 * path may hold any) becomes U+FFFD, so the result is always valid. */
void json_add_string(struct json *j, const char *text, size_t len);

/* The same for a C string; NULL gives null. */
void json_add_text(struct json *j, const char *text);

/* Appends a time, in ns since 1970, as a string: RFC 3339, in UTC. `digits`: how many
 * digits the second's fraction has, 1 to 9. */
void json_add_time(struct json *j, int64_t ns, int digits);

#endif

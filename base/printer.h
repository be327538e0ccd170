/*
 * Writes text for people into a buffer. After a failure nothing more is written, so callers check
 * the result only at the end.
 *
 * A profile of some kilobytes can require gigabytes of text (a name of 30 KB in each of 30,000
 * frames): a text that is longer than PRINTER_MAX fails.
 */
#ifndef BASE_PRINTER_H
#define BASE_PRINTER_H

#include "base/buffer.h"

enum { PRINTER_MAX = 512 << 20 }; /* bytes */

struct printer {
	struct buffer *out; /* borrowed */
	int rc;		    /* 0, ERR_NOMEM or ERR_LIMIT */
};

/* Appends trusted text: strings for "%s" must be trusted. */
void print_to(struct printer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends trusted text that has no format, for callers that write millions of lines. */
void print_bytes(struct printer *p, const void *text, size_t len);

/* Appends foreign text as a terminal may show it (base/printable.h). */
void print_foreign(struct printer *p, const char *text);
void print_foreign_bytes(struct printer *p, const char *text, size_t len);

/* Keeps an error of the caller, 0 or a code, unless an earlier one is kept. */
void printer_fail(struct printer *p, int rc);

/* Returns p->rc and sets its message. */
int printer_result(const struct printer *p, struct error *err);

#endif

/* Writes text for people into a buffer. After a failure nothing more is written, so callers check
 * `rc` only at the end. */
#ifndef CLI_COMMON_PRINTER_H
#define CLI_COMMON_PRINTER_H

#include "base/buffer.h"

struct printer {
	struct buffer *out; /* borrowed */
	int rc;		    /* 0 or ERR_NOMEM */
};

void print_to(struct printer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends foreign text as a terminal may show it (base/printable.h). */
void print_foreign(struct printer *p, const char *text);

#endif

/* Text in quotes as Go's strconv.Quote writes it ("%q"). */
#ifndef PPROF_GOQUOTE_H
#define PPROF_GOQUOTE_H

#include <stddef.h>

struct buffer;

/* Appends it. Escaped are quotes, backslashes, control characters, bytes that are no UTF-8,
 * and characters that cannot be seen; of characters that Unicode has not assigned Go
 * escapes more. ERR_NOMEM. */
int goquote(const char *text, size_t len, struct buffer *out);

#endif

/* Quotes text as Go's strconv.Quote ("%q") does. */
#ifndef PPROF_GOTEXT_GOQUOTE_H
#define PPROF_GOTEXT_GOQUOTE_H

#include <stddef.h>

struct buffer;

/* Appends `len` bytes of text in quotes to `out`. Quotes, backslashes, control characters, bytes
 * that are not UTF-8 and invisible characters are escaped; Go also escapes other characters that
 * Unicode has not assigned. 0 or ERR_NOMEM. */
int goquote(const char *text, size_t len, struct buffer *out);

#endif

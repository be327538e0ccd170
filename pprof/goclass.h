/* Named classes of characters in Go's patterns: \d, [:alpha:], \p{Greek}. */
#ifndef PPROF_GOCLASS_H
#define PPROF_GOCLASS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* Appends the class "d" or "alpha", or its opposite, as items of PCRE2's [...]. `fold`: upper
 * and lower case are alike. ERR_NOTFOUND for a name that is none, ERR_NOMEM. */
int goclass_ascii(const char *name, size_t len, bool opposite, bool fold, struct buffer *out);

/* The same for the name in \p{...}: a general category, a script, Any, Assigned, ASCII or LC.
 * Which characters are in it is PCRE2's knowledge, of its version of Unicode; with `fold`, Lu,
 * Ll and Lt are all letters that have case, others stay what they are (Go adds the few letters
 * that fold into them). */
int goclass_unicode(const char *name, size_t len, bool opposite, bool fold, struct buffer *out);

#endif

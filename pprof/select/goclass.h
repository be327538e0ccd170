/* Translates named classes of characters in Go's patterns: \d, [:alpha:], \p{Greek}. */
#ifndef PPROF_SELECT_GOCLASS_H
#define PPROF_SELECT_GOCLASS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* Appends the class with this name ("d", "alpha"), or its opposite, as items of PCRE2's [...].
 * `fold`: ignore case. ERR_NOTFOUND for an unknown name, ERR_NOMEM. */
int goclass_ascii(const char *name, size_t len, bool opposite, bool fold, struct buffer *out);

/* The same for the name in \p{...}: a general category, a script, Any, Assigned, ASCII or LC.
 * PCRE2 decides which characters are in it, by its version of Unicode. With `fold`, Lu, Ll and Lt
 * mean all letters that have case; other classes do not change (Go adds the few letters that fold
 * into them). */
int goclass_unicode(const char *name, size_t len, bool opposite, bool fold, struct buffer *out);

#endif

/* Says what a file is that is no profile: users hand over what other programs write. */
#ifndef PPROF_FILE_KIND_H
#define PPROF_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/* Replaces the message of an error `rc` of decoding by one that says what the bytes are, by their
 * beginning, and what can be done with them. `packed`: they were compressed. If the kind is not
 * known, the message stays. Returns rc. */
int kind_explain(const void *data, size_t len, bool packed, int rc, struct error *err);

/* What bytes are that are no profile, by their beginning, and what can be done with them: "a
 * picture (PNG)", a constant. NULL: not known. */
const char *kind_of(const void *data, size_t len);

#endif

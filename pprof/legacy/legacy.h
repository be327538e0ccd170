/*
 * Reads the texts that Go's runtime/pprof writes with debug=1, as google/pprof's profile.Parse
 * does: counts (goroutines, threads), heap, contention, mutex. Names come from their comments.
 */
#ifndef PPROF_LEGACY_LEGACY_H
#define PPROF_LEGACY_LEGACY_H

#include <stddef.h>

struct error;
struct profile;

/* Reads uncompressed bytes into an initialised, empty profile, which the caller releases in
 * any case. ERR_NOTFOUND when the first line is none of such a text; ERR_FORMAT with the number of
 * another line that is not; ERR_NOMEM. */
int legacy_parse(struct profile *p, const void *data, size_t len, struct error *err);

#endif

/*
 * Reads the profile formats from before profile.proto, as google/pprof's profile.Parse
 * does: Go's debug=1 texts (counts, heap, contention, mutex), tcmalloc's and jemalloc's
 * heap, growth and fragmentation profiles, contentionz, and the binary CPU profiles of gperftools.
 *
 * Samples have addresses; names come only from the comments that Go writes. Mappings come from
 * the process's memory map if one is appended.
 */
#ifndef PPROF_LEGACY_LEGACY_H
#define PPROF_LEGACY_LEGACY_H

#include <stddef.h>

struct error;
struct profile;

/* Reads uncompressed bytes into an initialised, empty profile, which the caller releases in
 * any case. ERR_NOTFOUND when the bytes do not begin like any of the formats; ERR_FORMAT with
 * the line or the offset and what is wrong there; ERR_LIMIT for a memory map whose
 * assignments are too many or expand to too much text; ERR_NOMEM. */
int legacy_parse(struct profile *p, const void *data, size_t len, struct error *err);

#endif

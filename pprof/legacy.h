/*
 * The profile formats from before profile.proto, as google/pprof's profile.Parse reads
 * them: Go's debug=1 texts (counts, heap, contention, mutex), tcmalloc's and jemalloc's
 * heap, growth and fragmentation profiles, contentionz, threadz, the binary CPU profiles
 * of gperftools, and those of its Java agent.
 *
 * They hold addresses and no names, but for Java's; mappings come from the process's
 * memory map where one is appended. Names that Go writes in comments are not read.
 */
#ifndef PPROF_LEGACY_H
#define PPROF_LEGACY_H

#include <stddef.h>

struct error;
struct profile;

/* Reads uncompressed bytes into an initialised, empty profile, which must be released in
 * any case. ERR_NOTFOUND when they begin as none of the formats does; ERR_FORMAT with
 * the line or the offset and what is wrong there; ERR_LIMIT for memory maps that grow
 * beyond measure by what is set in them; ERR_NOMEM. */
int legacy_parse(struct profile *p, const void *data, size_t len, struct error *err);

#endif

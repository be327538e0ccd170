/*
 * A client of debuginfod(8): the debug file of a build, from the servers in $DEBUGINFOD_URLS or
 * from the cache of earlier fetches, which gdb and elfutils' tools use too.
 *
 * debuginfod_library.c uses elfutils' libdebuginfod. A static program can load no library, and has
 * HTTP in it (tools/static/libcurl): debuginfod_http.c. Both run in the process that fetches
 * (fetching.c).
 */
#ifndef SAMPLER_PROFILE_DEBUGINFOD_H
#define SAMPLER_PROFILE_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

struct debuginfod;

/* `done` of `all` bytes have come; `all` 0: not known. May be called with small numbers that count
 * steps while servers are asked. */
typedef void debuginfod_progress(int64_t done, int64_t all);

/* One at a time. NULL: there can be none, and `why` says so. */
struct debuginfod *debuginfod_new(debuginfod_progress *progress, char *why, size_t size);
void debuginfod_free(struct debuginfod *d);

/* Returns a descriptor of the file, which the caller closes and whose content is not verified; or
 * -1 with the reason in `why`. `build_id`: hex digits. */
int debuginfod_fetch(struct debuginfod *d, const char *build_id, char *why, size_t size);

#endif

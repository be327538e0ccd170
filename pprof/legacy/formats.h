/*
 * The readers of the single formats. Each reads all bytes into an empty profile. It returns 0;
 * NOT_THIS where google/pprof would try the next format, with a message if the first line was
 * of this format; or a negative error where google/pprof would stop.
 */
#ifndef PPROF_LEGACY_FORMATS_H
#define PPROF_LEGACY_FORMATS_H

#include <stddef.h>
struct legacy;

typedef int legacy_reader(struct legacy *l, const void *data, size_t len);

legacy_reader legacy_cpu, legacy_heap, legacy_jemalloc, legacy_count, legacy_contention;

#endif

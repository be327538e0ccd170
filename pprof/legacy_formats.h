/*
 * The readers of the single formats. Each reads all of the bytes into an empty profile
 * or says why not: NOT_THIS where google/pprof would go on to the next format, with a
 * message if the first line was one of its own; a negative error where it would stop.
 */
#ifndef PPROF_LEGACY_FORMATS_H
#define PPROF_LEGACY_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct legacy;

typedef int legacy_reader(struct legacy *l, const void *data, size_t len);

legacy_reader legacy_cpu, legacy_heap, legacy_count, legacy_thread, legacy_contention,
	legacy_java;

/* The names of a Java profile's addresses, which follow its samples; finishes. */
int legacy_java_names(struct legacy *l, struct cursor text);

#endif

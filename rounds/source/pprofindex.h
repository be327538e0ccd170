/*
 * The page of net/http/pprof that lists a program's profiles (Index, indexTmplExecute in
 * net/http/pprof/pprof.go; the same since Go 1.11 as far as it is read).
 */
#ifndef ROUNDS_SOURCE_PPROFINDEX_H
#define ROUNDS_SOURCE_PPROFINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct error;
struct pprofindex;

/* The page is not kept; the caller frees *index with pprofindex_free. ERR_FORMAT: not such a
 * page; ERR_NOMEM. */
int pprofindex_parse(struct pprofindex **index, const void *page, size_t len, struct error *err);
void pprofindex_free(struct pprofindex *index);

/* The number of entries of a profile (for "goroutine": of goroutines). False: it is not listed. */
bool pprofindex_count(const struct pprofindex *index, const char *name, uint64_t *count);

/* Appends the names that are neither the runtime's profiles nor handlers of net/http/pprof,
 * each once and NUL-terminated, at most `max`. ERR_NOMEM. */
int pprofindex_custom(const struct pprofindex *index, size_t max, struct buffer *names);

#endif

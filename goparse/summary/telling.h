/*
 * Selects the most informative frames of a stack: where the program's own code is, and which call
 * of Go's library it waits in.
 */
#ifndef GOPARSE_SUMMARY_TELLING_H
#define GOPARSE_SUMMARY_TELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "goparse/goparse.h"

/* True if the function belongs to Go's standard library, including the runtime. It is recognized by
 * the first element of its package path; "main" and the go command's own packages do not count.
 * A function without a package (C) counts, too. */
bool telling_is_library(struct goparse_text function);

/* The same for the runtime only. */
bool telling_is_runtime(struct goparse_text function);

/* The name without the directories of its package path: "http.(*Server).Serve". */
struct goparse_text telling_short_name(struct goparse_text function);

/* The last element of a path, of Windows or not. */
struct goparse_text telling_file_name(struct goparse_text file);

/* The index of the innermost frame outside the library; s->count if there is none. */
size_t telling_own(const struct goparse_stack *s);

/*
 * Puts the indexes of up to `max` of the most informative frames into `at`, innermost first.
 * Returns how many.
 *
 * The main one is the innermost frame outside the library. Before it comes its call into the
 * library, unless that is the runtime's or the state already names it ("sync.Mutex.Lock"). After it
 * come its callers outside the library. If all frames are the library's, the main one is the
 * outermost frame outside the runtime. If all are the runtime's, it is the function with which the
 * goroutine was started.
 */
size_t telling_frames(const struct goparse_stack *s, struct goparse_text state, size_t *at,
		      size_t max);

#endif

/*
 * What tells a reader most of a stack: where his own code stands, and what of Go's it waits in.
 */
#ifndef GOPARSE_TELLING_H
#define GOPARSE_TELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "goparse/goparse.h"

/* Is the function one of Go's standard library, its runtime included? Known by the first
 * element of its package's path; "main" and the go command's own packages are not. */
bool telling_is_library(struct goparse_text function);

/* The same of the runtime alone. */
bool telling_is_runtime(struct goparse_text function);

/* Without the folders of its package's path: "http.(*Server).Serve". */
struct goparse_text telling_short_name(struct goparse_text function);

/* The last element of the path, whether of Windows or not. */
struct goparse_text telling_file_name(struct goparse_text file);

/* The place of the innermost frame that is not the library's; s->count when all are. */
size_t telling_own(const struct goparse_stack *s);

/*
 * The places of up to `max` frames that tell most, innermost first; returns how many.
 *
 * They are the innermost that is not the library's, before it the call that it made into the
 * library, unless that says no more than the state does ("sync.Mutex.Lock", a channel), and
 * then its callers that are not the library's. Where all are, the outermost one outside the
 * runtime takes that place, or what the runtime began the goroutine with.
 */
size_t telling_frames(const struct goparse_stack *s, struct goparse_text state, size_t *at,
		      size_t max);

#endif

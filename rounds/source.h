/*
 * Where Go's own profiles come from.
 *
 * A source answers for one profile at a time and may wait; a collection (rounds/collection.h)
 * asks it in a process of its own. Today there is one, a net/http/pprof endpoint; one that
 * reads the process's memory is to come behind the same interface.
 */
#ifndef ROUNDS_SOURCE_H
#define ROUNDS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct error;
struct http_request;
struct source;

struct source_options {
	bool gc;	      /* let a GC run before heap profiles */
	uint64_t timeout_ns;  /* for each profile, a trace's duration not counted */
	size_t max_bytes;     /* of each, unpacked */
	size_t trace_limit;   /* bytes after which a trace is cut */
	uint64_t max_goroutines_wait; /* a process with more is not asked for debug=2 */
};

/* A net/http/pprof endpoint: `request` says which (url is that of /debug/pprof, with or
 * without a slash behind it), with which headers, by which socket; its texts are copied.
 * ERR_USAGE (not a URL), ERR_NOMEM. */
int source_http(struct source **s, const struct http_request *request,
		const struct source_options *options, struct error *err);
void source_free(struct source *s);

/* All below append to a buffer and return 0; ERR_NOTFOUND (there is no such profile: not
 * Go, not registered, not of this source), ERR_IO, ERR_LIMIT, ERR_FORMAT (not what it
 * should be), ERR_NOMEM. */

/* A profile by the runtime's name ("heap", "goroutine", …), as pprof bytes. With `gc`, a
 * completed GC cycle is waited for first, for the time-out at most (heap only). */
int source_profile(struct source *s, const char *name, bool gc, struct buffer *out,
		   struct error *err);

/* Goroutines with their wait times, as pprof bytes (goparse/waitprofile.h). ERR_LIMIT: there
 * are more than the options allow; the message says how many. */
int source_goroutine_waits(struct source *s, struct buffer *out, struct error *err);

/* An execution trace of so long a time. *cut: the limit was met, and the trace ends at the
 * last whole batch of events before it. */
int source_trace(struct source *s, uint64_t duration_ns, struct buffer *out, bool *cut,
		 struct error *err);

/* The names of profiles that the program itself registered, each NUL-terminated, one behind
 * the other; only such as may be a file's name are told. */
int source_custom(struct source *s, struct buffer *names, struct error *err);

#endif

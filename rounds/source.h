/*
 * Where Go's own profiles come from.
 *
 * A source answers for one profile at a time and may wait; a collection (rounds/collection.h)
 * asks it in a process of its own. There are two: a net/http/pprof endpoint
 * (rounds/source_http.c), and the process's memory (rounds/source_memory.c).
 */
#ifndef ROUNDS_SOURCE_H
#define ROUNDS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"

struct error;
struct http_request;
struct process;
struct source;

struct source_options {
	bool gc;	      /* force a GC before heap profiles (gc=1) */
	uint64_t timeout_ns;  /* for each profile, a trace's duration not counted; 0: 60 s */
	size_t max_bytes;     /* of each, unpacked; 0: 256 MiB */
	size_t trace_limit;   /* bytes, no trace is longer; 0: 5 MiB */
	uint64_t max_goroutines_wait; /* a process with more is not asked for their waits */
	uint64_t stop_ns;     /* of a process's memory: all its threads are held while one is read,
			       * this long at most (sampler/hold.h); 0: nobody is */
};

/* What is to be said of what was taken. */
struct source_remark {
	bool cut;	/* a trace ends before its time: the limit, or a broken connection */
	char note[256]; /* in words, not of more than one line; "" for nothing */
};

/* A net/http/pprof endpoint: `request` says which (url is that of /debug/pprof, with or
 * without a slash behind it), with which headers, by which socket; its texts are copied, its
 * bounds (total time, size) not used. ERR_USAGE (not a URL), ERR_NOMEM. */
int source_http(struct source **s, const struct http_request *request,
		const struct source_options *options, struct error *err);
/* The memory of a process, that of source_about. Nothing in it is stopped, called or written:
 * `gc` is not for it, and it has no traces. ERR_NOMEM. */
int source_memory(struct source **s, const struct source_options *options, struct error *err);
void source_free(struct source *s);

/* Whom it is about. Not owned; whoever holds it may let it go (pid 0), take up another one,
 * or it may execute another program: it counts who it is when the source is asked. */
void source_about(struct source *s, struct process *process);

/* Of whatever an errand (rounds/errand.h) gives up, what one that asks it must keep. */
enum { SOURCE_FDS = 3 };
struct source_needs {
	pid_t tracing;	      /* the privileges to read this process; 0: none */
	bool holding;	      /* and to hold it */
	int *fds[SOURCE_FDS]; /* descriptors, -1 for none; may get other numbers */
};
void source_needs(struct source *s, struct source_needs *needs);

/* May what it answers be another process's, when the one that it was asked about has ended? */
bool source_by_address(const struct source *s);

/* What it has to remember from one process that asks it to the next one, appended, or nothing;
 * (ERR_NOMEM); and the way back: foreign bytes. Without memory it remembers what it did
 * before. */
int source_save(const struct source *s, struct buffer *out);
void source_load(struct source *s, const void *data, size_t len);

/* What will be asked for next, a set of enum capture_type: who holds the process (stop_ns) reads
 * it all in one moment, as far as it knows the names. `gc_wait` as for each of them. */
void source_together(struct source *s, unsigned types, bool gc_wait);

/* All below append to a buffer and return 0; ERR_IO (cannot be had: not Go, not registered,
 * not of this source), ERR_LIMIT, ERR_FORMAT (not what it should be), ERR_NOMEM. What they
 * append then is not to be used. */

/* A profile by the runtime's name ("heap", "goroutine", …), as pprof bytes. With `gc_wait`,
 * the end of a GC cycle is waited for first, for the time-out at most, and none is forced
 * (heap only); that it did not come is said in the remark. */
int source_profile(struct source *s, const char *name, bool gc_wait, struct buffer *out,
		   struct source_remark *remark, struct error *err);

/* Goroutines with their wait times, as pprof bytes (goparse/waitprofile.h). ERR_LIMIT: there
 * are more than the options allow; the message says how many. */
int source_goroutine_waits(struct source *s, struct buffer *out, struct error *err);

/* An execution trace of so long a time, whole: when it comes near the limit, it is ended
 * early, or else cut behind its last whole generation (rounds/tracecut.h). ERR_LIMIT: not
 * even the first one is within the limit. */
int source_trace(struct source *s, uint64_t duration_ns, struct buffer *out,
		 struct source_remark *remark, struct error *err);

/* Ends the trace that is being taken, or about to be, as if its time were up. May be called
 * by a signal's handler. */
void source_finish(struct source *s);

/* The names of profiles that the program itself registered, each NUL-terminated, one behind
 * the other, at most SOURCE_CUSTOM_MAX: foreign bytes, of any length. */
enum { SOURCE_CUSTOM_MAX = 64 };
int source_custom(struct source *s, struct buffer *names, struct error *err);

#endif

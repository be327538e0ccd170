/*
 * Where Go's own profiles come from.
 *
 * A source gives one profile at a time and may block; a collection
 * (rounds/collect/collection.h) calls it in a process of its own. There are two: a
 * net/http/pprof endpoint (rounds/source/http.c), and the process's memory
 * (rounds/source/memory.c).
 */
#ifndef ROUNDS_SOURCE_SOURCE_H
#define ROUNDS_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "runtimes/go/profile/type.h"

struct error;
struct http_request;
struct process;
struct source;

struct source_options {
	bool gc;	     /* force a GC before heap profiles (gc=1) */
	uint64_t timeout_ns; /* for each profile, a trace's duration not counted; 0: 60 s */
	size_t max_bytes;    /* of each, unpacked; 0: 256 MiB */
	size_t trace_limit;  /* largest trace, in bytes; 0: 5 MiB */
	uint64_t max_goroutines_wait; /* with more goroutines their waits are not taken */
	uint64_t stop_ns; /* source_memory only: all threads are held during a read, this long
			       * at most (sampler/stop/hold.h); 0: no hold */
	bool plain;	  /* source_memory only: profiles are not compressed */
};

/* Remarks on a profile that was taken. */
struct source_remark {
	bool cut;	/* a trace ends before its time: the limit, or a broken connection */
	char note[256]; /* one line of text; "" for none */
};

/* A net/http/pprof endpoint. `request` gives its URL (that of /debug/pprof, with or without a
 * slash behind it), headers and socket; its texts are borrowed until source_free, its bounds (total
 * time, size) are not used. The caller frees *s with source_free. ERR_USAGE (not a URL),
 * ERR_NOMEM. */
int source_http(struct source **s, const struct http_request *request,
		const struct source_options *options, struct error *err);
/* The memory of the process that source_about sets. Nothing in it is called or written, and
 * nothing stopped unless stop_ns is set; `gc` has no effect, and there are no traces. The caller
 * frees *s with source_free. ERR_NOMEM. */
int source_memory(struct source **s, const struct source_options *options, struct error *err);
void source_free(struct source *s);

/* Sets the process, borrowed until source_free. Its owner may close it (pid 0) or open another
 * process in it, and the process may execute another program: each call uses the process and the
 * program of that moment. */
void source_about(struct source *s, struct process *process);

/* What an errand (sampler/child/errand.h) that calls the source must keep. */
enum { SOURCE_FDS = 3 };
struct source_needs {
	pid_t tracing;	      /* the privileges to read this process; 0: none */
	bool holding;	      /* and to hold it */
	int *fds[SOURCE_FDS]; /* descriptors, -1 for none; their numbers may change */
};
void source_needs(struct source *s, struct source_needs *needs);

/* True: after the process has ended, another process may answer at its address. */
bool source_by_address(const struct source *s);

/* source_save appends the state, if any, that the next process to call the source needs; ERR_NOMEM.
 * source_load takes over bytes of source_save, which are not trusted; if memory runs out, the state
 * is empty. */
int source_save(const struct source *s, struct buffer *out);
void source_load(struct source *s, const void *data, size_t len);

/* Announces which types will be taken next, a set of enum capture_type: a source that holds the
 * process (stop_ns) reads them as of one moment, except custom profiles. `gc_wait` as in
 * source_profile. */
void source_together(struct source *s, unsigned types, bool gc_wait);

/* All functions below with a buffer append to it. They return 0, or an error, after which the
 * appended bytes are not to be used: ERR_IO (the server refused, or a read failed), ERR_NOTFOUND
 * (not Go, not registered, no libcurl), ERR_USAGE (not of this source), ERR_PERM, ERR_GONE (the
 * process), ERR_BUSY (it executes another program), ERR_SHORT (not within the time-out), ERR_LIMIT
 * (time, size), ERR_FORMAT (not what it should be), ERR_NOMEM. */

/* One of the program's profiles, as pprof bytes. With `gc_wait`, a heap profile is taken after the
 * end of a GC cycle. None is forced; if none ends within the time-out, the remark says so. */
int source_profile(struct source *s, const struct goprofile_id *id, bool gc_wait,
		   struct buffer *out, struct source_remark *remark, struct error *err);

/* Goroutines with their wait times, as pprof bytes (goparse/profile/waitprofile.h). ERR_LIMIT: more
 * goroutines than the options allow; the message says how many. */
int source_goroutine_waits(struct source *s, struct buffer *out, struct error *err);

/* An execution trace of `duration_ns`, always whole: near the size limit it is ended early, or else
 * cut behind its last whole generation (rounds/source/tracecut.h). ERR_LIMIT: not even the
 * first generation is within the limit. */
int source_trace(struct source *s, uint64_t duration_ns, struct buffer *out,
		 struct source_remark *remark, struct error *err);

/* Ends the trace that is being taken, or is about to be, as if its time were up. Safe in a
 * signal handler. */
void source_finish(struct source *s);

/* The names of profiles that the program itself registered, each NUL-terminated, one after
 * the other, at most SOURCE_CUSTOM_MAX: untrusted bytes, of any length. */
enum { SOURCE_CUSTOM_MAX = 64 };
int source_custom(struct source *s, struct buffer *names, struct error *err);

#endif

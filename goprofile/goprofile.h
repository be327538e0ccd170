/*
 * Go's own profiles, as runtime/pprof would write them, made of the process's memory.
 *
 * The one place where what goruntime/ reads becomes a pprof profile, or the text of debug=1 and
 * debug=2. Numbers, labels, types, periods and which frames are hidden follow
 * runtime/pprof/pprof.go, protomem.go and proto.go of the target's release.
 */
#ifndef GOPROFILE_GOPROFILE_H
#define GOPROFILE_GOPROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "goruntime/gobuckets.h"
#include "goruntime/gogoroutines.h"

struct buffer;
struct error;
struct goprofile;
struct process;
struct profile;

struct goprofile_options {
	size_t max_goroutines; /* for waits: ERR_LIMIT when there are more; 0: any number */
};

/* What was done, for comments and -v. */
struct goprofile_stats {
	uint64_t told, again, without_stack, left_out;
	uint64_t reads, bytes;
};

/* Opens a Go process (goruntime/golive.h says which errors). `process` is not owned. */
int goprofile_new(struct goprofile **g, const struct process *process,
		  const struct goprofile_options *options, struct error *err);
void goprofile_free(struct goprofile *g);

/* As runtime.Version says it. */
const char *goprofile_version(const struct goprofile *g);

/* From now on somebody holds these threads (gogoroutines_options), for --stop; NULL: nobody does.
 * The program is read (goprofile_new) before, since that takes longer than a moment. Not owned. */
void goprofile_hold(struct goprofile *g, const struct go_held *held, size_t count,
		    const atomic_bool *let_go);

/* Waits until a GC cycle that began after that has ended and is swept (goruntime/gogc.h); *ended
 * false: none has within that time. ERR_NOTFOUND, ERR_FORMAT, ERR_GONE. */
int goprofile_gc_wait(struct goprofile *g, uint64_t timeout_ns, bool *ended, struct error *err);

/* Of which moment the heap's profiles are from now on; before, GO_PUBLISHED. */
void goprofile_heap_of(struct goprofile *g, enum gobuckets_moment moment);

/* "heap", "allocs", "block", "mutex", "goroutine", "threadcreate" or the name of a custom profile:
 * into an initialised, empty profile. ERR_NOTFOUND: the program has no such; the message says
 * why; ERR_SHORT: not now, of those who are held one writes what is to be read, or (fresh) the GC
 * sweeps; ERR_FORMAT, ERR_GONE, ERR_NOMEM. What was retried or left out is in its comments. */
int goprofile_make(struct goprofile *g, const char *name, struct profile *p, struct error *err);

/* The same in the text form of debug=1, appended. */
int goprofile_text(struct goprofile *g, const char *name, struct buffer *out, struct error *err);

/* All goroutines in the text form of debug=2, appended. */
int goprofile_dump(struct goprofile *g, struct buffer *out, struct error *err);

/* Names of custom profiles, each NUL-terminated, one behind the other. */
int goprofile_custom(struct goprofile *g, struct buffer *names, struct error *err);

/* Of the last _make, _text, _dump or waits (goprofile/waits.h). */
const struct goprofile_stats *goprofile_stats(const struct goprofile *g);

#endif

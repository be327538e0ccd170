/*
 * Go's own profiles, as runtime/pprof would write them, made from the process's memory.
 *
 * This is the one place where the results of goruntime/ become a pprof profile, or the text of
 * debug=1 or debug=2. Numbers, labels, types, periods and hidden frames follow
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
	size_t max_goroutines; /* for waits_make: ERR_LIMIT if there are more; 0: no limit */
};

/* What was read, for comments and -v: the buckets, stacks or goroutines reported, reads repeated,
 * goroutines without a stack, goroutines left out; process_vm_readv calls and their bytes. */
struct goprofile_stats {
	uint64_t told, again, without_stack, left_out;
	uint64_t reads, bytes;
};

/* Opens a Go process. *options is copied; `process` is borrowed. The caller frees *g with
 * goprofile_free. Errors of golive_open (goruntime/golive.h). */
int goprofile_new(struct goprofile **g, const struct process *process,
		  const struct goprofile_options *options, struct error *err);
void goprofile_free(struct goprofile *g);

/* The program's runtime.Version(). Owned by `g`. */
const char *goprofile_version(const struct goprofile *g);

/* Says that these threads are held from now on (--stop; see gogoroutines_options); `held` NULL:
 * none is. Call goprofile_new before the threads are held, because it takes longer than they may be
 * held. `held` and `let_go` are borrowed. */
void goprofile_hold(struct goprofile *g, const struct go_held *held, size_t count,
		    const atomic_bool *let_go);

/* Waits until a GC cycle that began after the call has ended and is swept (goruntime/gogc.h).
 * *ended false: none has within `timeout_ns`. ERR_NOTFOUND, ERR_FORMAT, ERR_GONE. */
int goprofile_gc_wait(struct goprofile *g, uint64_t timeout_ns, bool *ended, struct error *err);

/* Sets the moment of which the next heap profiles are; the default is GO_PUBLISHED. */
void goprofile_heap_of(struct goprofile *g, enum gobuckets_moment moment);

/* Makes the profile "heap", "allocs", "block", "mutex", "goroutine", "threadcreate" or a custom
 * one, in an initialised, empty profile. ERR_NOTFOUND: the program has no such profile, and the
 * message says why; ERR_SHORT: not possible at the moment, because a held thread is writing the
 * profile's data or (GO_FRESH) the GC is sweeping; ERR_FORMAT, ERR_LIMIT, ERR_PERM, ERR_GONE,
 * ERR_NOMEM. What was repeated or left out is in the profile's comments. */
int goprofile_make(struct goprofile *g, const char *name, struct profile *p, struct error *err);

/* Appends the same in the text form of debug=1. */
int goprofile_text(struct goprofile *g, const char *name, struct buffer *out, struct error *err);

/* Appends all goroutines in the text form of debug=2. Errors of gogoroutines_read. */
int goprofile_dump(struct goprofile *g, struct buffer *out, struct error *err);

/* Appends the names of custom profiles, each NUL-terminated. Errors of gocustom_names. */
int goprofile_custom(struct goprofile *g, struct buffer *names, struct error *err);

/* Statistics of the last goprofile_make, _text, _dump or waits_make (goprofile/waits.h). */
const struct goprofile_stats *goprofile_stats(const struct goprofile *g);

#endif

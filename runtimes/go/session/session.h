/*
 * A Go process from which profiles are made (make.h, waits.h): which one it is, which of its
 * threads are held, and what the last profile has read.
 */
#ifndef RUNTIMES_GO_SESSION_SESSION_H
#define RUNTIMES_GO_SESSION_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtimes/go/numbers/buckets.h"
#include "runtimes/go/stacks/goroutines.h"

struct error;
struct goprofile;
struct process;

struct goprofile_options {
	size_t max_goroutines; /* for waits_make: ERR_LIMIT if there are more; 0: no limit */
	double frequency; /* an earlier goprofile_frequency of the same program; 0: there is none */
};

/* What was read, for comments and -v. */
struct goprofile_stats {
	uint64_t reported;	/* buckets, stacks or goroutines */
	uint64_t again;		/* reads repeated */
	uint64_t without_stack; /* goroutines */
	uint64_t left_out;	/* goroutines */
	uint64_t reads, bytes;	/* calls of process_vm_readv(2), and their bytes */
};

/* Opens a Go process. *options is copied; `process` is borrowed. The caller frees *g with
 * goprofile_free. Errors of golive_open (runtimes/go/live.h). */
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

/* Waits until a GC cycle that began after the call has ended and is swept
 * (runtimes/go/numbers/gc.h). *ended false: none has within `timeout_ns`. ERR_NOTFOUND, ERR_FORMAT,
 * ERR_GONE. */
int goprofile_gc_wait(struct goprofile *g, uint64_t timeout_ns, bool *ended, struct error *err);

/* Cycles per second of the runtime's clock as it was measured for the profiles so far; 0: that was
 * not needed (gobuckets_frequency). */
double goprofile_frequency(const struct goprofile *g);

/* Sets the moment that the next heap profiles show; the default is GO_PUBLISHED. */
void goprofile_heap_of(struct goprofile *g, enum gobuckets_moment moment);

/* Statistics of the last goprofile_make, _text, _dump or waits_make. */
const struct goprofile_stats *goprofile_stats(const struct goprofile *g);

#endif

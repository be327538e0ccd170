/* What a recording is asked for. */
#ifndef SAMPLER_RECORDED_OPTIONS_H
#define SAMPLER_RECORDED_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct counted;
struct error;
struct outfile;
struct profile;

/* Writes a profile into a file, in some form. It runs in a process of its own that can write to
 * that file and do nothing else. */
typedef int recording_writer(const void *ctx, const struct profile *p, struct outfile *file,
			     struct error *err);

/* Which source gives CPU samples (sampler/tick/sourcing.c). */
enum engine {
	ENGINE_AUTO, /* perf events where they suffice, else threads at rest, else stops */
	ENGINE_PERF, /* the same, but an error if perf events are refused */
	ENGINE_REST, /* threads at rest (sampler/capture/resting.h); an error if that is refused */
	ENGINE_PTRACE, /* stops */
};

struct recording_options {
	const pid_t *pids;    /* the processes to sample; not owned */
	size_t pid_count;     /* or 0 and: */
	char *const *command; /* a command to start and sample, NULL-terminated */
	uint64_t duration_ns; /* 0: until the target ends or recording_stop */
	unsigned rate;	      /* ticks a second, 1 to 10000 */
	enum engine engine;
	const struct counted *counted; /* instead of CPU time (sampler/account/counted.h); NULL */
	bool children;		       /* also samples the processes that they make */
	bool alone;		       /* the user asked for a command without its children */
	bool wall;		       /* also samples waiting threads, and records wall time */
	bool no_peers;		       /* addresses and paths of what they wait for are left out */
	bool goid;		       /* which goroutine a thread ran, as a label */
	bool kernel; /* with the kernel's part of stacks: of waiting threads; else by perf events */
	bool no_native;		 /* the profile has interpreted frames only */
	double pause_share;	 /* largest share of its time that a thread may be held, 0 to 1 */
	double max_cpu;		 /* largest share of one CPU that sampling may take, above 0 to 1 */
	recording_writer *write; /* NULL: as pprof */
	const void *write_ctx;	 /* not owned */
	const char *whose;	 /* line for the comments; NULL or "": none; not owned */
};

#endif

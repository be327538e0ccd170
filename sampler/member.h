/*
 * A process of a round, and how far its account has come.
 *
 * Internal to sampler/. A round has one, or several (-p with several numbers,
 * --children). A member stays until the round is over, also when its process has
 * ended: stacks and values refer to it.
 */
#ifndef SAMPLER_MEMBER_H
#define SAMPLER_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "goruntime/goruntime.h"
#include "goruntime/govars.h"
#include "target/memory.h"
#include "target/process.h"

struct error;
struct golabels;
struct image;
struct modmap;
struct symbolizer;
struct thread;
struct threads;

struct member {
	struct process process;
	uint32_t index;	   /* place in the round, for ever */
	bool ended;
	struct modmap *maps;
	struct threads *threads; /* NULL before member_start */
	bool has_go;	   /* `go` is set */
	struct goruntime go;
	struct goruntime_search go_search;
	struct govars go_vars;
	struct golabels *labels;   /* owned; NULL: of its release no labels are read */
	struct memory_live live;   /* what these are read from */
	bool labels_seen;	   /* one of its goroutines has some */
	const struct image *ms_of; /* whose list of ms is at all_ms; 0: it was not found */
	uint64_t all_ms, ms_due_ns; /* when it may be gone through again */
	uint64_t labels_of;	   /* labelling_moment from which on it remembers sets; 0: not at all */
	size_t go_stack_want; /* as thread.stack_want: goroutines change threads */
	uint64_t go_generation, go_tried_ns; /* of the maps, when it was looked for last */
	int maps_fd;	   /* reads as empty once the address space is gone */
	uint64_t maps_read_ns, maps_cost_ns; /* when last, and what it cost */
	uint64_t cpu_start_ns; /* of the process, before the round */
	uint64_t cpu_due_ns;   /* when its CPU time is to be read again */
	uint64_t cpu_ns;       /* in the round, at the last reading */
	uint64_t children_due_ns; /* when to look for children again */
	bool waits_delicately, delicate; /* see sampler/exposure.c; */
	uint64_t exposure_due_ns; /* when to look again */
	bool dumps_core;	  /* and is left alone: it will not run again */
	uint64_t executes_at;	  /* the tick (round.tick_ns) at which it executed a program */
};

/* Opens a process; the images are shared with `beside` where that is not NULL. ERR_GONE,
 * ERR_PERM, ERR_NOMEM. */
int member_open(struct member **m, pid_t pid, const struct member *beside, struct error *err);
void member_close(struct member *m);

/* Reads maps and threads. Of a process that was there before the round (`old`) only
 * what it does from now on counts. ERR_GONE, ERR_PERM, ERR_NOMEM. */
int member_start(struct member *m, bool old, struct error *err);

/* A thread by its index; valid until the next refresh of the threads. */
struct thread *member_thread(const struct member *m, uint32_t index);

/* Looks for a Go runtime where the maps have changed since it was looked for last. ERR_NOMEM. */
int member_find_go(struct member *m);

/* Reads the CPU time, if that is not too dear yet (the kernel adds up all threads). */
void member_read_cpu(struct member *m, bool last);

/* A symbolizer for what was met in the process, jitdump files that it has mapped included.
 * ERR_NOMEM. */
int member_symbolizer(const struct member *m, unsigned flags, struct symbolizer **s);

/* Reads the maps again, and notes what that cost. */
void member_read_maps(struct member *m);

/* Is the address space still the one that was there when last asked? Whoever execs gets
 * another, and whoever exits none. */
enum member_space { SPACE_SAME, SPACE_NEW, SPACE_NONE };
enum member_space member_space(struct member *m);

#endif

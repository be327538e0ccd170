/*
 * A process of a round, and how far it has been accounted for.
 *
 * Internal to sampler/. A round has one, or several (-p with several numbers,
 * --children). A member stays until the round is over, also when its process has
 * ended: stacks and values refer to it.
 */
#ifndef SAMPLER_MEMBER_MEMBER_H
#define SAMPLER_MEMBER_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process/memory.h"
#include "base/process/process.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/find/vars.h"
#include "sampler/member/title.h"

struct error;
struct golabels;
struct image;
struct interps;
struct modmap;
struct snapshot;
struct symbolizer;
struct thread;
struct threads;

struct member {
	struct process process;
	uint32_t index; /* in round.members; never changes */
	bool ended;
	char title[TITLE_ROOM]; /* as it was read last */
	uint64_t title_due_ns;	/* when to read it; 0: not met yet */
	bool own_numbers;	/* its threads have other numbers in its own PID namespace */
	struct modmap *maps;
	struct threads *threads; /* NULL before member_start */
	bool has_go;		 /* `go` is set */
	struct goruntime go;
	struct govars go_vars;
	struct interps *interps;    /* owned */
	struct golabels *labels;    /* owned; NULL: no Go, or labels cannot be read */
	struct memory_live live;    /* go_vars and labels are read from it */
	bool labels_seen;	    /* a goroutine with labels was seen */
	const struct image *ms_of;  /* Go's image; its list of ms is at all_ms */
	uint64_t all_ms, ms_due_ns; /* 0: no list was found; when it may be read again */
	_Atomic uint64_t moment;    /* labelling_moment, read a short time ago */
	uint64_t labels_of;	    /* labelling_moment of the sets in `labels`; 0: none are kept */
	size_t go_stack_want;	    /* as thread.stack_want; goroutines change threads */
	uint64_t go_generation, go_tried_ns; /* of the maps, and when, at the last search for Go */
	int pagemap_fd;			     /* of the address space of maps_fd; -1: not open */
	_Atomic bool absent; /* a page of a stack was not there once (sampler/capture/slots.h) */
	/* CLOCK_MONOTONIC: since when it has had its present address space, as far as that is
	 * known; when that was met first, and when it was asked for last. */
	uint64_t space_ns, space_met_ns, space_asked_ns;
	int maps_fd; /* reads as empty once the address space is gone; -1: it is known to be */
	uint64_t read_due_ns; /* when to try again to read it for the first time */
	bool leaving; /* its maps are those of the program that it has left: not to be read again */
	uint64_t maps_read_ns, maps_cost_ns; /* the last reading: when it began, and its CPU time */
	uint64_t cpu_start_ns;		     /* of the process, before the round */
	uint64_t cpu_ns;		     /* in the round, at the last reading */
	uint64_t children_due_ns;	     /* when to look for children again */
	struct member_news {		     /* the newest of each kind (sampler/tick/news.h) */
		uint64_t mapped_ns, executed_ns, begun_ns, ended_ns;
		size_t begun; /* threads that were told of since the round began */
	} news;
	size_t threads_first;	  /* listed when the round began */
	bool waits_delicately;	  /* a thread waited in a call that an ignored signal ends */
	bool delicate;		  /* and SIGCHLD would end that call (exposure.c) */
	uint64_t exposure_due_ns; /* when to find that out again */
	bool local_mounts;	  /* process_has_local_mounts (sampler/thread/calls.h), */
	uint64_t mounts_due_ns;	  /* and when to find that out again */
	bool by_events; /* its CPU samples come without a stop (sampler/capture/events.h) */
	struct event_fit {
		bool needs_stop; /* they do not suffice: its stacks are deep, or several */
		/* Walks of such samples; whose copy was too short; that went on elsewhere. */
		uint32_t walks, cut, lacked;
		uint64_t want; /* bytes of a stack that would have sufficed; 0: not known */
	} fit;		       /* of its present program */
	unsigned width;	       /* process_width of its present program; 0: not known yet */
	bool is_narrow;	       /* it has executed 32-bit code, in a program of 64 bits */
	bool dumps_core;       /* it is left alone: none of its threads will run again */
};

/* Opens a process. Its images are shared with `beside` unless that is NULL. The caller closes the
 * member with member_close. ERR_GONE, ERR_PERM, ERR_NOMEM. */
int member_open(struct member **m, pid_t pid, const struct member *beside, struct error *err);
void member_close(struct member *m);

/* Lists the threads. If the process is older than the round (`old`), only what it does from now on
 * counts. ERR_GONE, ERR_PERM, ERR_NOMEM. */
int member_begin(struct member *m, bool old, struct error *err);

/* Reads the maps and looks for runtimes, which may wait until a stack is to be walked. Errors as of
 * member_begin. */
int member_read(struct member *m, struct error *err);
bool member_is_read(const struct member *m);

/* As member_read, without waiting where there are no maps: amid an exec or an exit, or since its
 * first thread has ended. It is not tried again at once. ERR_GONE, ERR_PERM, ERR_NOMEM. */
int member_read_soon(struct member *m);

/* What an older process and its threads have done so far does not count: the search for runtimes
 * takes time. */
void member_count_from(struct member *m, uint64_t now_ns);

/* Both. */
int member_start(struct member *m, bool old, struct error *err);

/* After member_start of all: waits a tenth of a second at most for runtimes that could not be read.
 * One amid a change looks like one that is not known, and the process may have to wait for a CPU
 * before the change is made. ERR_NOMEM. */
int members_settle(struct member *const *members, size_t count);

/* A thread by its index; valid until the next refresh of the threads. */
struct thread *member_thread(const struct member *m, uint32_t index);

/* Looks for a Go runtime where the maps have changed since it was looked for last. ERR_NOMEM. */
int member_find_go(struct member *m);

/* Looks for interpreters where the maps have changed since. ERR_NOMEM. */
int member_find_interps(struct member *m);

/* Looks for the places where interpreters keep what they know of a thread. ERR_NOMEM. */
int member_place(struct member *m, struct thread *thread);

/* Which m of Go's runtime is a waiting thread? A stopped thread's is found by its thread pointer;
 * for one that was never stopped, the runtime's own list of ms is read from time to time
 * (gothreads.c). Else neither its goroutine with its labels nor the frames on its other stacks
 * would be known. Sets `go` of this thread and of all others where it is not set and can be
 * found. */
void member_find_threads(struct member *m, struct thread *thread);

/* Prepares a look at a thread for its interpreters, by what member_place has found; no thread is
 * held, and nothing of the process is read. ERR_NOMEM. */
int member_prepare_look(const struct member *m, const struct thread *thread,
			struct snapshot *snapshot);

/* Reads the process's CPU time. That is expensive, because the kernel adds up all threads. */
void member_read_cpu(struct member *m);

/* At the end: what was read and no listed thread has used is given to the brief ones
 * (brieftime_settle), unless the process has ended; what was seen of its threads counts, if
 * that is more than was read. */
void member_add_up_cpu(struct member *m);

/* It executes 32-bit code, and is left alone: it is not known what a stop would do to it. */
bool member_is_narrow(const struct member *m);

/* A symbolizer for the process, with the jitdump files that it has mapped. The caller frees it.
 * ERR_NOMEM. */
int member_symbolizer(const struct member *m, unsigned flags, struct symbolizer **s);

/* Reads the maps again, and notes when, and the CPU time that it took. Nothing while it is
 * leaving. */
void member_read_maps(struct member *m);

/* It has ended: closes the files by which it was looked at. */
void member_let_go(struct member *m);

/* It has executed a program: member_space will find another address space. */
void member_leave_space(struct member *m);

/* Is the address space still that of the last call, or of member_start? After an exec a process has
 * another one, after its exit none. */
enum member_space { SPACE_SAME, SPACE_NEW, SPACE_NONE };
enum member_space member_space(struct member *m);

#endif

/* A dump in the making. Internal to sampler/. */
#ifndef SAMPLER_DUMP_DUMPLOOK_H
#define SAMPLER_DUMP_DUMPLOOK_H

#include <signal.h>

#include "base/arena.h"
#include "base/error.h"
#include "sampler/atrest/atrest.h"
#include "sampler/dump/dumping.h"
#include "sampler/dump/livestack.h"
#include "runtimes/merge.h"
#include "runtimes/names.h"
#include "sampler/thread/snapshot.h"
#include "sampler/thread/threads.h"

struct copiers;
struct member;
struct reader;
struct symbolizer;
struct tracer;
struct watchdog;

/* How the current thread is to be looked at. */
struct dump_look {
	unsigned tries;
	pid_t asked; /* the thread that is to stop for this look; 0: none */
	bool ask;    /* stop it: a glance is not enough */
	bool deep;   /* walk it while it is held: a copy of its stack was not enough */
	/* What the last try has found: */
	char state;
	int64_t syscall;
	bool walked; /* while it was held */
	int walk_rc;
};

struct dump {
	struct member **members;
	struct dump_process *processes;
	size_t count, member_room, process_room;
	size_t process; /* the current one, and its current thread */
	uint32_t thread;
	struct dump_look look;
	struct arena arena; /* frames, and in the child their symbols */
	struct unwinder *unwinder;
	uint64_t prepared;	   /* generation of the maps when their tables were compiled */
	struct stack walk, merged; /* `merged`: with interpreted frames, if has_merged */
	bool has_merged;
	struct interp_names interpreted;
	struct interp_counts counts[INTERP_LANGUAGES];
	struct snapshot snapshot;
	struct livestack livestack;
	struct atrest atrest; /* opened when it is needed first, if that was not tried: */
	bool rest_asked;
	struct tracer *tracer;
	struct copiers *copiers; /* of the tracer */
	struct reader *reader;	 /* for all other reads */
	bool stuck;		 /* a copier was given up: what it may still use is not freed */
	size_t left_alone;	 /* the process that it was reading, plus 1; 0: none */
	struct watchdog *watchdog;
	struct decoding *decoding; /* NULL before dump_write */
	bool peers;		   /* other processes and addresses may be shown */
	struct dump_stats stats;
	struct error left_out; /* why a process was, the last one */
	struct error error;    /* why the looking failed */
	volatile sig_atomic_t stop;
};

/* Sets the dump to its first thread. To be called when the threads are listed. */
void dump_look_begin(struct dump *d);

/* Looks at threads, in the calling thread, until all are done, dump_stop was called, the baton must
 * pass (sampler/stop/stop.h), or we must stop (sampler/child/watchdog.h). d->error is set on
 * failure. */
void dump_look(struct dump *d);

/* Reads what the threads wait for that are in futex(2), when all stacks have been taken. */
void dump_look_at_locks(struct dump *d);

/* The same of all other waits, and how long each thread has not run. ERR_NOMEM. */
int dump_look_at_waits(struct dump *d);

/* True if all threads have been looked at. */
bool dump_looked(const struct dump *d);

/* In the child: looks up the symbols of all frames. ERR_NOMEM. */
int dump_symbolize(struct dump *d, struct symbolizer *const *symbolizers);

/* In the child, when locks are proven, which takes native frames: drops these from each thread that
 * has interpreted ones. */
void dump_drop_native(struct dump *d);

/* In the child, when all frames have symbols: which kinds of locks these are, which threads hold
 * them, and which wait for each other. ERR_NOMEM. */
int dump_prove_locks(struct dump *d, struct symbolizer *const *symbolizers);

#endif

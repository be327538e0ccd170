/* A dump in the making. Internal to sampler/. */
#ifndef SAMPLER_DUMPLOOK_H
#define SAMPLER_DUMPLOOK_H

#include <signal.h>

#include "base/arena.h"
#include "base/error.h"
#include "sampler/dumping.h"
#include "sampler/reach.h"
#include "sampler/snapshot.h"
#include "sampler/threads.h"

struct member;
struct symbolizer;
struct tracer;
struct watchdog;

/* How the present thread is to be looked at. */
struct dump_look {
	unsigned tries;
	bool ask;  /* a glance is not enough */
	/* What the callback has seen: */
	char state;
	int64_t syscall;
	int walk_rc;
};

struct dump {
	struct member **members;
	struct dump_process *processes;
	size_t count; /* of both */
	size_t process;	    /* at hand */
	uint32_t thread;
	struct dump_look look;
	struct arena arena; /* frames, and in the child what is known about them */
	struct unwinder *unwinder;
	uint64_t prepared; /* generation of the maps whose tables are compiled */
	struct stack walk;
	struct snapshot snapshot;
	struct reach reach;
	struct tracer *tracer;
	struct watchdog *watchdog;
	struct decoding *decoding; /* NULL before dump_write */
	struct dump_stats stats;
	struct error error;	   /* why the looking failed */
	volatile sig_atomic_t stop;
};

/* Readies it for the first thread, when all are listed. */
void dump_look_begin(struct dump *d);

/* Looks, in the calling thread, at threads until all are done, or until the baton must
 * pass (sampler/stop.h) or we must stop (sampler/watchdog.h). d->error tells of a
 * failure. */
void dump_look(struct dump *d);

/* All threads have been looked at. */
bool dump_looked(const struct dump *d);

/* In the child: finds out what stands at each frame. ERR_NOMEM. */
int dump_symbolize(struct dump *d, struct symbolizer *const *symbolizers);

#endif

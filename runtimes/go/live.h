/*
 * A Go process, opened for reading its runtime's tables while it runs.
 *
 * Opening finds where things are, and checks this with the live data: goroutine 1 exists, its stack
 * holds its stack pointer, its pc is in the text, a thread's m leads to a g that leads back to it.
 * Each reader checks in addition what it reads.
 */
#ifndef RUNTIMES_GO_LIVE_H
#define RUNTIMES_GO_LIVE_H

#include "base/process/memory.h"
#include "runtimes/go/fields.h"
#include "runtimes/go/find/places.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/find/vars.h"

struct error;
struct gopclntab;
struct modmap;
struct process;

struct golive {
	const struct process *process; /* not owned */
	struct memory_live live;
	const struct memory *memory; /* points to live */
	struct modmap *maps;	     /* owned */
	struct goruntime rt;
	struct govars vars; /* vars.layout->minor: the release */
	struct gofields fields;
	struct goplaces places;
	struct gopclntab *table; /* of the module with the runtime (rt.image, rt.bias); owned */
};

/* Opens a process; the caller frees *live with golive_free. ERR_NOTFOUND: it is not a Go program;
 * ERR_FORMAT: a release, or a runtime, that is not supported, and the message says how; ERR_PERM,
 * ERR_GONE, ERR_NOMEM. x86-64 only. */
int golive_open(struct golive **live, const struct process *process, struct error *err);
void golive_free(struct golive *live);

/* Of golive_open: compares what was found (fields, places) with the live data: the list of
 * goroutines and the first goroutines, the list of Ms and the first Ms, the reasons to wait.
 * ERR_FORMAT: they do not agree, or the runtime has not begun yet, and the message says which;
 * ERR_GONE. */
int gocheck(const struct golive *live, struct error *err);

#endif

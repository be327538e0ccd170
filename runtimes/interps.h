/*
 * The interpreters of a process: which runtimes it has, which thread has which state, and the
 * stacks that come of it.
 */
#ifndef RUNTIMES_INTERPS_H
#define RUNTIMES_INTERPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtimes/common/look.h"
#include "runtimes/merge.h"

enum { INTERP_REMARK = 560 };

struct interp_names;
struct interps;
struct managed_thread;
struct managed_wait;
struct managed_walker;
struct memory;
struct modmap;
struct process;
struct stack;

/* The caller frees *i with interps_free, when no look at the process is under way. ERR_NOMEM. */
int interps_new(struct interps **i, const struct process *process);
void interps_free(struct interps *i);

/* Looks for runtimes in what was mapped since the last call; now and then also again for those that
 * were not ready or could not be read. ERR_NOMEM. */
int interps_find(struct interps *i, const struct modmap *maps);

/* The runtimes, NULL: none; for interp_look_prepare. */
const struct interp_set *interps_set(const struct interps *i);

/* Are there any, also of those that compile? */
bool interps_any(const struct interps *i);

/* Are there any that compile? */
bool interps_compile(const struct interps *i);

/* Are there any whose frames lie beside the machine's stack? */
bool interps_beside(const struct interps *i);

/* For a walk of a thread: the runtimes that compile; NULL: none. Valid until the next call. */
struct managed_walker *interps_walker(struct interps *i);

/* What these tell of that thread. False: nothing. */
bool interps_thread(struct interps *i, pid_t own_tid, struct managed_thread *thread);

/* What a thread waits for in its language: monitors and locks of Java's. The thread is at rest in
 * futex(2), which the caller checks before and after. wait->kind is MANAGED_WAIT_NONE if nothing is
 * known. */
void interps_wait(struct interps *i, pid_t own_tid, struct managed_wait *wait);

/* By the last search: is there a runtime that could not be read? */
bool interps_refused(const struct interps *i);

/* What users must be told of the runtimes: that one is not used, and why; that one is newer than
 * those that we have been tried on. Sets `line`, without an end of line; false: there is nothing to
 * tell. */
bool interps_remark(const struct interps *i, char line[INTERP_REMARK]);

/* Sets the states of a thread, with this number in its own PID namespace. Reads the lists of states
 * again if the thread is in none, but not too often. ERR_NOMEM. */
int interps_place(struct interps *i, pid_t own_tid, struct interp_place *place);

/* The name of the asyncio task that the thread ran at the look, into `name`; false: it ran none, or
 * it is not known. */
bool interps_task(struct interps *i, const struct interp_look *look, char *name, size_t room);

/* What interps_merge takes besides the look. */
struct interp_context {
	const struct modmap *maps;
	const struct memory *stack;	      /* the copied C stack */
	bool (*stands_still)(const void *of); /* has the thread not run since the look? NULL: it may
					       * have */
	const void *of;
	struct interp_names *names;
	struct interp_counts *counts; /* [INTERP_LANGUAGES] */
};

/* Merges a look's frames with the native walk, into `out`, and puts the functions of managed frames
 * in their place. *merged: there were any; else `out` has not changed. ERR_NOMEM. */
int interps_merge(struct interps *i, const struct interp_look *look, const struct stack *native,
		  const struct interp_context *context, struct stack *out, bool *merged);

#endif

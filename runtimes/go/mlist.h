/* Reads the threads of a Go runtime (runtime.allm): the number of each, and where its m and the m's
 * stacks are. */
#ifndef RUNTIMES_GO_MLIST_H
#define RUNTIMES_GO_MLIST_H

#include <stdint.h>

#include "runtimes/go/thread.h"

struct buffer;
struct goruntime;
struct memory;

struct mlist_entry {
	uint64_t thread; /* thread ID in the process's own PID namespace */
	struct gothread_place place;
};

/* Appends a struct mlist_entry to `ms` for each m that has begun to run; runtime.allm is at
 * `all_ms`. The list may change meanwhile: new ms are inserted before the first, and one that is
 * removed still leads on (runtime/proc.go, mcommoninit and mexit). ERR_FORMAT: it is not a valid
 * list, or a needed field of an m is not known in this release; ERR_NOMEM. */
int mlist_read(const struct goruntime *rt, uint64_t all_ms, const struct memory *memory,
	       struct buffer *ms);

#endif

/* The threads that a Go runtime knows (runtime.allm): which number each has, and where its m and
 * that one's stacks are. */
#ifndef GORUNTIME_GOMS_H
#define GORUNTIME_GOMS_H

#include <stdint.h>

#include "goruntime/gothread.h"

struct buffer;
struct goruntime;
struct memory;

struct gom {
	uint64_t thread; /* in the process's own PID namespace */
	struct gothread_place place;
};

/* Appends a struct gom for each m that has begun to run; runtime.allm is at `all_ms`. The list may
 * change meanwhile: new ones come before the first, and one that is taken out still leads on
 * (runtime/proc.go, mcommoninit and mexit). ERR_FORMAT: what stands there is no such list, or
 * what this release calls an m's number is not known; ERR_NOMEM. */
int goms_read(const struct goruntime *rt, uint64_t all_ms, const struct memory *memory,
	      struct buffer *ms);

#endif

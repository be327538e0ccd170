/* The watchdog's own process, and the page that it shares with the process that it watches. */
#ifndef SAMPLER_CHILD_WATCHER_H
#define SAMPLER_CHILD_WATCHER_H

#include <stdint.h>
#include <sys/types.h>

#include "sampler/child/watch.h"

/* One tracer's part of the page. */
struct watchpost {
	_Atomic uint64_t word;
	_Atomic uint64_t rests_until_ns;
	_Atomic pid_t tracer;
	_Atomic unsigned boosted; /* counted by the watchdog */
};

/* Shared with the watchdog. */
struct watchdog_page {
	_Atomic uint32_t asleep;	     /* the watchdog waits here until it is 0 */
	_Atomic unsigned posts;		     /* that are used, from the first on */
	_Atomic unsigned continued, boosted; /* counted by the watchdog */
	_Atomic unsigned owner_continued;    /* counted by the handler of SIGCONT */
	_Atomic unsigned owner_before;	     /* that count at the stop that was ended last */
	struct watchpost at[WATCH_POSTS];
};

/* Becomes the watchdog of process `sampler`, which has forked us, until all its threads are gone.
 * SIGUSR1 tells us that the thread which forked us has ended. Does not return. */
_Noreturn void watcher_become(struct watchdog_page *page, pid_t sampler);

#endif

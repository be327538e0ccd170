/*
 * Goroutines as a profile of how long they have waited: the goroutine wait profile of
 * dd-trace-go (profiler/profile.go, goroutineDebug2ToPprof), where each goroutine is a sample.
 *
 * A sample's stack ends with the frame that created the goroutine. Frames in between that are
 * none: "...additional frames elided..." where Go (or our bound) left some out, "[stack
 * unavailable]" of one that was running, "[no stack]" of one without any. Labels are "state",
 * "lockedm" ("true" or "false"), the number "goid", the goroutine's own, and where they hold
 * "leaked", "durable" and "synctest" ("true") and the numbers "bubble" and "group".
 */
#ifndef GOPARSE_WAITPROFILE_H
#define GOPARSE_WAITPROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "goparse/goparse.h"

struct profile;
struct waitprofile;

struct waitprofile_options {
	bool aggregate;	 /* goroutines of one stack, state and labels are one sample without
			  * "goid", with a second value: goroutines/count */
	bool ancestors;	 /* their stacks behind the creating frame, which is their innermost
			  * and stands there once */
	bool exact;	 /* waits are no whole minutes, and who makes it says so in comments; labels
			  * "wait_from" and "parent", the goid of who made it, where known */
	int64_t time_nanos; /* when the dump was taken; 0: unknown */
};

/* ERR_NOMEM. */
int waitprofile_new(struct waitprofile **w, const struct waitprofile_options *options,
		    struct error *err);
void waitprofile_free(struct waitprofile *w);

/* Adds a goroutine; `dump` becomes its label "dump" unless NULL. ERR_NOMEM. */
int waitprofile_add(struct waitprofile *w, const struct goparse_goroutine *g, const char *dump,
		    struct error *err);

/* Adds a dump's errors as comments "error: …", after `dump` unless NULL. ERR_NOMEM. */
int waitprofile_add_errors(struct waitprofile *w, const struct goparse_stats *stats,
			   const char *dump, struct error *err);

/* The profile so far, complete and valid; stays the waitprofile's. ERR_NOMEM. */
int waitprofile_finish(struct waitprofile *w, struct profile **p, struct error *err);

#endif

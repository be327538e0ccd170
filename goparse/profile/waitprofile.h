/*
 * Makes a profile of how long goroutines have waited: the goroutine wait profile of dd-trace-go
 * (profiler/profile.go, goroutineDebug2ToPprof), in which each goroutine is a sample.
 *
 * A sample's stack ends with the frame that created the goroutine. These frames stand for missing
 * ones: "...additional frames elided..." where Go (or our limit) left some out, "[stack
 * unavailable]" for a goroutine that was running, "[no stack]" for one without frames. Labels are
 * "state", "lockedm" ("true" or "false"), the number "goid" and the goroutine's own labels; if they
 * apply, "leaked", "durable" and "synctest" ("true") and the numbers "bubble" and "group".
 */
#ifndef GOPARSE_PROFILE_WAITPROFILE_H
#define GOPARSE_PROFILE_WAITPROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "goparse/goparse.h"

struct profile;
struct waitprofile;

struct waitprofile_options {
	bool aggregate; /* goroutines with the same stack, state and labels are one sample without
			  * "goid", with a second value: goroutines/count */
	bool ancestors; /* the ancestors' stacks follow the creating frame, which is their
			  * innermost frame and is not repeated */
	bool exact;	/* waits are not whole minutes, and the caller adds comments about them;
			  * labels "wait_from", and "parent", the goid of the creator, where
			  * known */
	int64_t time_nanos; /* when the dump was taken, ns since 1970; 0: unknown */
};

/* Makes an empty profile. The caller frees *w with waitprofile_free. ERR_NOMEM. */
int waitprofile_new(struct waitprofile **w, const struct waitprofile_options *options,
		    struct error *err);
void waitprofile_free(struct waitprofile *w);

/* Adds a goroutine. `dump` becomes its label "dump" unless it is NULL. ERR_NOMEM. */
int waitprofile_add(struct waitprofile *w, const struct goparse_goroutine *g, const char *dump,
		    struct error *err);

/* Adds a dump's errors as comments "error: …", after `dump` unless it is NULL. ERR_NOMEM. */
int waitprofile_add_errors(struct waitprofile *w, const struct goparse_stats *stats,
			   const char *dump, struct error *err);

/* The profile so far, complete and valid. It belongs to the waitprofile. */
struct profile *waitprofile_profile(struct waitprofile *w);

#endif

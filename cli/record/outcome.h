/*
 * What a user must read after a recording: one line for what was found, and one for each loss that
 * changes what the result means. All else is for --verbose and the profile's comments
 * (sampler/profile/summary.h).
 */
#ifndef CLI_RECORD_OUTCOME_H
#define CLI_RECORD_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/profile/accounts.h"

struct buffer;
struct gil_account;
struct recording_options;
struct recording_stats;

struct outcome {
	const char *name; /* of the first process, without control characters */
	int pid;
	const struct recording_stats *stats;
	const struct recording_options *options;
	struct unsampled unsampled;
	const char *tracer;   /* which program traced threads, "strace (PID 12)"; "": none */
	uint64_t children_ns; /* CPU time of children that were not sampled, */
	size_t children;      /* and how many of them live */
	uint64_t missed_ns;   /* CPU time of a command's processes that were not found */
	bool unaided;	      /* we get no real-time priority */
	const struct gil_account *gil; /* NULL: not known */
};

/* The longest time for which one thread may be held. A hold that takes longer is ended by the
 * watchdog (sampler/child/watchdog.h), so it is no hold as any other. */
enum { OUTCOME_HOLD_NS = 10000000 };

/* Is there nothing to write? An empty profile is no result. */
bool outcome_is_empty(const struct recording_stats *s);

/* Was there no frame that --no-native leaves? */
bool outcome_is_all_native(const struct recording_stats *s, const struct recording_options *o);

/* Appends the lines. With `colour`, a hold that was too long is red. ERR_NOMEM. */
int outcome_text(const struct outcome *o, bool colour, struct buffer *out);

/* Appends "look: …", the next step for the file at `path`; nothing for the standard output and for
 * devices. ERR_NOMEM. */
int outcome_next_step(const char *path, struct buffer *out);

/* A duration as people write it: "36 µs", "1.8 s", "1 min 02 s". Returns `text`. */
enum { OUTCOME_DURATION = 32 };
const char *outcome_duration(uint64_t ns, char text[OUTCOME_DURATION]);

#endif

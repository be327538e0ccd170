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
	uint64_t children_ns; /* CPU time of children that were not sampled */
	size_t children;      /* how many of these live */
	uint64_t missed_ns;   /* CPU time of a command's processes that were not found */
	bool unaided;	      /* we get no real-time priority */
	const struct gil_account *gil; /* NULL: not known */
};

/* The longest time for which one thread is to be held: the watchdog ends a longer hold
 * (sampler/child/watchdog.h). */
enum { OUTCOME_HOLD_NS = 10000000 };

/* Is there nothing to write? An empty profile is no result. */
bool outcome_is_empty(const struct recording_stats *s);

/* Was there no frame that --no-native leaves? What is said then. */
#define OUTCOME_ALL_NATIVE \
	"no interpreted frames were found: with --no-native, all samples are [native]"
bool outcome_is_all_native(const struct recording_stats *s, const struct recording_options *o);

/* Appends the lines. With `colour`, a hold that was too long is red. ERR_NOMEM. */
int outcome_text(const struct outcome *o, bool colour, struct buffer *out);

#endif

/*
 * record's options for rounds: what is taken, from where, how often, and what happens to the
 * batches.
 */
#ifndef CLI_ROUNDS_ROUNDSOPTIONS_H
#define CLI_ROUNDS_ROUNDSOPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "cli/common/httpoptions.h"
#include "rounds/rounds.h"
#include "rounds/source/source.h"

struct byname;
struct error;

enum { ROUNDSOPTIONS_TAGS = 64, ROUNDSOPTIONS_PUSHES = 8 };

enum rounds_option {
	ROUNDSOPTION_EVERY = 1100, /* above the numbers of cli/common/httpoptions.h */
	ROUNDSOPTION_ALIGN,
	ROUNDSOPTION_DELTA,
	ROUNDSOPTION_NO_DELTA,
	ROUNDSOPTION_NO_FLUSH,
	ROUNDSOPTION_URL,
	ROUNDSOPTION_GC,
	ROUNDSOPTION_GC_WAIT,
	ROUNDSOPTION_WAITS,
	ROUNDSOPTION_TRACE,
	ROUNDSOPTION_STOP,
	ROUNDSOPTION_KEEP,
	ROUNDSOPTION_DISK,
	ROUNDSOPTION_AGE,
	ROUNDSOPTION_TAG,
	ROUNDSOPTION_WAIT_FOR,
	ROUNDSOPTION_FOLLOW,
	ROUNDSOPTION_PUSH,
	ROUNDSOPTION_PUSH_HEADERS,
};

#define ROUNDS_OPTIONS \
	{ "types", required_argument, NULL, 't' }, { "rounds", required_argument, NULL, 'n' }, \
		{ "every", required_argument, NULL, ROUNDSOPTION_EVERY }, \
		{ "align", no_argument, NULL, ROUNDSOPTION_ALIGN }, \
		{ "delta", no_argument, NULL, ROUNDSOPTION_DELTA }, \
		{ "no-delta", no_argument, NULL, ROUNDSOPTION_NO_DELTA }, \
		{ "no-flush", no_argument, NULL, ROUNDSOPTION_NO_FLUSH }, \
		{ "url", required_argument, NULL, ROUNDSOPTION_URL }, \
		{ "gc", no_argument, NULL, ROUNDSOPTION_GC }, \
		{ "gc-wait", no_argument, NULL, ROUNDSOPTION_GC_WAIT }, \
		{ "max-goroutines-wait", required_argument, NULL, ROUNDSOPTION_WAITS }, \
		{ "trace-limit", required_argument, NULL, ROUNDSOPTION_TRACE }, \
		{ "stop", optional_argument, NULL, ROUNDSOPTION_STOP }, \
		{ "keep", required_argument, NULL, ROUNDSOPTION_KEEP }, \
		{ "max-disk", required_argument, NULL, ROUNDSOPTION_DISK }, \
		{ "max-age", required_argument, NULL, ROUNDSOPTION_AGE }, \
		{ "tag", required_argument, NULL, ROUNDSOPTION_TAG }, \
		{ "wait-for", required_argument, NULL, ROUNDSOPTION_WAIT_FOR }, \
		{ "follow-restarts", no_argument, NULL, ROUNDSOPTION_FOLLOW }, \
		{ "push", required_argument, NULL, ROUNDSOPTION_PUSH }, \
	{ \
		"push-headers", required_argument, NULL, ROUNDSOPTION_PUSH_HEADERS \
	}

struct roundsoptions {
	const struct byname *names;   /* which the processes may have been named by; NULL: none was;
				     * borrowed */
	struct rounds_options rounds; /* except `recording`, which the caller sets */
	struct source_options source;
	struct httpoptions http;
	char *url;	       /* owned, like the pushes */
	const char *shown_url; /* for messages: without secrets */
	const char *push_headers;
	char *pushes[ROUNDSOPTIONS_PUSHES];
	struct batch_tag tags[ROUNDSOPTIONS_TAGS]; /* keys owned; values point into them */
	size_t push_count;
	const char *source_given; /* an option about the source that was given; NULL: none */
	bool given;		  /* an option was given that only rounds have */
	bool trace_limit_given;
};

void roundsoptions_defaults(struct roundsoptions *o);

/* Takes an option. `value` must outlive `o`; secrets in it are overwritten (base/net/secret.h).
 * OPTION_OTHER, ERR_USAGE, ERR_NOMEM, errors of httpoptions_set. */
int roundsoptions_set(struct roundsoptions *o, int option, char *value, struct error *err);

/* Do the options request rounds, not one profile in a file? */
bool roundsoptions_wanted(const struct roundsoptions *o);

/* Do the options request only types that can be taken at once, and nothing that only rounds have?
 * These types are all of Go's except execution traces and alloc (what a round has allocated).
 * `duration_ns` is that of -d; 0: not given. */
bool roundsoptions_at_once(const struct roundsoptions *o, uint64_t duration_ns);

/* ERR_USAGE if options do not go together, else 0. */
int roundsoptions_check(const struct roundsoptions *o, struct error *err);

void roundsoptions_release(struct roundsoptions *o);

#endif

/* Tells which strings of a profile a pattern matches. Each is matched once, however many functions,
 * locations and samples have it. */
#ifndef PPROF_SELECT_MATCHES_H
#define PPROF_SELECT_MATCHES_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct pattern;
struct profile;
struct profile_location;

struct matches {
	const struct profile *p;
	const struct pattern *pattern; /* NULL: nothing matches */
	bool simplified;	       /* match names without arguments: see matches_string */
	uint8_t *known;
	struct error *err;
	int rc; /* the error that matching has failed with; all answers are false then */
};

/* `p` and `pattern` (may be NULL) are borrowed until matches_release. Strings may be added to the
 * profile, but only strings that exist now may be matched. ERR_NOMEM. Release in any case. */
int matches_init(struct matches *m, const struct profile *p, const struct pattern *pattern,
		 struct error *err);
void matches_release(struct matches *m);

/* Does the pattern occur in the string? With m->simplified the string is first cut like prune.go's
 * simplifyFunc: without a leading dot, and without everything from the first '(' on that does not
 * belong to "(anonymous namespace)" or "operator()". Errors go to m->rc and m->err. */
bool matches_string(struct matches *m, uint32_t string);

/* Does the pattern occur in the function's name or file name? False for function 0. */
bool matches_function(struct matches *m, uint32_t function);

/* Does the pattern occur in the file name of the location's mapping? */
bool matches_mapping(struct matches *m, const struct profile_location *l);

/* Does the pattern match the location's mapping, or the function of any of its lines (filter.go,
 * matchesName)? */
bool matches_location(struct matches *m, const struct profile_location *l);

#endif

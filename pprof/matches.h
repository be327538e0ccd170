/* Which strings of a profile a pattern matches. Each is asked once, however many functions,
 * locations and samples have it. */
#ifndef PPROF_MATCHES_H
#define PPROF_MATCHES_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct pattern;
struct profile;
struct profile_location;

struct matches {
	const struct profile *p;
	const struct pattern *pattern; /* NULL: nothing matches */
	bool simplified;	       /* names are matched without arguments, see below */
	uint8_t *known;
	struct error *err;
	int rc; /* what matching has failed with; then all answers are false */
};

/* Nothing is matched yet; the answers stay right while strings are only added. ERR_NOMEM. To be
 * released in any case. */
int matches_init(struct matches *m, const struct profile *p, const struct pattern *pattern,
		 struct error *err);
void matches_release(struct matches *m);

/* Does the pattern occur in the string? With m->simplified in what prune.go's simplifyFunc
 * leaves of it: no leading dot, and nothing from the first '(' on that does not belong to
 * "(anonymous namespace)" or "operator()". */
bool matches_string(struct matches *m, uint32_t string);

/* In the function's name or file name; false for function 0. */
bool matches_function(struct matches *m, uint32_t function);

/* In the file name of the location's mapping. */
bool matches_mapping(struct matches *m, const struct profile_location *l);

/* In any of these (filter.go, matchesName). */
bool matches_location(struct matches *m, const struct profile_location *l);

#endif

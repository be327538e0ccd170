/* Stacks -> a profile. Here the two halves of the program meet: the one that deals with processes,
 * and the one that deals with profiles. */
#ifndef SAMPLER_PROFILE_ASSEMBLE_H
#define SAMPLER_PROFILE_ASSEMBLE_H

#include <stdbool.h>

struct buffer;
struct error;
struct symbolized;
struct profile;
struct recorded;
struct symbolizer;

/* Where names come from. */
struct assemble_names {
	/* one for each member; NULL: nothing is looked up, and a place that is not in `known` has
	 * no line */
	struct symbolizer *const *symbolizers;
	const struct symbolized *known; /* places that need not be looked up again; NULL: none */
	struct buffer *places; /* gets a struct symbolized_place for each place that was looked up;
				 * or NULL */
	char *missing;	       /* gets the line of missing_symbols, DECODE_MISSING_ROOM; or NULL */
	bool asked_network;    /* for that line */
};

/* Fills an initialised profile with what the round has sampled. Samples with only 0 as values are
 * left out. ERR_NOMEM. */
int assemble(struct recorded *r, const struct assemble_names *names, struct profile *profile,
	     struct error *err);

#endif

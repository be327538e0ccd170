/* Stacks -> a profile: the one place where the half of the program that knows
 * processes and the half that knows profiles meet. */
#ifndef SAMPLER_ASSEMBLE_H
#define SAMPLER_ASSEMBLE_H

struct buffer;
struct error;
struct known;
struct profile;
struct round;
struct symbolizer;

/* Where names come from. */
struct assemble_names {
	/* One for each member; NULL: nothing is looked up, and what is not known is shown
	 * as module and address. */
	struct symbolizer *const *symbolizers;
	const struct known *known; /* what need not be looked up again; NULL: nothing */
	struct buffer *places;	   /* struct known_place are appended: what is known now;
				    * NULL: nobody wants them */
};

/* Fills an initialised profile with what the round has sampled. Samples of no value are
 * left out. ERR_NOMEM. */
int assemble(struct round *r, const struct assemble_names *names, struct profile *profile,
	     struct error *err);

#endif

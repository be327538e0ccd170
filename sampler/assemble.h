/* Stacks -> a profile: the one place where the half of the program that knows
 * processes and the half that knows profiles meet. */
#ifndef SAMPLER_ASSEMBLE_H
#define SAMPLER_ASSEMBLE_H

struct error;
struct profile;
struct round;
struct symbolizer;

/* Fills an initialised profile with what the round has sampled; a symbolizer for each
 * member. ERR_NOMEM. */
int assemble(struct round *r, struct symbolizer *const *symbolizers, struct profile *profile,
	     struct error *err);

#endif

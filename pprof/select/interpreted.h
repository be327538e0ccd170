/*
 * Leaves of each stack what interpreters executed: Python's, Ruby's or PHP's functions.
 *
 * They are the locations of the mappings that sampler names after the language, "[python]". All
 * others are native, apart from those with neither mapping nor address: frames that stand for no
 * code, as "[not sampled]" or a label that became a frame (pprof/select/tagroot.h).
 */
#ifndef PPROF_SELECT_INTERPRETED_H
#define PPROF_SELECT_INTERPRETED_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct profile;

/* Is any location a function of an interpreter? */
bool interpreted_any(const struct profile *p);

/* Is more than half of the values of a sample type of stacks with such functions? */
bool interpreted_most(const struct profile *p, size_t type);

/* In place: drops native frames, and the frames "[not merged]" between these and interpreted ones
 * (runtimes/merge.h). A sample without any interpreted frame gets the frame "[native]" in
 * their place, so that totals stay true. Frames that stand for no code stay. Samples that become
 * equal are not merged (profile_compact does that); locations keep their numbers. ERR_NOMEM: the
 * profile is unchanged. */
int interpreted_only(struct profile *p, struct error *err);

#endif

/*
 * pprof labels of the goroutines that sampled threads run.
 *
 * While a thread is held no more is read than which goroutine it runs and where that has its
 * labels, in the read that copies the stack (goruntime/gothread.h). The labels themselves are
 * read when it has been let go. A set never changes, and is not freed before a GC has ended
 * that found it dead: so what was read is right if none has ended between the moment before the
 * thread was asked to stop and that after the reading; and then it need not be read again as
 * long as none does. If one has, it is right if the goroutine has that set still. If neither
 * holds, the sample goes without labels, and is counted.
 */
#ifndef SAMPLER_LABELLING_H
#define SAMPLER_LABELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"

struct member;
struct round;
struct slot;

/* Each distinct set, as bytes; 0 is that of no labels. */
struct labelling {
	struct strset sets;
};

/* ERR_NOMEM. */
int labelling_init(struct labelling *l);
void labelling_release(struct labelling *l);

/* Readies a member whose Go runtime has just been found. ERR_NOMEM. */
int labelling_begin(struct member *m);

/* Which time it is by the member's GCs: equal moments have no end of a GC between them. 0: not
 * known, or it is of no interest yet. */
uint64_t labelling_moment(const struct member *m);

/* Fills in labels and goid of a slot's context, if that has not been done since its stack was
 * taken. What cannot be read is left out. ERR_NOMEM. */
int labelling_of_slot(struct round *r, struct slot *slot);

/* The same for all whose stacks have been taken; with no memory for it, the above will say so. */
void labelling_of_slots(struct round *r);

struct labelling_label {
	const char *key, *value; /* may hold NULs */
	size_t key_len, value_len;
};

/* Goes through a set's labels: *at is 0 at first. False at the end. */
bool labelling_next(const struct labelling *l, uint32_t set, size_t *at,
		   struct labelling_label *label);

#endif

/*
 * pprof labels of the goroutines that sampled threads run.
 *
 * While a thread is held, the read that copies its stack also fetches which goroutine it runs and
 * where that goroutine's label set is (sampler/go/thread.h), and no more. The labels themselves
 * are read after the thread has been released. A set never changes, and it is not freed before the
 * end of a GC that found it dead. So labels are right if no GC has ended between the moment before
 * the thread was asked to stop and the moment after the labels were read; and as long as none ends,
 * they need not be read again. If a GC has ended, they are right if the goroutine still has that
 * set. If neither holds, the sample goes without labels and is counted.
 */
#ifndef SAMPLER_TICK_LABELLING_H
#define SAMPLER_TICK_LABELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"

struct member;
struct round;
struct slot;

/* The distinct label sets, each as bytes; number 0 is the set without labels. */
struct labelling {
	struct strset sets;
};

/* ERR_NOMEM. */
int labelling_init(struct labelling *l);
void labelling_release(struct labelling *l);

/* Prepares a member for reading labels, after a search for its Go runtime; what an earlier runtime
 * needed is freed. ERR_NOMEM. */
int labelling_begin(struct member *m);

/* A number of the present moment, counted in the member's GCs: between two equal moments no GC has
 * ended. 0: not known, or not needed because no goroutine with labels was seen yet. */
uint64_t labelling_moment(const struct member *m);

/* Sets labels and goid of a slot's context, once after its stack was taken. Labels that cannot be
 * read are left out and counted (labels_lost, labels_unknown of the stats). ERR_NOMEM. */
int labelling_of_slot(struct round *r, struct slot *slot);

/* The same for all slots whose stacks have been taken. Where memory runs out, the slot is left for
 * the next labelling_of_slot, which returns ERR_NOMEM. */
void labelling_of_slots(struct round *r);

struct labelling_label {
	const char *key, *value; /* may hold NULs */
	size_t key_len, value_len;
};

/* Goes through a set's labels: *at is 0 at first. False at the end. The texts are borrowed until
 * labelling_release. */
bool labelling_next(const struct labelling *l, uint32_t set, size_t *at,
		   struct labelling_label *label);

#endif

/*
 * Where a round's account stood at a moment, so that what has come since can be told.
 *
 * Internal to sampler/. Costs a copy of the counters, not of the stacks, which a round
 * only adds to.
 */
#ifndef SAMPLER_MARK_H
#define SAMPLER_MARK_H

#include <stdint.h>

struct mark_entry;
struct mark_member;
struct round;

struct mark { /* {0}: before the round's start */
	uint64_t at_ns; /* CLOCK_MONOTONIC; 0: nothing is marked */
	struct mark_entry *entries; /* by stackset entry */
	uint32_t entry_count;
	struct mark_member *members;
	uint32_t member_count;
};

/* Marks this moment, in place of the one before; while no thread samples. ERR_NOMEM:
 * nothing is marked. */
int mark_take(struct mark *m, struct round *r);
void mark_release(struct mark *m);

/* Takes what was before the mark out of a finished round, which is of no other use from
 * then on. Threads that run are in the account to within a tick at each end. */
void mark_subtract(const struct mark *m, struct round *r);

#endif

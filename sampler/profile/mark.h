/*
 * A round's counters at one moment, from which the part of the round since then is computed.
 *
 * Internal to sampler/. Only counters are copied; a round only ever adds stacks.
 */
#ifndef SAMPLER_PROFILE_MARK_H
#define SAMPLER_PROFILE_MARK_H

#include <stdint.h>

struct mark_entry;
struct mark_member;
struct recorded;

struct mark { /* {0}: before the round's start */
	uint64_t at_ns; /* CLOCK_MONOTONIC; 0: nothing is marked */
	struct mark_entry *entries; /* by stackset entry */
	uint32_t entry_count;
	struct mark_member *members;
	uint32_t member_count;
};

/* Marks this moment, and drops the mark that `m` held. Called while no thread samples. ERR_NOMEM:
 * nothing is marked. The caller frees the mark with mark_release. */
int mark_take(struct mark *m, struct recorded *r);
void mark_release(struct mark *m);

/* Subtracts what was counted before the mark from a finished round, which has no other use
 * afterwards. The time of running threads is accurate to one tick at each end. */
void mark_subtract(const struct mark *m, struct recorded *r);

#endif

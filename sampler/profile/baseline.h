/*
 * A round's counters at one moment, from which the part of the round since then is computed.
 *
 * Internal to sampler/. Only counters are copied; a round only ever adds stacks.
 */
#ifndef SAMPLER_PROFILE_BASELINE_H
#define SAMPLER_PROFILE_BASELINE_H

#include <stdint.h>

struct baseline_entry;
struct baseline_member;
struct recorded;

/* {0}: before the round's start. */
struct baseline {
	uint64_t at_ns;			/* CLOCK_MONOTONIC; 0: nothing is kept */
	struct baseline_entry *entries; /* by stackset entry */
	uint32_t entry_count;
	struct baseline_member *members;
	uint32_t member_count;
};

/* Keeps the counters of this moment, and drops what `m` held before. Called while no thread
 * samples. ERR_NOMEM: nothing is kept. The caller frees `m` with baseline_release. */
int baseline_take(struct baseline *m, struct recorded *r);
void baseline_release(struct baseline *m);

/* Subtracts what was counted before the baseline from a finished round, which has no other use
 * afterwards. The time of running threads is accurate to one tick at each end. */
void baseline_subtract(const struct baseline *m, struct recorded *r);

#endif

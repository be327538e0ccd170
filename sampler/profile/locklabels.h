/*
 * The labels of samples that wait for a lock: `lock` (its kind, and the variable that it is or its
 * address), `waits_for` (the thread that holds it), `held_at` (the stack of that thread in the same
 * tick, outermost function first, separated by ';').
 *
 * Internal to sampler/, a part of assembling a profile (sampler/profile/assemble.h).
 */
#ifndef SAMPLER_PROFILE_LOCKLABELS_H
#define SAMPLER_PROFILE_LOCKLABELS_H

#include <stddef.h>
#include <stdint.h>

struct locations;
struct profile_label;
struct stackset_entry;

enum { LOCK_LABELS_MAX = 3 };

struct locklabels {
	uint32_t lock, waits_for, held_at; /* the keys, strings of the profile */
};

/* Adds the keys to the profile of `places`, where a thread has waited for a lock. ERR_NOMEM. */
int locklabels_init(struct locklabels *l, struct locations *places);

/* Appends the labels of the sample of `e`, at most LOCK_LABELS_MAX, to `labels`. None, if it is not
 * proven that the thread waits for a lock. ERR_NOMEM. */
int locklabels_add(const struct locklabels *l, struct locations *places,
		   const struct stackset_entry *e, struct profile_label *labels, size_t *count);

#endif

/*
 * The labels of samples that wait for something else than a lock: `waits_on` (its kind, or
 * "connections" where the thread waits for work), and `peer` (an address) or `file` (a path).
 *
 * Internal to sampler/, a part of assembling a profile (sampler/profile/assemble.h).
 */
#ifndef SAMPLER_PROFILE_WAITLABELS_H
#define SAMPLER_PROFILE_WAITLABELS_H

#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_label;
struct waitset;

enum { WAIT_LABELS_MAX = 2 };

struct waitlabels {
	uint32_t waits_on, peer, file; /* the keys, strings of the profile */
};

/* Adds the keys to the profile, where a thread has waited so. ERR_NOMEM. */
int waitlabels_init(struct waitlabels *l, struct profile *p, const struct waitset *waits);

/* Appends the labels of the wait with that number, at most WAIT_LABELS_MAX. ERR_NOMEM. */
int waitlabels_add(const struct waitlabels *l, struct profile *p, const struct waitset *waits,
		   uint32_t number, struct profile_label *labels, size_t *count);

#endif

/* Durations, counted in classes 3 % wide, so that percentiles need no list of all durations. */
#ifndef SAMPLER_ACCOUNT_HELDTIME_H
#define SAMPLER_ACCOUNT_HELDTIME_H

#include <stdint.h>

enum { HELDTIME_STEPS = 32, HELDTIME_CLASSES = 64 * HELDTIME_STEPS };

struct heldtime {
	uint64_t classes[HELDTIME_CLASSES];
	uint64_t count, sum, max; /* sum and max in ns, exact */
};

void heldtime_add(struct heldtime *h, uint64_t ns);

/* The duration that `percent` of all do not exceed, in ns, up to 3 % too high;
 * never above the maximum. 0 when none was added. */
uint64_t heldtime_percentile(const struct heldtime *h, double percent);

#endif

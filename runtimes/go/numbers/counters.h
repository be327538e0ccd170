/* Reads a Go runtime's counters, once their places are known. */
#ifndef RUNTIMES_GO_NUMBERS_COUNTERS_H
#define RUNTIMES_GO_NUMBERS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "runtimes/go/numbers/metrics.h"

struct govars;
struct memory;

/* State kept from one reading to the next; zeroed at first, freed with gocounters_release. */
struct gocounters {
	uint64_t *ps; /* owned */
	size_t room;
	uint64_t bytes, objects, gone; /* as last reported */
};

void gocounters_release(struct gocounters *c);

/* Reads all counters. Values in the target's memory are checked; a counter with an impossible value
 * has no number but a why_not. Time is bounded by the number of Ps, at most 4,096. */
void gocounters_read(struct gocounters *c, const struct govars *v, const struct memory *memory,
		     struct gometric_value values[GOMETRIC_COUNT]);

#endif

/* A Go runtime's counters, once it is known where they are. */
#ifndef GORUNTIME_GOCOUNTERS_H
#define GORUNTIME_GOCOUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "goruntime/gometrics.h"

struct govars;
struct memory;

/* What is kept from reading to reading, for its memory; {0} at first. */
struct gocounters {
	uint64_t *ps; /* owned */
	size_t room;
	uint64_t bytes, objects, gone; /* as told last */
};

void gocounters_release(struct gocounters *c);

/* Reads all. What the memory holds is checked: numbers that cannot be are none. Bounded by
 * the number of Ps, of which there are 4,096 at most. */
void gocounters_read(struct gocounters *c, const struct govars *v, const struct memory *memory,
		     struct gometric_value values[GOMETRIC_COUNT]);

#endif

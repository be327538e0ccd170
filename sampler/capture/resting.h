/*
 * Samples without a stop, of threads whose CPU a ticker has taken: they rest until it sleeps,
 * unless another CPU takes one over. So registers and counters (sampler/atrest/atrest.h) and memory
 * are read as they were at the tick; the counters, read again, prove it. Nothing can be cut short.
 *
 * A read that does not come back costs the sample: a copier makes it (sampler/stop/copier.h).
 */
#ifndef SAMPLER_CAPTURE_RESTING_H
#define SAMPLER_CAPTURE_RESTING_H

#include <stdbool.h>

struct atrest;
struct copiers;
struct roster;
struct slot;
struct sought;

/* In the place of roster_search, for the ticker of a CPU: finds the thread that was on it, and
 * reads it. False: that cannot be done, since there are too many threads or they may not be read
 * so. */
bool resting_search(const struct atrest *a, const struct roster *r, struct sought *s);

/* After roster_search: reads the thread that was found, if it was displaced by us and has not run
 * since. */
void resting_read(const struct atrest *a, struct sought *s);

/* Copies the thread of a slot that is at_rest. slot->taken: it has not run meanwhile. */
void resting_copy(const struct atrest *a, unsigned cpu, struct copiers *copiers, struct slot *slot);

#endif

/*
 * Finds goroutines that may hold the lock that others wait for.
 *
 * A dump does not say which goroutine holds a sync.Mutex. But a goroutine that waits for it is in a
 * function of the program, and one that has acquired it is in the same function at another line, or
 * in another method of the same type. This is not proof, so the result must be shown as a guess.
 */
#ifndef GOPARSE_SUMMARY_HOLDER_H
#define GOPARSE_SUMMARY_HOLDER_H

#include <stdint.h>

#include "goparse/summary/census.h"

struct holder {
	const struct census_row *row; /* the one that has waited longest; NULL: none */
	uint64_t count;		      /* goroutines that may hold it, in all rows */
};

/* Finds goroutines in `stacks` (CENSUS_STACKS) that may hold the lock for which the row `waiting`
 * waits. `stacks` contains that row. None if it does not wait for a sync.Mutex or sync.RWMutex. */
struct holder holder_find(const struct census_row *waiting, const struct census_list *stacks);

#endif

/*
 * Who may hold the lock that goroutines wait for.
 *
 * A dump does not tell who holds a sync.Mutex. But whoever waits for one waits in a function
 * of his, and who has got past that lock stands in the same function at another line, or in
 * another method of the same type. That is no proof, and so it must be shown.
 */
#ifndef GOPARSE_HOLDER_H
#define GOPARSE_HOLDER_H

#include <stdint.h>

#include "goparse/census.h"

struct holder {
	const struct census_row *row; /* of several the one that has waited longest; NULL: none */
	uint64_t count;		      /* goroutines that may hold it, all together */
};

/* Of the goroutines of a row of `stacks` (CENSUS_STACKS); none if they wait for no sync.Mutex or
 * sync.RWMutex. */
struct holder holder_find(const struct census_row *waiting, const struct census_list *stacks);

#endif

/* The work of one process of a collection (rounds/collect/collection.h). */
#ifndef ROUNDS_COLLECT_COLLECTING_H
#define ROUNDS_COLLECT_COLLECTING_H

#include "rounds/collect/collection.h"

/* In a child of fork_bound: takes q->types (CAPTURE_HEAP for all heap types) from the source,
 * writes them to `file` as items, and exits, which closes `pipe`. Other descriptors are closed
 * first, except those that the source needs. */
_Noreturn void collecting_run(struct source *s, const struct collection_request *q, int file,
			      int pipe);

#endif

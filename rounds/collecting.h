/* What a process of a collection does (rounds/collection.h). */
#ifndef ROUNDS_COLLECTING_H
#define ROUNDS_COLLECTING_H

#include <sys/types.h>

#include "rounds/collection.h"

/* In the child of errand_fork: asks the source for the types, which are those of items, and
 * ends. Of descriptors only the file, to which the items are written, the pipe and what the
 * source needs are kept. */
_Noreturn void collecting_run(struct source *s, const struct collection_request *q, int file,
			      int pipe, pid_t parent);

#endif

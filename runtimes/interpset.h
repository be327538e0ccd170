/* The interpreters of a process, as the files interps.c (which there are), interpstates.c (which
 * thread has which state) and interpstacks.c (the stacks that come of it) share them. */
#ifndef RUNTIMES_INTERPSET_H
#define RUNTIMES_INTERPSET_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/codes.h"
#include "runtimes/interps.h"
#include "runtimes/managed.h"
#include "unwind/stack.h"

enum { INTERP_COST_FACTOR = 100 }; /* searches and lists take a hundredth of the time at most */

struct interps {
	const struct process *process;
	struct memory_live live;

	/* The runtimes, found by interps.c; several arrays have an element for each. */
	struct interp_set set;
	const struct image *images[INTERP_RUNTIMES];
	uint64_t biases[INTERP_RUNTIMES];
	struct managed managed;

	/* The search for them. */
	uint64_t generation; /* of the maps at the last search */
	uint8_t *noted;	     /* by image id; bit n: runtime n has noted the image */
	size_t noted_room;
	bool waits;	      /* a runtime was not ready */
	struct error refused; /* why a runtime could not be read; code 0: all could be */
	unsigned refusals;    /* searches in a row that found one that could not be read */
	uint64_t retry_ns;    /* when to search again for such runtimes */

	/* Lists of states; interpstates.c. */
	struct buffer states[INTERP_RUNTIMES]; /* struct interp_state */
	uint32_t reading;		       /* counts readings of the lists */
	uint64_t due_ns;		       /* not read again before */

	/* The stack that is being made; interpstacks.c. */
	struct interp_codes *codes[INTERP_RUNTIMES];
	struct interp_shown *shown;
	size_t shown_room;
	struct interp_runs runs;
	struct stack expanded;
};

#endif

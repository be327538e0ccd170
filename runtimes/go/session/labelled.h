/*
 * Reads goroutines with their pprof labels.
 *
 * A g contains the address of its labels. When a g has been read, its labels are read, and then the
 * g once more. If the address is still the same, the goroutine had these labels all the time and
 * they were not freed. So labels that another goroutine had at that address before cannot be taken
 * for this goroutine's. This is done for some hundred goroutines at a time, with few large reads of
 * labels and gs. A set that many goroutines have inherited is read once.
 *
 * Rejected: reading each goroutine's labels when it is reported, which needs five small reads for
 * each if all have their own sets (servers that label requests); trusting a set until a GC begins,
 * which has to be checked each time.
 */
#ifndef RUNTIMES_GO_SESSION_LABELLED_H
#define RUNTIMES_GO_SESSION_LABELLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct go_goroutine;
struct goprofile;
struct labelsets;

/* `set` is 1 + an index in the sets; 0: the goroutine has no labels, or they could not be read. All
 * arguments are valid until the callback returns. */
typedef int labelled_callback(void *ctx, const struct go_goroutine *r, uint32_t set,
			      struct error *err);

struct labelled_wants {
	size_t max_frames; /* as in gogoroutines_options */
	bool bytes;	   /* true: also the bytes of stacks; false: go_goroutine.stack is NULL */
};

/* Passes all goroutines except the runtime's own to `each`, with their stacks, in the order of
 * gogoroutines_read. Returns the errors of gogoroutines_read or what the callback returns. Counts
 * go into the goprofile's stats and remarks. */
int labelled_read(struct goprofile *g, struct labelled_wants wants, struct labelsets *sets,
		  labelled_callback *each, void *ctx, struct error *err);

#endif

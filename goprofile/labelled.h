/*
 * Goroutines with their pprof labels.
 *
 * Where a goroutine's labels are its g said when it was read. They are read after that, and then
 * its g once more: if it says the same, it had them all the time and nobody has freed them. So
 * those that others had before cannot be taken for its own. That is done for some hundred
 * goroutines at a time, for which labels and gs are read in few large pieces; a set that many
 * of them have inherited is read once.
 *
 * Rejected: each goroutine's labels when it is told, which takes five small reads for each where
 * all have sets of their own (servers that label requests); trusting a set that was seen until
 * a GC begins, which has to be asked each time to be true.
 */
#ifndef GOPROFILE_LABELLED_H
#define GOPROFILE_LABELLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct go_goroutine;
struct goprofile;
struct labelsets;

/* `set` is 1 + an index in the sets; 0: it has no labels, or they could not be read. All is good
 * until the callback returns. */
typedef int labelled_callback(void *ctx, const struct go_goroutine *r, uint32_t set,
			      struct error *err);

struct labelled_wants {
	size_t max_frames; /* as gogoroutines_options have it */
	bool bytes;	   /* of stacks, too: else go_goroutine.stack is NULL */
};

/* Tells all goroutines but the runtime's own with their stacks, in the order of gogoroutines_read,
 * whose errors it returns, or what the callback returns. What was read is noted in the
 * goprofile's stats and remarks. */
int labelled_read(struct goprofile *g, struct labelled_wants wants, struct labelsets *sets,
		  labelled_callback *each, void *ctx, struct error *err);

#endif

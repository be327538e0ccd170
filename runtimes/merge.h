/*
 * Native and interpreted frames in one stack.
 *
 * Each run of interpreted frames stands in the place of the C frame of the evaluation loop that
 * executes it. That frame is the one whose bytes on the stack hold the run's anchor: no name and no
 * range of code is needed, because most of a loop is a part without a name in stripped builds.
 *
 * - Where all of a run is hidden, the loop's frame stays.
 * - Runs whose anchor lies above the last frame of a native walk that ended early are its callers,
 *   and stand behind it. So do those on another stack than that of a fiber, of which no native
 *   frames are missing.
 * - Any other run fits nowhere, and stands on top.
 *
 * Between the native frames and a run without a frame of its own stands "[not merged]". Behind the
 * last frame of a chain that was not copied whole, or leads nowhere, stands "[cut]".
 */
#ifndef RUNTIMES_MERGE_H
#define RUNTIMES_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct stack;

/* An interpreted frame with its name. */
struct interp_shown {
	const struct image *image; /* NULL: it is hidden */
	uint32_t place;		   /* interp_names.places */
	uint64_t anchor;	   /* 0: not known */
	uint8_t runtime, language;
	bool wrapped;  /* INTERP_WRAPPED */
	uint32_t seam; /* the place that says "[not merged]" */
	uint32_t cut;  /* the place that says "[cut]", which stands behind it; 0: none */
};

/* How well the frames of one language were found and merged. */
struct interp_counts {
	char version[40];  /* of the runtime that was met first: "CPython 3.11.2" */
	uint64_t stacks;   /* with interpreted frames */
	uint64_t frames;   /* interpreted ones, without hidden ones */
	uint64_t behind;   /* frames of these behind a native walk that ended early */
	uint64_t on_top;   /* frames that fit nowhere */
	uint64_t nameless; /* frames whose code object could not be proven */
	uint64_t dropped;  /* frames under construction */
	uint64_t lineless; /* frames of which it is not certain which line is executed */
	uint64_t cut;	   /* stacks with a chain that was not copied whole */
	uint64_t broken;   /* stacks with a chain that leads nowhere */
};

/* Memory for runs, kept from merge to merge; {0} is empty. */
struct interp_runs {
	struct interp_run {
		size_t first, end; /* of its frames */
		long where;	   /* index of its native frame; see merge.c */
	} *runs;		   /* owned */
	size_t count, room;
};

void interp_runs_release(struct interp_runs *r);

/* Empties `out`, and gives it what `native` has besides its frames. */
void interp_merge_begin(struct stack *out, const struct stack *native);

/* Appends frame `i` of `native`. ERR_NOMEM. */
int interp_merge_native(struct stack *out, const struct stack *native, size_t i);

/* Writes the merged stack of `native` and `count` interpreted frames (innermost first, one runtime
 * after the other) to `out`, emptied first. `counts` is indexed by language. ERR_NOMEM. */
int interp_merge(struct interp_runs *r, const struct stack *native,
		 const struct interp_shown *frames, size_t count, struct interp_counts *counts,
		 struct stack *out);

#endif

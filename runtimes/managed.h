/*
 * The runtimes of a process that compile (HotSpot, V8): which there are, their part in a walk, and
 * the names of their frames.
 *
 * Names are kept by the frame's key, which tells a function from another one at the same address.
 * They are read right after the walk: what is compiled is freed, and classes are unloaded, at any
 * time.
 */
#ifndef RUNTIMES_MANAGED_H
#define RUNTIMES_MANAGED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/hashindex.h"
#include "runtimes/common/managed.h"

struct image;
struct interp_counts;
struct interp_names;
struct mapping;
struct modmap;
struct stack;

enum { MANAGED_RUNTIMES = 4 }; /* in a process, also those of programs that it executed before */

/* {0} has no runtimes. */
struct managed {
	struct managed_walker walker;
	struct managed_runtime {
		const struct managed_ops *ops;
		void *rt; /* owned */
		const struct image *image;
		uint64_t bias;
		bool gone; /* its file is not mapped any more */
	} at[MANAGED_RUNTIMES];
	unsigned count;
	struct managed_entry *entries; /* owned; names by key */
	uint32_t entry_count;
	size_t entry_room;
	uint32_t *places; /* owned; of the entries */
	size_t place_count, place_room;
	struct hashindex index;
	uint64_t serial; /* of the interp_names that the places are in */
	struct arena arena;
};

void managed_release(struct managed *m);

/* Is that runtime known in that range's image? An image that is mapped twice has one. */
bool managed_has(const struct managed *m, const struct managed_ops *ops,
		 const struct mapping *range);

/* Adds a runtime that ops->find has found; frees it if there are too many. */
void managed_add(struct managed *m, const struct managed_ops *ops, void *rt,
		 const struct mapping *range);

/* Notes which runtimes are not mapped any more. */
void managed_refresh(struct managed *m, const struct modmap *maps);

/* For a walk of a thread; NULL: no runtime. Valid until the next call. */
struct managed_walker *managed_walker(struct managed *m);

/* What the runtimes tell of that thread. False: nothing. */
bool managed_thread(struct managed *m, pid_t own_tid, struct managed_thread *thread);

/* What the thread, which is at rest, waits for in its language; all 0: nothing, or not known. */
void managed_wait(struct managed *m, pid_t own_tid, struct managed_wait *wait);

/* Writes `native` to `out`, emptied first, with the functions of the runtimes' frames in their
 * place. `counts` is indexed by language. ERR_NOMEM. */
int managed_expand(struct managed *m, const struct stack *native, struct interp_names *names,
		   struct interp_counts *counts, struct stack *out);

#endif

/*
 * Which batches of a folder are ours, and which of them have to go.
 *
 * Oldest is the one with the lowest number, which no clock can set back. For max_age a
 * batch's age is counted by a clock that only goes forward, and through suspend
 * (CLOCK_BOOTTIME). What was there before us is as old as the wall clock then says of the
 * start in its name, and new when that is in the future. So a clock that jumps while we run
 * neither removes anything nor keeps it.
 *
 * The size is of what lies on the disk. The newest batch may be larger than all that is
 * allowed, and stays: the folder holds at most the limit and one batch.
 */
#ifndef ROUNDS_PRUNE_H
#define ROUNDS_PRUNE_H

#include <stdint.h>
#include <sys/types.h>

#include "rounds/batchname.h"

struct error;
struct prune;

struct prune_limits {
	uint64_t keep, max_bytes, max_age_ns; /* 0: any */
};

/* `key_text` and `series` are kept by reference. ERR_NOMEM. */
int prune_new(struct prune **p, const struct prune_limits *limits, const char *series,
	      const char *key_text, struct error *err);
void prune_free(struct prune *p);

/* Finds those in the folder that are ours: of the series, and of our key or of one that no
 * sampler has any more (its lock is not there; sweep first). Forgets all others. ERR_IO,
 * ERR_NOMEM. */
int prune_load(struct prune *p, int dir, uid_t owner, struct error *err);

/* One more, the newest, which is there now. Without memory for it it is not counted. */
void prune_add(struct prune *p, const struct batch_name *name, uint64_t bytes);

/* Removes what the limits say. What cannot be removed (somebody has made a folder in it, or
 * made it his own) is not counted any more. */
void prune_apply(struct prune *p, int dir, uid_t owner);

#endif

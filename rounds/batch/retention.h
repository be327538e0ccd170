/*
 * Finds our batches in a folder and removes those that exceed the limits.
 *
 * The oldest batch is the one with the lowest number, which no clock can set back. For max_age
 * the age of a batch is measured by CLOCK_BOOTTIME, which only goes forward and counts suspend.
 * For a batch from before our start, the age at our start is the wall clock's time since the start
 * in its name, or 0 if that is in the future. So a jump of the wall clock while we run neither
 * removes a batch nor keeps one.
 *
 * Sizes are disk space. The newest batch stays even if it alone exceeds max_bytes: the folder
 * holds at most the limit and one batch.
 */
#ifndef ROUNDS_BATCH_RETENTION_H
#define ROUNDS_BATCH_RETENTION_H

#include <stdint.h>
#include <sys/types.h>

#include "rounds/batch/name.h"

struct error;
struct retention;

struct retention_limits {
	uint64_t keep, max_bytes, max_age_ns; /* 0: any */
};

/* `key_text` and `series` are borrowed until retention_free. ERR_NOMEM. */
int retention_new(struct retention **p, const struct retention_limits *limits, const char *series,
		  const char *key_text, struct error *err);
void retention_free(struct retention *p);

/* Replaces the list by our batches in the folder: the batches of the series with our key, or with a
 * key whose lock file is gone (sweep first). ERR_IO, ERR_NOMEM. */
int retention_load(struct retention *p, int dir, uid_t owner, struct error *err);

/* Adds the newest batch, which is in place now. If memory runs out, it is not counted. */
void retention_add(struct retention *p, const struct batch_name *name, uint64_t bytes);

/* Removes what exceeds the limits. A batch that cannot be removed (a user has made a folder in
 * it, or has taken ownership of it) is not counted any more. */
void retention_apply(struct retention *p, int dir, uid_t owner);

#endif

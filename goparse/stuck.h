/*
 * What stands still: goroutines that are in every one of several dumps of a process, with the
 * same state and the same stack. Their ids are never given out again (runtime/proc.go,
 * newproc1), so an id names the same goroutine in all of them.
 */
#ifndef GOPARSE_STUCK_H
#define GOPARSE_STUCK_H

#include <stdbool.h>

#include "goparse/goparse.h"

struct stuck;

/* ERR_NOMEM. */
int stuck_new(struct stuck **s, struct error *err);
void stuck_free(struct stuck *s);

/* The next dump begins, the first one too. */
void stuck_next_dump(struct stuck *s);

/* Takes a goroutine of the present dump: *all tells whether it was in all dumps before, as
 * it is now; in the first dump they all are. Frames are compared by function, file and line,
 * and a stack that was not printed is not equal to another. ERR_NOMEM. */
int stuck_add(struct stuck *s, const struct goparse_goroutine *g, bool *all, struct error *err);

#endif

/*
 * Finds goroutines that do not move: they are in every one of several dumps of a process, with the
 * same state and the same stack. Go never reuses an id (runtime/proc.go, newproc1), so an id means
 * the same goroutine in all of them.
 */
#ifndef GOPARSE_SUMMARY_STUCK_H
#define GOPARSE_SUMMARY_STUCK_H

#include <stdbool.h>

#include "goparse/goparse.h"

struct stuck;

/* The caller frees *s with stuck_free. ERR_NOMEM. */
int stuck_new(struct stuck **s, struct error *err);
void stuck_free(struct stuck *s);

/* Begins the next dump; must be called before the first one, too. */
void stuck_next_dump(struct stuck *s);

/* Takes a goroutine of the current dump. *all: it was in all earlier dumps with the same state
 * and stack; in the first dump always true. Frames are compared by function, file and
 * line; a stack that was not printed is not equal to any other. ERR_NOMEM. */
int stuck_add(struct stuck *s, const struct goparse_goroutine *g, bool *all, struct error *err);

#endif

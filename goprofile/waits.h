/*
 * Goroutines with how long they wait, to the nanosecond: the wait profile of goparse/waitprofile.h
 * out of the process's memory.
 *
 * Go notes that a goroutine waits when a GC marks its roots: g.waitsince is 0 until then. What it
 * notes is work.tstart, which is not the time of that marking, but of the end of the one before
 * (runtime/mgcmark.go, markroot; mgc.go, gcMark sets it when all is marked): between the two the
 * goroutine has begun to wait. So the wait may be shorter than Go says, by up to the time between
 * two collections; and what the first one of a program has noticed has no time.
 *
 * So goroutines are remembered from look to look, too (goprofile/seen.h says how they are known
 * again). The label "wait_from" says what a wait is told from: "gc", Go's time, which no look of
 * ours contradicts: it waits at most as long, give or take a GC's marking; "seen", since we saw it
 * first: it waits at least as long.
 */
#ifndef GOPROFILE_WAITS_H
#define GOPROFILE_WAITS_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct goprofile;
struct profile;
struct waits;

/* An empty memory of who was seen when. ERR_NOMEM. */
int waits_new(struct waits **w);
void waits_free(struct waits *w);

/* As bytes, for another process that goes on with it; appended. Reading: ERR_FORMAT, ERR_NOMEM. */
struct buffer;
int waits_save(const struct waits *w, struct buffer *out);
int waits_load(struct waits *w, const void *data, size_t len, struct error *err);

/* A sample for each goroutine, into *p, which stays the waits' until they are freed or asked
 * again. Who has gone is forgotten. ERR_LIMIT: more than the options allow; and as
 * goprofile_make. */
int waits_make(struct waits *w, struct goprofile *g, struct profile **p, struct error *err);

#endif

/*
 * Goroutines with how long they wait, to the nanosecond: the wait profile of goparse/waitprofile.h
 * out of the process's memory.
 *
 * Go records when a goroutine began to wait only when a GC marks its roots: then g.waitsince is
 * the start of that cycle, 0 until then. So goroutines are remembered from look to look with the
 * time at which they were first seen waiting (goprofile/seen.h says how they are known again). The
 * label "wait_from" says which of both is told, the earlier one: "gc", which may be before the
 * wait by as long as the GC's marking took then; "seen", since we have seen it: it waits at least
 * as long.
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

/*
 * Profiles asked of a source, in a process of its own, and a trace in another beside it.
 *
 * Such a process has no privileges but those that its source needs, may wait as long as its
 * source does, and whatever it allocates ends with it: a round goes on meanwhile, and months
 * of rounds leave nothing behind. What it found comes back through a file in memory, read as
 * foreign bytes.
 */
#ifndef ROUNDS_COLLECTION_H
#define ROUNDS_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rounds/capture.h"

struct collection;
struct error;
struct source;

enum { COLLECTION_BYTES = 1 << 30 }; /* of all profiles together; what comes then is left out */

struct collection_request {
	unsigned types;	      /* set of enum capture_type, all CAPTURE_BY_GO */
	bool gc;	      /* before the heap profile, wait for a completed GC cycle */
	uint64_t trace_ns;    /* duration of a trace */
};

/* One profile: heap for heap, allocs, inuse and alloc, which are made of it
 * (rounds/derive.h), all others for themselves. Texts are printable. */
struct collection_item {
	enum capture_type type; /* CAPTURE_HEAP for all of the heap's */
	const char *name;     /* of a custom one, fit for a file's (rounds/customname.h); else "" */
	const uint8_t *data;  /* pprof bytes, or a trace; NULL when there is none: */
	size_t len;
	const char *why_not;  /* NULL, or the reason */
	const char *note;     /* NULL, or what is to be said of it */
	bool cut;	      /* a trace that ends before its time */
	int64_t time_nanos;   /* when it was there, unix time */
};

/* Forks: no other thread may run. The source must live until collection_free. ERR_IO,
 * ERR_NOMEM. */
int collection_start(struct collection **c, struct source *s, const struct collection_request *q,
		     struct error *err);

/* poll(2) reports something (POLLHUP) when it has come to an end; -1 from when that is known. */
int collection_fd(const struct collection *c);

/* Has it come to an end? Does not wait. */
bool collection_over(struct collection *c);

/* Ends a trace early and whole, as far as its source can (a URL's: since it sent the first
 * bytes, a second after its start at the latest since Go 1.22). It is over soon, not at once. */
void collection_finish(struct collection *c);

/* Ends it now: what is not there yet has `why` for its reason. */
void collection_cancel(struct collection *c, const char *why);

/* After the end: one item for each type that was asked for, custom ones each (one without a
 * name when there are none, or not all); valid until collection_free. ERR_FORMAT when its
 * process broke off, and the items are what came through. ERR_NOMEM: there are no items. */
int collection_items(struct collection *c, const struct collection_item **items, size_t *count,
		     struct error *err);

/* Kills its processes if they still run. */
void collection_free(struct collection *c);

#endif

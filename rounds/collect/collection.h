/*
 * Collects profiles from a source in a process of its own, and a trace in another beside it.
 *
 * Each of these processes has only the privileges that its source needs. It may wait as long as
 * the source does, while the rounds go on. All that it allocates ends with it, so months of
 * rounds leak nothing. Its results come back through a file in memory (memfd_create(2)), read as
 * untrusted bytes.
 */
#ifndef ROUNDS_COLLECT_COLLECTION_H
#define ROUNDS_COLLECT_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rounds/source/capture.h"

struct collection;
struct error;
struct source;

enum { COLLECTION_BYTES = 1 << 30 }; /* of the profiles of one process; more are left out */

struct collection_request {
	unsigned types;	   /* set of enum capture_type, all CAPTURE_BY_GO */
	bool gc;	   /* before the heap profile, wait for a completed GC cycle */
	uint64_t trace_ns; /* duration of a trace, in ns */
};

/* One profile. CAPTURE_HEAP stands for heap, allocs, inuse and alloc, which are derived from it
 * (rounds/derive.h); each other type has its own. Texts are printable. */
struct collection_item {
	enum capture_type type;
	const char *name;    /* of a custom one, encoded (customname.h); else "" */
	const uint8_t *data; /* pprof bytes, or a trace; NULL: see why_not */
	size_t len;
	const char *why_not; /* NULL, or why there is no data */
	const char *note;    /* NULL, or a remark for the user */
	bool cut;	     /* a trace that ends before its time */
	int64_t time_nanos;  /* when it was complete, unix time in ns */
};

/* Forks, so no other thread may run. `s` must live until collection_free. ERR_IO, ERR_NOMEM. */
int collection_start(struct collection **c, struct source *s, const struct collection_request *q,
		     struct error *err);

/* For poll(2): any event on it (POLLHUP) means that the collection has ended. -1 after
 * collection_over has returned true, and after collection_cancel. Borrowed. */
int collection_fd(const struct collection *c);

/* Has it ended? Does not wait. */
bool collection_over(struct collection *c);

/* Ends a trace early but whole, as far as its source can. A trace from a URL can be ended once its
 * first bytes have come: since Go 1.22 at most a second after its start. Does not wait for it. */
void collection_finish(struct collection *c);

/* Ends the collection now. Missing items get the reason `why`, which is copied. */
void collection_cancel(struct collection *c, const char *why);

/* After the end: one item for each requested type. Custom profiles have an item each; an item
 * without a name says why there are none, or not all. Borrowed until collection_free. ERR_FORMAT:
 * a process broke off; ERR_IO: its file could not be sealed; missing items then have a reason.
 * ERR_NOMEM: the items are incomplete. */
int collection_items(struct collection *c, const struct collection_item **items, size_t *count,
		     struct error *err);

/* Kills its processes if they still run. NULL is harmless. */
void collection_free(struct collection *c);

#endif

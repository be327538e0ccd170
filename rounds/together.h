/*
 * Several of Go's profiles made in one go, for who holds the process meanwhile
 * (rounds/exact.h), and given out one after the other.
 */
#ifndef ROUNDS_TOGETHER_H
#define ROUNDS_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "pprof/profile.h"

struct goprofile;
struct waits;

enum { TOGETHER_MAX = 8 };

struct together {
	struct kept {
		const char *name; /* the runtime's; NULL once it was given out */
		struct profile profile;
		int rc; /* what came of it */
		struct error error;
	} kept[TOGETHER_MAX];
	size_t count;
	struct waits *waits;   /* owned; NULL: they are not wanted, or were given out */
	struct profile *waited; /* theirs */
	int waits_rc;
	struct error waits_error;
};

/* Those of a set of enum capture_type that are profiles of the runtime's (not custom ones), each
 * once; goroutines last, of which rounds/exact.c asks how they were. Begins anew. ERR_NOMEM. */
int together_want(struct together *t, unsigned types);
void together_release(struct together *t);

/* Makes them all, anew each time. What cannot be had does not keep the others back. ERR_SHORT:
 * not now (goprofile_make); ERR_GONE, ERR_NOMEM. */
int together_make(struct together *t, struct goprofile *g, struct error *err);

/* One of them, into *p, which stays the set's; *rc and *err as goprofile_make's. False: it is not
 * among them, or was given out before. */
bool together_take(struct together *t, const char *name, struct profile **p, int *rc,
		   struct error *err);

#endif

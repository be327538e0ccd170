/*
 * Several of Go's profiles, read at once while the process is held
 * (rounds/source/heldread.h), and then taken one after the other.
 */
#ifndef ROUNDS_SOURCE_HELDSET_H
#define ROUNDS_SOURCE_HELDSET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "pprof/profile.h"

struct goprofile;
struct goprofile_id;
struct waits;

enum { HELDSET_MAX = 8 };

struct heldset {
	struct kept {
		const struct goprofile_id *id; /* NULL: taken */
		struct profile profile;
		int rc; /* of goprofile_make */
		struct error error;
	} kept[HELDSET_MAX];
	size_t count;
	struct waits *waits;	/* owned; NULL: not requested, or taken */
	struct profile *waited; /* owned by waits */
	int waits_rc;
	struct error waits_error;
};

/* Starts a new set: the runtime's profiles (not custom ones) among `types`, a set of enum
 * capture_type, each once. Goroutines come last: rounds/source/heldread.c needs their
 * stats, and goprofile_stats has only the last profile's. ERR_NOMEM. */
int heldset_want(struct heldset *t, unsigned types);
void heldset_release(struct heldset *t);

/* Reads all profiles of the set, and `waits`, anew at each call. ERR_SHORT: not now
 * (goprofile_make); ERR_GONE, ERR_NOMEM. Other errors of one profile are kept for heldset_take and
 * do not stop the rest. */
int heldset_make(struct heldset *t, struct goprofile *g, struct error *err);

/* Takes one profile: *p is owned by the set, *rc and *err are goprofile_make's. False: it is not
 * in the set, or was taken before. */
bool heldset_take(struct heldset *t, const struct goprofile_id *id, struct profile **p, int *rc,
		  struct error *err);

#endif

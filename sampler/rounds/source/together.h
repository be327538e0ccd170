/*
 * Several of Go's profiles read at once, while the process is held (sampler/rounds/source/exact.h),
 * and then taken one after the other.
 */
#ifndef SAMPLER_ROUNDS_SOURCE_TOGETHER_H
#define SAMPLER_ROUNDS_SOURCE_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "pprof/profile.h"

struct goprofile;
struct goprofile_id;
struct waits;

enum { TOGETHER_MAX = 8 };

struct together {
	struct kept {
		const struct goprofile_id *id; /* NULL: taken */
		struct profile profile;
		int rc; /* of goprofile_make */
		struct error error;
	} kept[TOGETHER_MAX];
	size_t count;
	struct waits *waits;   /* owned; NULL: not requested, or taken */
	struct profile *waited; /* owned by waits */
	int waits_rc;
	struct error waits_error;
};

/* Starts a new set: the types of `types`, a set of enum capture_type, that are profiles of the
 * runtime (not custom ones), each once; goroutines last, since sampler/rounds/source/exact.c needs
 * their stats, and goprofile_stats has those of the last profile. ERR_NOMEM. */
int together_want(struct together *t, unsigned types);
void together_release(struct together *t);

/* Reads all profiles of the set, and `waits`, anew at each call. Other errors of one profile are
 * kept for together_take and do not stop the rest. ERR_SHORT: not now (goprofile_make); ERR_GONE,
 * ERR_NOMEM. */
int together_make(struct together *t, struct goprofile *g, struct error *err);

/* Takes one profile: *p is owned by the set, *rc and *err are goprofile_make's. False: it is not
 * in the set, or was taken before. */
bool together_take(struct together *t, const struct goprofile_id *id, struct profile **p, int *rc,
		   struct error *err);

#endif

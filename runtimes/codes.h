/*
 * The code objects of one interpreter: their names, kept by address, and by what else a name
 * depends on: several of Ruby's classes may have the same iseq (interp_frame.method).
 *
 * A code object can be freed, and its address used for another one, at any time. So each sample
 * proves its code objects, after the thread was released:
 *
 * - One that was copied while the thread was held has its identity in the copy: it is the one that
 *   is kept, or another one. The names of another one are read now, and its identity after that. If
 *   all agree, the names are those of the code object that the sample has seen.
 * - One that was not copied, because it is known, has its identity read now. If that is what it was
 *   before the sample, it is the one that the sample has seen.
 * - Any other one stays without a name in this sample.
 *
 * "Before and after" does not prove what was in between where a program frees code and makes it
 * again with the same content, in turns with other code at the same address. So a code object
 * becomes known only when it was the same in a hundred samples in a row (at once, if its identity
 * is unique); where there was another one at its address before, in more.
 */
#ifndef RUNTIMES_CODES_H
#define RUNTIMES_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashindex.h"
#include "runtimes/common/look.h"

struct interp_names;

struct interp_entry {
	struct interp_identity identity;
	struct interp_code code;
	bool named;    /* `code` is set */
	bool proven;   /* for the sample `sample` */
	bool known;    /* capture does not copy it any more */
	bool changed;  /* another code object was named at this address before */
	unsigned same; /* how many samples in a row have copied it unchanged */
	uint64_t sample;
	uint64_t names; /* serial of the interp_names that has `name` and `file` */
	uint32_t name, file;
};

struct interp_codes {
	struct interp_entry *entries;
	uint32_t count;
	size_t room;
	struct hashindex index;
	struct arena arena;
	uint64_t sample;
	struct interp_identity *ids; /* of the code objects in `sampled`, in its order */
	uint32_t *sampled;	     /* the present sample's code objects: indices of `entries` */
	size_t ids_room, sampled_room;
	struct interp_known known;
};

void interp_codes_release(struct interp_codes *c);

/* Proves the code objects of the frames of runtime number `of`, and reads the names of new ones.
 * `seen` has what the sample has seen: the look's copy, or, of a thread that has not run since, the
 * process's memory, which is `live`. *proven: all of them are. ERR_NOMEM. */
int interp_codes_prove(struct interp_codes *c, const struct interp_runtime *r, unsigned of,
		       const struct interp_walk *walk, const struct memory *seen,
		       const struct memory *live, bool *proven);

/* The place of a frame whose code object was proven last. `language` is that of the runtime. False:
 * it has no name. *hidden: it is not shown. *rc: ERR_NOMEM or 0. */
bool interp_codes_place(struct interp_codes *c, const struct interp_runtime *r,
			const struct interp_frame *frame, uint32_t language,
			struct interp_names *names, uint32_t *place, bool *hidden, int *rc);

#endif

/* Labels as frames: pprof's -tagroot and -tagleaf (internal/driver/tagroot.go). */
#ifndef PPROF_TAGROOT_H
#define PPROF_TAGROOT_H

#include <stdbool.h>

struct error;
struct profile;

/* Which of them have met a label. */
struct tagroot_found {
	bool root, leaf;
};

/* Adds a frame at the root for each key in `roots` ("a,b": a becomes the outermost), and one at
 * the leaf for each in `leaves` (b becomes the innermost); NULL or "": none. The frame's function
 * is named by the label's values, its file by the key; samples without the label get one with an
 * empty name. Numbers are written in `unit`, as units_scale has it (NULL: "minimum"). ERR_NOMEM.
 */
int tagroot_add(struct profile *p, const char *roots, const char *leaves, const char *unit,
		struct tagroot_found *found, struct error *err);

#endif

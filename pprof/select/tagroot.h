/* Adds labels as frames: pprof's -tagroot and -tagleaf (internal/driver/tagroot.go). */
#ifndef PPROF_SELECT_TAGROOT_H
#define PPROF_SELECT_TAGROOT_H

#include <stdbool.h>

struct error;
struct profile;

/* For `roots` and `leaves`: does any sample have a label with one of the keys? */
struct tagroot_found {
	bool root, leaf;
};

/* Adds a frame at the root for each key in `roots` ("a,b": a becomes the outermost) and one at
 * the leaf for each key in `leaves` (b becomes the innermost); NULL or "": none. The values of the
 * label are the frame's function name, the key is its file; without the label the name is empty.
 * Numbers are written in `unit`, a target of units_scale (NULL: "minimum"). ERR_NOMEM. */
int tagroot_add(struct profile *p, const char *roots, const char *leaves, const char *unit,
		struct tagroot_found *found, struct error *err);

#endif

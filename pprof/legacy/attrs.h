/* The assignments "name=value" of a memory map, which replace "$name" in the lines below. */
#ifndef PPROF_LEGACY_ATTRS_H
#define PPROF_LEGACY_ATTRS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/cursor.h"

enum { ATTRS_MAX = 64 };

struct attrs {
	struct arena arena;
	struct attr {
		const char *name, *value; /* the name with its $; both owned by the arena */
		size_t name_len, value_len;
	} entries[ATTRS_MAX];
	size_t count;
	struct buffer replaced; /* the line that attrs_replace made last */
};

/* {0} is empty. */
void attrs_release(struct attrs *a);

/* Adds the line if it is an assignment, else does nothing. ERR_LIMIT when there are more than
 * ATTRS_MAX or their text is too long; ERR_NOMEM. */
int attrs_add(struct attrs *a, struct cursor line, struct error *err);

/* Replaces all $names in *line as Go's strings.Replacer does: from left to right, the first
 * name that matches. *line is then valid until the next call. ERR_LIMIT when it gets too
 * long; ERR_NOMEM. */
int attrs_replace(struct attrs *a, struct cursor *line, struct error *err);

#endif

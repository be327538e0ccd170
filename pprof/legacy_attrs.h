/* What a memory map sets, "name=value", and "$name" in the lines below it. */
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
		const char *name, *value; /* the name with its $ */
		size_t name_len, value_len;
	} entries[ATTRS_MAX];
	size_t count;
	struct buffer replaced; /* the line that attrs_replace made last */
};

/* {0} is empty. */
void attrs_release(struct attrs *a);

/* Takes the line as an assignment, if it is one. ERR_LIMIT when there are too many or
 * they take too much memory; ERR_NOMEM. */
int attrs_add(struct attrs *a, struct cursor line, struct error *err);

/* Makes *line the line with all $names replaced, as Go's strings.Replacer does: from left
 * to right, by the first of the names that fits. It is valid until the next call.
 * ERR_LIMIT when it grows too long; ERR_NOMEM. */
int attrs_replace(struct attrs *a, struct cursor *line, struct error *err);

#endif

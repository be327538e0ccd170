/*
 * The strings that a lookup hands out, each made once.
 *
 * They are copies, so that they outlive whatever handle they came from, and
 * they are safe to show: files, symbol tables and perf maps belong to the
 * target, and what they call a function ends up on a terminal and in web pages,
 * so control characters become '?'.
 */
#ifndef SYMBOLIZE_NAMES_H
#define SYMBOLIZE_NAMES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/strset.h"

struct names {
	struct strset raw;
	const char **shown; /* by number in raw; NULL until asked for */
	size_t shown_room;
	struct arena arena;
};

/* ERR_NOMEM. */
int names_init(struct names *n);
void names_release(struct names *n);

/* The string itself; NULL when out of memory. */
const char *names_text(struct names *n, const char *raw);

/* The string itself and demangled. ERR_NOMEM. */
int names_function(struct names *n, const char *raw, const char **system_name, const char **name);

#endif

/*
 * The strings that lookups return, each stored once.
 *
 * They are copies, so that they outlive the handles that they came from. They are safe to show:
 * files, symbol tables and perf maps belong to the target, and their names of functions appear on a
 * terminal and in web pages, so control characters become '?'.
 */
#ifndef SYMBOLIZE_NAMES_H
#define SYMBOLIZE_NAMES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/strset.h"

struct names {
	struct strset raw;
	const char **shown; /* demangled, by number in raw; NULL until needed */
	size_t shown_room;
	struct arena arena;
};

/* ERR_NOMEM. */
int names_init(struct names *n);
void names_release(struct names *n);

/* The string, valid as long as `n`; NULL when out of memory. */
const char *names_text(struct names *n, const char *raw);

/* The string itself and demangled, both valid as long as `n`. ERR_NOMEM. */
int names_function(struct names *n, const char *raw, const char **system_name, const char **name);

#endif

/*
 * A set of strings. Each is stored once and has a number.
 *
 * Numbers count from 0 in the order of addition. Number 0 is always the empty string, as the string
 * table of profile.proto requires.
 */
#ifndef BASE_STRSET_H
#define BASE_STRSET_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashindex.h"

struct strset {
	struct arena arena;
	struct hashindex index;
	struct strset_entry {
		const char *text; /* may contain NULs; another NUL follows it */
		size_t len;
	} *entries;
	uint32_t count;
	size_t room;
};

/* Makes a set of the empty string. 0 or ERR_NOMEM. The set owns all memory until strset_release. */
int strset_init(struct strset *s);
void strset_release(struct strset *s);

/* Makes room for `more` strings at once, but not for their text. 0 or ERR_NOMEM. */
int strset_reserve(struct strset *s, size_t more);

/* Finds a string, or adds a copy of it; its number through *id. 0 or ERR_NOMEM. */
int strset_add(struct strset *s, const char *text, size_t len, uint32_t *id);

/* The same for a C string; NULL counts as "". */
int strset_addz(struct strset *s, const char *text, uint32_t *id);

/* The string with that number, valid until strset_release; "" if there is none. */
const char *strset_get(const struct strset *s, uint32_t id);

#endif

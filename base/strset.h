/*
 * A set of strings, each kept once and known by a number.
 *
 * Numbers count from 0 in the order of first sight, and number 0 is always the
 * empty string: just what the string table of profile.proto wants.
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
		const char *text; /* NUL-terminated; may hold NULs itself */
		size_t len;
	} *entries;
	uint32_t count, room;
};

/* 0 or ERR_NOMEM. Owns all memory until strset_release. */
int strset_init(struct strset *s);
void strset_release(struct strset *s);

/* Makes room for `more` strings at once, beside their text. 0 or ERR_NOMEM. */
int strset_reserve(struct strset *s, size_t more);

/* The number of a string, added when new, through *id. 0 or ERR_NOMEM. */
int strset_add(struct strset *s, const char *text, size_t len, uint32_t *id);

/* The same for a C string; NULL counts as "". */
int strset_addz(struct strset *s, const char *text, uint32_t *id);

/* The string with that number, valid until strset_release; "" if there is none. */
const char *strset_get(const struct strset *s, uint32_t id);

#endif

/*
 * The line and column of each instruction of a code object.
 *
 * CPython has had three forms: co_lnotab (up to 3.9), the co_linetable of 3.10, and the location
 * table of 3.11 and later. All are lists of ranges, each of which continues where the one before
 * ends, in bytes of code and in lines. So a look-up reads from the start; in a long table, from one
 * of the marks that pylinetable_init sets.
 *
 * Sources: Objects/lnotab_notes.txt of 3.9 and of 3.10, Objects/locations.md of 3.11 (later
 * InternalDocs/code_objects.md).
 */
#ifndef RUNTIMES_CPYTHON_LINETABLE_H
#define RUNTIMES_CPYTHON_LINETABLE_H

#include <stddef.h>
#include <stdint.h>

struct arena;

enum pylinetable_form {
	PYLINETABLE_LNOTAB,    /* up to 3.9: signed line deltas */
	PYLINETABLE_PAIRS,     /* 3.10: the same, but -128 is "no line" */
	PYLINETABLE_LOCATIONS, /* 3.11 and later */
};

struct pylinetable_mark {
	uint64_t at;   /* where a range begins, in bytes of code */
	size_t offset; /* of that range in the table */
	int64_t line;  /* the running line before it */
};

struct pylinetable {
	const uint8_t *bytes;
	size_t len;
	uint64_t code_len; /* bytes of code: what lies behind it has no line */
	uint32_t first_line;
	enum pylinetable_form form;
	struct pylinetable_mark *marks; /* in the order of `at` */
	size_t marks_count;
};

/* `bytes`, which are borrowed, have the form of `form`. Marks are taken from the arena.
 * ERR_NOMEM. */
int pylinetable_init(struct pylinetable *t, enum pylinetable_form form, const void *bytes,
		     size_t len, uint64_t code_len, uint32_t first_line, struct arena *arena);

/* The line (0: it has none) and the column (0: not recorded; 1: the first; in bytes of UTF-8) of
 * the instruction at `at`, in bytes. Below 0, nothing was executed yet: the first line. Behind an
 * error in the table nothing has a line. */
void pylinetable_find(const struct pylinetable *t, int64_t at, uint32_t *line, uint32_t *column);

#endif

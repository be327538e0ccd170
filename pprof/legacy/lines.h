/*
 * Reads the lines of a text as Go's bufio.Scanner does: without the newline and a carriage
 * return before it. A line of 64 KiB or more is an error, as in Go. This bounds the work
 * of the scanners.
 */
#ifndef PPROF_LEGACY_LINES_H
#define PPROF_LEGACY_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cursor.h"

struct error;

struct lines {
	struct cursor rest;
	struct cursor line; /* the current one; empty before the first and behind the last */
	size_t number;	    /* of the current line, from 1 */
	bool too_long;	    /* reading stopped at a line that is too long, not at the end */
};

void lines_init(struct lines *l, const void *data, size_t len);

/* Goes to the next line. False at the end, and when a line is too long. */
bool lines_next(struct lines *l);

/* 0, or ERR_FORMAT when a line was too long. */
int lines_error(const struct lines *l, struct error *err);

/* The end of reading with the result `rc`. If that is ERR_FORMAT, its message gets the number of
 * the line; if it is 0, the same as lines_error. */
int lines_result(const struct lines *l, int rc, struct error *err);

#endif

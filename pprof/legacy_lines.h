/*
 * A text's lines, one after the other, as Go's bufio.Scanner gives them: without the
 * newline and a carriage return before it. A line of 64 KiB or more is an error, as
 * there, which bounds what a scanner may have to look at.
 */
#ifndef PPROF_LEGACY_LINES_H
#define PPROF_LEGACY_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cursor.h"

struct error;

struct lines {
	struct cursor rest;
	struct cursor line; /* the present one; empty before the first and behind the last */
	size_t number;	    /* of it, from 1 */
	bool too_long;	    /* why there is none: not the end */
};

void lines_init(struct lines *l, const void *data, size_t len);

/* Goes to the next line. False at the end, and where a line is too long. */
bool lines_next(struct lines *l);

/* 0, or ERR_FORMAT when a line was too long. */
int lines_error(const struct lines *l, struct error *err);

#endif

/*
 * The lines of a piece of the input, the present one always at hand: without its newline and
 * a carriage return before it. Only a struct copied is needed to come back to a place.
 */
#ifndef GOPARSE_DUMPLINES_H
#define GOPARSE_DUMPLINES_H

#include "goparse/goparse.h"

enum dumplines_have {
	LINES_LINE,
	LINES_END,  /* of the input */
	LINES_MORE, /* the piece ends within a line (or before one), the input does not */
};

struct dumplines {
	const char *next, *end; /* behind the present line; of the piece */
	bool more;		/* does the input go on behind the piece? */
	enum dumplines_have have;
	struct goparse_text line; /* the present one, where there is one */
	const char *start;	/* of it */
	uint64_t number;	/* of it in the input, from 1 */
};

/* Goes to the first line of a piece, which is number `number` of the input. */
void dumplines_init(struct dumplines *l, const char *piece, size_t len, bool more, uint64_t number);

/* Goes to the next line. */
void dumplines_next(struct dumplines *l);

#endif

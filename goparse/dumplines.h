/*
 * Iterates over the lines of a piece of the input. The current line is without its newline and
 * without blanks and carriage returns before it. To return to a line later, keep a copy of the
 * struct.
 */
#ifndef GOPARSE_DUMPLINES_H
#define GOPARSE_DUMPLINES_H

#include "goparse/goparse.h"

enum dumplines_have {
	LINES_LINE,
	LINES_END,  /* the input has ended */
	LINES_MORE, /* the piece ends within or before this line, but the input goes on */
};

struct dumplines {
	const char *next, *end; /* behind the current line; end of the piece */
	bool more;		/* the input goes on behind the piece */
	enum dumplines_have have;
	struct goparse_text line; /* the current one; empty unless LINES_LINE */
	const char *start;	  /* of the line */
	uint64_t number;	  /* of the line in the input, from 1 */
};

/* Goes to the first line of a piece. It has the number `number` in the input. */
void dumplines_init(struct dumplines *l, const char *piece, size_t len, bool more, uint64_t number);

/* Goes to the next line. */
void dumplines_next(struct dumplines *l);

#endif

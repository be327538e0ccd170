/*
 * A step of unlog.h: takes lines apart that stand in one line, with something else for their ends:
 * " | ", "⏎", "<br>", %0A, or blanks, as consoles, tables and chats show them. Or it takes off what
 * stands at the end of each line: the "$" of `cat -A`, the border of a table.
 *
 * What stands behind a header and behind the call that follows it is what ends lines, if the place
 * of the call stands behind that. If only blanks do, each line of a dump is recognized by its form,
 * up to one that is none.
 *
 * Rejected: a list of such signs. Commas end no lines: they stand in calls.
 */
#ifndef GOPARSE_LOG_JOINED_H
#define GOPARSE_LOG_JOINED_H

#include "goparse/log/lines/stage.h"

enum { JOINED_END_MAX = 16 };

struct joined {
	struct stage stage;
	char end[JOINED_END_MAX]; /* of a line */
	size_t end_len;		  /* 0: blanks */
	size_t blanks;		  /* behind an end */
	enum { JOINED_OUT, JOINED_IN, JOINED_IN_BLANKS } where;
	bool place; /* of lines between blanks: a place comes next */
	bool used;
};

/* A goparse_reader; `joined` is a struct joined. */
int joined_read(void *joined, void *buf, size_t len, size_t *got, struct error *err);

/* The step takes something off the end of each line: there is a newline in `end`. */
static inline bool joined_is_lines(const struct joined *j)
{
	return j->end_len && j->end[j->end_len - 1] == '\n';
}

#endif

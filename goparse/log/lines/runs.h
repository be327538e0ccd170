/*
 * Compares what stands before two lines of a log: run by run, where a run is a word, blanks, or one
 * other character.
 *
 * Words that have a digit may differ (times, counters), the width of blanks, and a colon from a
 * dash (`grep -A`). But digits in a name tell one source from another: "web-1" and "web-2",
 * "[pod/web-5d8f-x7k2p/app]", "app[1246]:".
 */
#ifndef GOPARSE_LOG_LINES_RUNS_H
#define GOPARSE_LOG_LINES_RUNS_H

#include "goparse/goparse.h"

enum { RUNS_MAX = 256 };

struct runs {
	char text[RUNS_MAX];
	bool named[RUNS_MAX]; /* the byte is of a name */
	size_t len;
};

/* Notes the first RUNS_MAX bytes of a text. */
void runs_set(struct runs *r, struct goparse_text text);

/* Takes what is like the runs off the line. Of an empty line, the blanks at its end may be missing.
 * `exact`: names are equal. False: the line does not begin so, or the runs are empty. */
bool runs_take(const struct runs *r, struct goparse_text *line, bool exact);

/* How many bytes of the runs the line begins with as well, if `fits` is true for what stands behind
 * them. They end in no word. 0: none. */
size_t runs_common(const struct runs *r, struct goparse_text line, bool exact,
		   bool fits(struct goparse_text rest));

/* Takes the blanks at the text's beginning off, and returns how many there were. */
size_t runs_take_blanks(struct goparse_text *t);

#endif

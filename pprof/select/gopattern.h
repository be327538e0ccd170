/* The characters of a pattern that is translated (gosyntax.h), with their escapes. */
#ifndef PPROF_SELECT_GOPATTERN_H
#define PPROF_SELECT_GOPATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct gopattern {
	const char *pos, *end;
	struct error *err; /* for what is invalid */
};

/* Returns ERR_USAGE, with the message `what` and the piece of the pattern between `from` and
 * `to`. */
int gopattern_fail(struct gopattern *p, const char *what, const char *from, const char *to);

/* How many bytes are left. */
size_t gopattern_left(const struct gopattern *p);

/* Is the byte at distance `i` that one? */
bool gopattern_at(const struct gopattern *p, size_t i, char c);

/* Takes the next character; 0 at the end, but callers check that there is one. ERR_USAGE. */
int gopattern_next(struct gopattern *p, uint32_t *rune);

/* Takes an escaped character, which is neither a class nor an assertion (parser.parseEscape).
 * p->pos is at the backslash. ERR_USAGE. */
int gopattern_escape(struct gopattern *p, uint32_t *rune);

#endif

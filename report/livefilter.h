/* Which names a live view shows: those that a pattern of pprof's (pprof/pattern.h) fits, or,
 * where the text is none, those that hold the text. Case counts only if the text has
 * upper-case letters. */
#ifndef REPORT_LIVEFILTER_H
#define REPORT_LIVEFILTER_H

#include <stdbool.h>

struct pattern;

enum { LIVEFILTER_ROOM = 256 };

struct livefilter { /* {0} lets all through */
	char text[LIVEFILTER_ROOM];
	struct pattern *pattern; /* NULL: the text itself */
};

/* Replaces what was there; "" lets all through; what is longer than the room is cut. */
void livefilter_set(struct livefilter *f, const char *text);
void livefilter_release(struct livefilter *f);

/* A name on which the pattern spends more than it may (pprof/pattern.h) does not match. */
bool livefilter_matches(const struct livefilter *f, const char *name);

#endif

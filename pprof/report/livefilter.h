/* Selects the names that a live view shows: those that match a pattern (pprof/select/pattern.h) or,
 * if the text is not a valid pattern, those that contain the text. Upper and lower case are
 * different only if the text has an upper-case letter. */
#ifndef PPROF_REPORT_LIVEFILTER_H
#define PPROF_REPORT_LIVEFILTER_H

#include <stdbool.h>

struct pattern;

enum { LIVEFILTER_ROOM = 256 };

/* {0} matches all names. */
struct livefilter {
	char text[LIVEFILTER_ROOM];
	struct pattern *pattern; /* NULL: names must contain `text` */
};

/* Replaces the filter. "" matches all names. A longer text is cut to LIVEFILTER_ROOM - 1 bytes. */
void livefilter_set(struct livefilter *f, const char *text);
void livefilter_release(struct livefilter *f);

/* True if the name is shown. A name for which the pattern needs more work than allowed
 * (pprof/select/pattern.h) does not match. */
bool livefilter_matches(const struct livefilter *f, const char *name);

#endif

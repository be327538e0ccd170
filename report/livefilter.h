/* Which names a live view shows: a regular expression as in regex(7), or, where the text
 * is none, the text itself. Case counts only if the text has upper-case letters. */
#ifndef REPORT_LIVEFILTER_H
#define REPORT_LIVEFILTER_H

#include <regex.h>
#include <stdbool.h>

enum { LIVEFILTER_ROOM = 256 };

struct livefilter { /* {0} lets all through */
	char text[LIVEFILTER_ROOM];
	bool is_regex;
	regex_t regex;
};

/* Replaces what was there; "" lets all through; what is longer than the room is cut. */
void livefilter_set(struct livefilter *f, const char *text);
void livefilter_release(struct livefilter *f);

/* Long names, which are somebody else's, are looked at up to their 1,000th byte. */
bool livefilter_matches(const struct livefilter *f, const char *name);

#endif

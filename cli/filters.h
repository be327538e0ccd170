/* What of a profile to show: --focus and its like, with pprof's meaning, for every command that
 * shows or writes profiles. */
#ifndef CLI_FILTERS_H
#define CLI_FILTERS_H

#include <getopt.h>
#include <stdbool.h>

struct error;
struct profile;

enum filter_option {
	FILTER_FOCUS,
	FILTER_IGNORE,
	FILTER_HIDE,
	FILTER_SHOW,
	FILTER_SHOW_FROM,
	FILTER_TAG_FOCUS,
	FILTER_TAG_IGNORE,
	FILTER_TAG_SHOW,
	FILTER_TAG_HIDE,
	FILTER_PRUNE_FROM,
	FILTER_TAG_ROOT,
	FILTER_TAG_LEAF,
	FILTER_ALL_FRAMES,
	FILTER_COUNT
};

enum { FILTERS_FIRST = 512 }; /* of what getopt_long returns for them */

struct filters {
	const char *texts[FILTER_COUNT]; /* as given; NULL or "": not wanted */
	char *shown[FILTER_COUNT + 1];	 /* "focus=main", for headings; NULL at the end; owned */
	const char *unit;		 /* of numbers that --tag-root shows; NULL: each its own */
};

/* The options, FILTER_COUNT of them, for getopt_long. */
extern const struct option filters_options[FILTER_COUNT];

/* Takes what getopt_long returned. False: that is none of these. `value` must stay. */
bool filters_set(struct filters *f, int option, const char *value);

/* Before all else: what the profile itself says is not worth showing (drop_frames), unless
 * --all-frames. A profile whose patterns are bad is shown as it is; a line on the standard
 * error says so. Then the frames of --tag-root and --tag-leaf. ERR_NOMEM. */
int filters_prepare(const struct filters *f, struct profile *p, struct error *err);

/* Filters the profile. What has matched nothing is told on the standard error, as by pprof.
 * ERR_USAGE and ERR_LIMIT of patterns, ERR_NOMEM. */
int filters_apply(struct filters *f, struct profile *p, struct error *err);

void filters_release(struct filters *f);

#endif

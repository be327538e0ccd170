/* Chooses what of a profile is shown: --focus and the related options, with pprof's meaning. For
 * commands that show or write profiles. */
#ifndef CLI_PROFILES_FILTERS_H
#define CLI_PROFILES_FILTERS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof/view.h"

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

enum { FILTERS_FIRST = 512 }; /* what getopt_long returns for FILTER_FOCUS; the others follow */

struct filters {
	const char *texts[FILTER_COUNT]; /* as given, borrowed; NULL or "": not set */
	char *shown[FILTER_COUNT + 1];	 /* "focus=main", for headings; NULL at the end; owned */
	const char *unit;		 /* of numbers in --tag-root's frames; NULL: their own */
	uint32_t *label_units;		 /* labels_units() of the whole profile; owned */
};

/* Lists the options for getopt_long. */
void filters_list(struct option options[FILTER_COUNT]);

/* Takes an option. `value` must outlive `f`. 0 or OPTION_OTHER. */
int filters_set(struct filters *f, int option, const char *value);

/* To be called first, once. Fills `label_units`, for which pprof, too, takes all samples
 * (internal/driver/driver.go, generateRawReport). Removes the frames that the profile itself says
 * to drop (drop_frames), unless --all-frames was given. If the profile's patterns are bad, nothing
 * is removed, and a line on the standard error says so. Then adds the frames of --tag-root and
 * --tag-leaf. ERR_NOMEM. */
int filters_prepare(struct filters *f, struct profile *p, struct error *err);

/* Filters the profile and fills `shown`. A filter that matched nothing is reported on the standard
 * error, as by pprof. ERR_USAGE and ERR_LIMIT of patterns, ERR_NOMEM. */
int filters_apply(struct filters *f, struct profile *p, struct error *err);

/* Lists those that were given, as for JSON; texts are borrowed. Returns how many. */
size_t filters_choices(const struct filters *f, struct report_choice list[FILTER_COUNT]);

void filters_release(struct filters *f);

#endif

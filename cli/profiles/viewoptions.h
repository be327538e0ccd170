/*
 * The options of report and diff that choose what a table has: --by, --cum, --sample-type and
 * others.
 *
 * A command puts VIEWOPTIONS into its table of long options, and passes each option to
 * viewoptions_set.
 */
#ifndef CLI_PROFILES_VIEWOPTIONS_H
#define CLI_PROFILES_VIEWOPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "pprof/view.h"

struct error;
struct profile;

/* What getopt_long returns for them: not those of filters.h. */
enum {
	VIEWOPTIONS_BY = 768,
	VIEWOPTIONS_CUM,
	VIEWOPTIONS_NO_INLINE,
	VIEWOPTIONS_NO_NATIVE,
	VIEWOPTIONS_NODECOUNT,
	VIEWOPTIONS_NODEFRACTION,
	VIEWOPTIONS_SAMPLE_TYPE,
	VIEWOPTIONS_UNIT,
};

/* clang-format off */
#define VIEWOPTIONS \
	{ "by", required_argument, NULL, VIEWOPTIONS_BY }, \
	{ "cum", no_argument, NULL, VIEWOPTIONS_CUM }, \
	{ "no-inline", no_argument, NULL, VIEWOPTIONS_NO_INLINE }, \
	{ "no-native", no_argument, NULL, VIEWOPTIONS_NO_NATIVE }, \
	{ "nodecount", required_argument, NULL, VIEWOPTIONS_NODECOUNT }, \
	{ "nodefraction", required_argument, NULL, VIEWOPTIONS_NODEFRACTION }, \
	{ "sample-type", required_argument, NULL, VIEWOPTIONS_SAMPLE_TYPE }, \
	{ "unit", required_argument, NULL, VIEWOPTIONS_UNIT }
/* clang-format on */

struct viewoptions {
	struct report_view view; /* all but `type`, which needs the profile */
	const char *type;	 /* NULL: the profile's default */
	bool counted;		 /* --nodecount was given */
	bool no_inline, no_native;
};

/* The default: what costs less than half a percent is left out, as in pprof's driver/config.go. */
#define VIEWOPTIONS_NODE_FRACTION 0.005

/* Takes an option. `value` must outlive `o`. OPTION_OTHER, ERR_USAGE. */
int viewoptions_set(struct viewoptions *o, int option, const char *value, struct error *err);

/* To be called before filters are applied. ERR_NOTFOUND: the profile, read from `file`, has no
 * interpreted frames, and --no-native would leave nothing. */
int viewoptions_check(const struct viewoptions *o, const char *file, const struct profile *p,
		      struct error *err);

/* Sets view.type, and applies --no-inline and --no-native to the profile. ERR_USAGE: it has no such
 * type; ERR_FORMAT: it has none; ERR_NOMEM. */
int viewoptions_apply(struct viewoptions *o, struct profile *p, struct error *err);

#endif

/*
 * The options of report and diff that choose what a table has: --by, --cum, --sample-type and
 * others.
 *
 * A command puts VIEWOPTIONS into its table of long options, and passes what getopt_long returns to
 * viewoptions_set.
 */
#ifndef SAMPLER_CLI_PROFILES_VIEWOPTIONS_H
#define SAMPLER_CLI_PROFILES_VIEWOPTIONS_H

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
	{ "nodecount", required_argument, NULL, VIEWOPTIONS_NODECOUNT }, \
	{ "nodefraction", required_argument, NULL, VIEWOPTIONS_NODEFRACTION }, \
	{ "sample-type", required_argument, NULL, VIEWOPTIONS_SAMPLE_TYPE }, \
	{ "unit", required_argument, NULL, VIEWOPTIONS_UNIT }
/* clang-format on */

struct viewoptions {
	struct report_view view; /* all but `type`, which needs the profile */
	const char *type;	 /* NULL: the profile's default */
	bool counted, no_inline; /* counted: --nodecount was given */
};

/* The default: what costs less than half a percent is left out, as in pprof's driver/config.go. */
#define VIEWOPTIONS_NODE_FRACTION 0.005

/* Takes an option that getopt_long returned. `value` must outlive `o`. *rc is 0 or ERR_USAGE. False:
 * it is none of these. */
bool viewoptions_set(struct viewoptions *o, int option, const char *value, int *rc,
		     struct error *err);

/* Sets view.type, and applies --no-inline to the profile. ERR_USAGE: it has no such type;
 * ERR_FORMAT: it has none. */
int viewoptions_apply(struct viewoptions *o, struct profile *p, struct error *err);

#endif

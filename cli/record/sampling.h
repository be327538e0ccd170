/* Options that record, top and dump share: what to sample, how long, how often. */
#ifndef CLI_RECORD_SAMPLING_H
#define CLI_RECORD_SAMPLING_H

#include <getopt.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "cli/common/byname.h"
#include "cli/common/cli.h"
#include "sampler/recording.h"

/* For a table of long options. The string of short options needs "p:d:r:". */
#define SAMPLING_OPTIONS \
	{ "pid", required_argument, NULL, 'p' }, { "duration", required_argument, NULL, 'd' }, \
		{ "rate", required_argument, NULL, 'r' }, { "children", no_argument, NULL, 'C' }, \
		{ "no-children", no_argument, NULL, 'N' }, { "wall", no_argument, NULL, 'W' }, \
		{ "goid", no_argument, NULL, 'g' }, { "no-peers", no_argument, NULL, 'E' }, \
		{ "max-pause-share", required_argument, NULL, 'M' }, \
		{ "max-cpu", required_argument, NULL, 'B' }, \
		{ "engine", required_argument, NULL, 'G' }, \
		{ "no-inline", no_argument, NULL, 'I' }, \
	{ \
		"no-native", no_argument, NULL, 'P' \
	}

struct sampling {
	struct recording_options recording; /* its `pids` are those below */
	pid_t pids[PIDS_MAX];
	struct byname names;	    /* those of them that were named; owned */
	unsigned symbolize;	    /* flags of symbolize/symbolizer.h */
	struct buffer command_line; /* NUL-terminated, for the profile's comments; owned */
};

/* Sets the defaults. */
void sampling_init(struct sampling *s);
void sampling_release(struct sampling *s);

/* Takes one of SAMPLING_OPTIONS. 0, ERR_USAGE, or OPTION_OTHER. */
int sampling_option(struct sampling *s, int option, const char *value, struct error *err);

/* A master that was named brings its workers: it is as with --children, unless the user has said
 * --no-children. To be called when all options are read; sampling_target calls it. */
void sampling_bring_workers(struct sampling *s);

/* Checks that there is a PID or a command, not both; the command is what follows the options.
 * Returns CLI_GO_ON or, after printing what is wrong, an exit status. */
int sampling_target(struct sampling *s, int argc, char **argv);

/* Sets the command line: "sampler" and the arguments from `first` to optind, which getopt_long has
 * set: of a COMMAND the name, since its arguments may be secret. Returns as sampling_target. */
int sampling_command_line(struct sampling *s, int first, int argc, char **argv);

/* Opens the recording, of fewer processes if not all can be sampled (pids_fewer). Returns as
 * sampling_target; a COMMAND that is not there or cannot be executed has a shell's statuses. */
int sampling_open(struct sampling *s, struct recording **r);

#endif

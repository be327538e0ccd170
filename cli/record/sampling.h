/* Options that record and top share: what to sample, how long, how often. */
#ifndef CLI_RECORD_SAMPLING_H
#define CLI_RECORD_SAMPLING_H

#include <getopt.h>
#include <stdbool.h>
#include <sys/types.h>

struct buffer;
struct error;
struct recording_options;

/* For a table of long options. The string of short options needs "p:d:r:". */
#define SAMPLING_OPTIONS \
	{ "pid", required_argument, NULL, 'p' }, { "duration", required_argument, NULL, 'd' }, \
		{ "rate", required_argument, NULL, 'r' }, { "children", no_argument, NULL, 'C' }, \
		{ "no-children", no_argument, NULL, 'N' }, { "wall", no_argument, NULL, 'W' }, \
		{ "goid", no_argument, NULL, 'g' }, \
		{ "max-pause-share", required_argument, NULL, 'M' }, \
		{ "max-cpu", required_argument, NULL, 'B' }, \
		{ "engine", required_argument, NULL, 'G' }, \
		{ "no-inline", no_argument, NULL, 'I' }, \
	{ \
		"no-native", no_argument, NULL, 'P' \
	}

/* The defaults; `pids` has room for PIDS_MAX and outlives `r`. */
void sampling_defaults(struct recording_options *r, pid_t *pids);

/* Takes one of SAMPLING_OPTIONS, its value from optarg; *symbolize gets flags of
 * symbolize/symbolizer.h. False: it is none of these. *rc is 0 or ERR_USAGE. */
bool sampling_option(int option, struct recording_options *r, pid_t *pids, unsigned *symbolize,
		     int *rc, struct error *err);

/* Checks that there is a PID or a command, not both; the command is what follows the options.
 * Returns CLI_GO_ON or, after printing what is wrong, an exit status. */
int sampling_target(struct recording_options *r, int argc, char **argv);

/* As cli_fail, for an error of recording_new; a COMMAND that is not there or cannot be executed has
 * a shell's statuses. */
int sampling_fail(const struct recording_options *r, const struct error *err);

/* "sampler" and the arguments from `first` to optind, which getopt_long has set: of a COMMAND the
 * name, since its arguments may be secret. NUL-terminated, for the profile's comments. 0 or
 * ERR_NOMEM. */
int sampling_command_line(struct buffer *line, int first, int argc, char **argv);

#endif

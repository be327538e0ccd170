/* The options of `sampler top`. */
#ifndef CLI_TOP_OPTIONS_H
#define CLI_TOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "pprof/report/live.h"
#include "cli/common/cli.h"
#include "sampler/recording.h"

struct topoptions {
	struct recording_options recording;
	pid_t pids[PIDS_MAX];
	const char *output; /* NULL: none */
	unsigned symbolize;
	uint64_t interval_ns, count, lines; /* count 0: no end */
	enum live_order order;
	bool threads;
	struct buffer command_line; /* NUL-terminated, for the comments; owned by the caller */
};

/* Returns CLI_GO_ON or an exit status. */
int topoptions_parse(struct topoptions *o, int argc, char **argv);

#endif

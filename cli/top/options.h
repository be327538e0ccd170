/* The options of `sampler top`. */
#ifndef CLI_TOP_OPTIONS_H
#define CLI_TOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/record/sampling.h"
#include "pprof/report/live.h"

struct topoptions {
	struct sampling sampling;
	const char *output;		    /* NULL: none */
	uint64_t interval_ns, count, lines; /* count 0: no end */
	enum live_order order;
	bool threads;
	bool everyone; /* no process was given: all are shown, and one may be chosen */
};

/* Returns CLI_GO_ON or an exit status. The caller releases o->sampling.command_line. */
int topoptions_parse(struct topoptions *o, int argc, char **argv);

#endif

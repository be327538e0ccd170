/* getopt_long gives the options. Those of all commands that sample are taken by sampling_option,
 * the rest here; --output gets a writer by the file's name. */
#include "cli/top/options.h"

#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "cli/common/formats.h"
#include "cli/record/sampling.h"

enum { DEFAULT_LINES = 20 };

static const uint64_t DEFAULT_INTERVAL_NS = 2000000000, INTERVAL_MIN_NS = 100000000;

static const struct option long_options[] = {
	SAMPLING_OPTIONS,
	{ "output", required_argument, NULL, 'o' },
	{ "count", required_argument, NULL, 'n' },
	{ "interval", required_argument, NULL, 'i' },
	{ "nodecount", required_argument, NULL, 'c' },
	{ "sort", required_argument, NULL, 's' },
	{ "threads", no_argument, NULL, 't' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_order(const char *text, enum live_order *order, struct error *err)
{
	static const char *const names[LIVE_ORDERS] = { "recent", "recent-cum", "flat", "cum",
							"name" };

	for (int i = 0; i < LIVE_ORDERS; i++)
		if (!strcmp(text, names[i])) {
			*order = (enum live_order)i;
			return 0;
		}
	return error_set(err, ERR_USAGE,
			 "'%s' is no order; expected recent, recent-cum, flat, cum "
			 "or name",
			 text);
}

static int top_options_take_option(struct topoptions *o, int option, struct error *err)
{
	int rc = 0;

	if (sampling_option(option, &o->recording, o->pids, &o->symbolize, &rc, err))
		return rc;
	switch (option) {
	case 'i':
		rc = parse_duration(optarg, &o->interval_ns, err);
		if (!rc && o->interval_ns < INTERVAL_MIN_NS)
			rc = error_set(err, ERR_USAGE,
				       "an interval of '%s' is too short; expected "
				       "100ms or more",
				       optarg);
		break;
	case 'n':
		return parse_number(optarg, "number of intervals", 1, UINT32_MAX, &o->count, err);
	case 'c':
		return parse_number(optarg, "number of lines", 0, UINT32_MAX, &o->lines, err);
	case 's':
		return parse_order(optarg, &o->order, err);
	case 'o':
		o->output = optarg;
		break;
	case 't':
		o->threads = true;
		break;
	}
	return rc;
}

static int write_by_name(const void *ctx, const struct profile *p, struct outfile *file,
			 struct error *err)
{
	(void)ctx;
	return format_write(format_by_path(file->path), p, file, err);
}

int topoptions_parse(struct topoptions *o, int argc, char **argv)
{
	struct error err;
	int option, status;

	*o = (struct topoptions){ .interval_ns = DEFAULT_INTERVAL_NS, .lines = DEFAULT_LINES };
	sampling_defaults(&o->recording, o->pids);
	o->recording.write = write_by_name;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:p:d:r:o:n:h", long_options, NULL)) != -1) {
		if (cli_is_bad(option))
			return cli_bad_option(argv, option);
		if (option == 'h')
			return cli_help_on("top");
		if (top_options_take_option(o, option, &err) ||
		    (option == 'p' &&
		     parse_more_pids(argv, &optind, o->pids, &o->recording.pid_count, &err)))
			return cli_fail(&err);
	}
	if (sampling_command_line(&o->command_line, 0, argc, argv)) {
		error_nomem(&err);
		return cli_fail(&err);
	}
	status = sampling_target(&o->recording, argc, argv);
	if (status == CLI_GO_ON && o->output && !strcmp(o->output, "-"))
		return cli_usage("the standard output is what is shown: -o needs a file");
	if (status == CLI_GO_ON && o->output)
		format_hint(o->output, "pprof");
	return status;
}

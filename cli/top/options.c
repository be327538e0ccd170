/* getopt_long gives the options. Those of all commands that sample are taken by sampling_option,
 * the rest here; --output gets a writer by the file's name. */
#include "cli/top/options.h"

#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "cli/common/formats.h"

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
	static const char *const names[LIVE_ORDERS + 1] = { "recent", "recent-cum", "flat", "cum",
							    "name" };
	unsigned number;
	int rc = parse_choice(text, "order", names, &number, err);

	if (!rc)
		*order = (enum live_order)number;
	return rc;
}

static int parse_interval(const char *text, uint64_t *ns, struct error *err)
{
	int rc = parse_duration(text, ns, err);

	if (!rc && *ns < INTERVAL_MIN_NS)
		rc = error_set(err, ERR_USAGE,
			       "an interval of '%s' is too short; expected 100ms or more", text);
	return rc;
}

static int top_take_option(void *options, int option, char *value, struct error *err)
{
	struct topoptions *o = options;

	switch (option) {
	case 'i':
		return parse_interval(value, &o->interval_ns, err);
	case 'n':
		return parse_number(value, "number of intervals", 1, UINT32_MAX, &o->count, err);
	case 'c':
		return parse_number(value, "number of lines", 0, UINT32_MAX, &o->lines, err);
	case 's':
		return parse_order(value, &o->order, err);
	case 'o':
		o->output = value;
		return 0;
	case 't':
		o->threads = true;
		return 0;
	default:
		return sampling_option(&o->sampling, option, value, err);
	}
}

static int write_by_name(const void *ctx, const struct profile *p, struct outfile *file,
			 struct error *err)
{
	(void)ctx;
	return format_write(format_by_path(file->path), p, file, err);
}

int topoptions_parse(struct topoptions *o, int argc, char **argv)
{
	static const struct cli_grammar grammar = { "top", "+:p:d:r:o:n:h", long_options,
						    top_take_option };
	int status;

	*o = (struct topoptions){ .interval_ns = DEFAULT_INTERVAL_NS, .lines = DEFAULT_LINES };
	sampling_init(&o->sampling);
	o->sampling.recording.write = write_by_name;
	status = cli_parse(&grammar, argc, argv, o);
	if (status == CLI_GO_ON)
		status = sampling_command_line(&o->sampling, 0, argc, argv);
	o->everyone = !o->sampling.recording.pid_count && optind == argc;
	if (status == CLI_GO_ON && !o->everyone)
		status = sampling_target(&o->sampling, argc, argv);
	if (status != CLI_GO_ON || !o->output)
		return status;
	if (!strcmp(o->output, "-"))
		return cli_usage("the standard output is what is shown: -o needs a file");
	format_hint(o->output, "pprof");
	return CLI_GO_ON;
}

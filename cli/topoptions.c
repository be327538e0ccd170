#include "cli/topoptions.h"

#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "base/outfile.h"
#include "cli/formats.h"
#include "symbolize/symbolizer.h"

enum { DEFAULT_RATE = 99, RATE_MAX = 10000, DEFAULT_LINES = 20 };

static const double DEFAULT_PAUSE_SHARE = 0.01;
static const uint64_t DEFAULT_INTERVAL_NS = 2000000000, INTERVAL_MIN_NS = 100000000;

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "duration", required_argument, NULL, 'd' },
	{ "rate", required_argument, NULL, 'r' },
	{ "output", required_argument, NULL, 'o' },
	{ "count", required_argument, NULL, 'n' },
	{ "interval", required_argument, NULL, 'i' },
	{ "nodecount", required_argument, NULL, 'c' },
	{ "sort", required_argument, NULL, 's' },
	{ "threads", no_argument, NULL, 't' },
	{ "children", no_argument, NULL, 'C' },
	{ "wall", no_argument, NULL, 'W' },
	{ "no-inline", no_argument, NULL, 'I' },
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
	return error_set(err, ERR_USAGE, "'%s' is no order; expected recent, recent-cum, flat, cum "
			 "or name", text);
}

static int take_option(struct topoptions *o, int option, struct error *err)
{
	uint64_t n = 0;
	int rc = 0;

	switch (option) {
	case 'p':
		return parse_pids(optarg, o->pids, &o->recording.pid_count, err);
	case 'd':
		rc = parse_duration(optarg, &o->recording.duration_ns, err);
		if (!rc && !o->recording.duration_ns)
			rc = error_set(err, ERR_USAGE, "a duration of '%s' is too short", optarg);
		break;
	case 'i':
		rc = parse_duration(optarg, &o->interval_ns, err);
		if (!rc && o->interval_ns < INTERVAL_MIN_NS)
			rc = error_set(err, ERR_USAGE, "an interval of '%s' is too short; expected "
				       "100ms or more", optarg);
		break;
	case 'r':
		rc = parse_number(optarg, "rate in Hz", 1, RATE_MAX, &n, err);
		o->recording.rate = (unsigned)n;
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
	case 'C':
		o->recording.children = true;
		break;
	case 'W':
		o->recording.wall = true;
		break;
	case 'I':
		o->symbolize |= SYMBOLIZE_NO_INLINE;
		break;
	}
	return rc;
}

static int check_target(struct topoptions *o, int argc, char **argv)
{
	bool dashes = optind > 0 && !strcmp(argv[optind - 1], "--");

	if (optind < argc && !dashes)
		return cli_usage("unexpected argument '%s' (a command stands behind --)",
				 argv[optind]);
	if (optind < argc)
		o->recording.command = argv + optind;
	if (o->recording.pid_count && o->recording.command)
		return cli_usage("either -p PID or -- COMMAND, not both");
	if (!o->recording.pid_count && !o->recording.command)
		return cli_usage("whom to look at? -p PID or -- COMMAND");
	if (o->output && !strcmp(o->output, "-"))
		return cli_usage("the standard output is what is shown: -o wants a file");
	return 0;
}

static int keep_command_line(struct topoptions *o, int argc, char **argv)
{
	if (buffer_add(&o->command_line, "sampler", 7))
		return ERR_NOMEM;
	for (int i = 0; i < argc; i++)
		if (buffer_addf(&o->command_line, " %s", argv[i]))
			return ERR_NOMEM;
	return buffer_add(&o->command_line, "", 1);
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
	int option;

	*o = (struct topoptions){ .interval_ns = DEFAULT_INTERVAL_NS, .lines = DEFAULT_LINES };
	o->recording.rate = DEFAULT_RATE;
	o->recording.pause_share = DEFAULT_PAUSE_SHARE;
	o->recording.pids = o->pids;
	o->recording.write = write_by_name;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+p:d:r:o:n:h", long_options, NULL)) != -1) {
		if (option == '?')
			return cli_bad_option(argv, optind, optopt);
		if (option == 'h') {
			cli_help(2, (char *[]){ (char *)"help", (char *)"top" });
			return -1;
		}
		if (take_option(o, option, &err))
			return cli_fail(&err);
	}
	if (keep_command_line(o, argc, argv)) {
		error_set(&err, ERR_NOMEM, "out of memory");
		return cli_fail(&err);
	}
	return check_target(o, argc, argv);
}

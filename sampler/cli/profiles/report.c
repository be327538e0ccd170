/*
 * sampler report FILE: shows a profile as text or as a page.
 *
 * The table `modes` has a line for each thing that report can show. The steps are the same for all:
 * read, check, filter, write into memory, and only then to the output, so that a failure leaves
 * nothing behind.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/aggregate.h"
#include "pprof/flame/folded.h"
#include "pprof/flame/speedscope.h"
#include "pprof/graph/graph.h"
#include "pprof/profile.h"
#include "pprof/report/locks.h"
#include "pprof/report/raw.h"
#include "pprof/report/tags.h"
#include "pprof/report/top.h"
#include "pprof/report/traces.h"
#include "pprof/report/tree.h"
#include "pprof/select/pattern.h"
#include "pprof/view.h"
#include "sampler/cli/common/cli.h"
#include "sampler/cli/common/formats.h"
#include "sampler/cli/common/readprofile.h"
#include "sampler/cli/common/terminal.h"
#include "sampler/cli/common/types.h"
#include "sampler/cli/profiles/filters.h"

/* The argument of a mode's option. */
enum mode_takes { TAKES_NOTHING, TAKES_PATTERN, TAKES_OUTPUT };

struct mode {
	const char *name;
	enum mode_takes takes;
	report_writer *write;
	size_t nodecount; /* default of --nodecount, as in pprof; 0: all */
	bool untrimmed;	  /* also shows what costs little */
};

/* The first is the default. */
static const struct mode modes[] = {
	{ "top", TAKES_NOTHING, report_top, 0, false },
	{ "tree", TAKES_NOTHING, report_tree, 80, false },
	{ "peek", TAKES_PATTERN, report_tree, 0, true },
	{ "traces", TAKES_NOTHING, report_traces, 0, true },
	{ "raw", TAKES_NOTHING, report_raw, 0, true },
	{ "tags", TAKES_NOTHING, report_tags, 0, true },
	{ "locks", TAKES_NOTHING, report_locks, 0, true },
	{ "folded", TAKES_NOTHING, report_folded, 0, true },
	{ "flamegraph", TAKES_OUTPUT, NULL, 0, true }, /* writer: by the output's ending */
	{ "speedscope", TAKES_OUTPUT, report_speedscope, 0, true },
};

/* Indexed by enum report_by. */
static const char *const granularities[] = { "function", "line",   "file",
					     "address",	 "module", "thread" };

/* As in pprof's driver/config.go. */
#define NODE_FRACTION 0.005
#define EDGE_FRACTION 0.001

enum { MODES = sizeof(modes) / sizeof(*modes), OPTION_FIRST = 256 };

static const struct option other_options[] = {
	{ "by", required_argument, NULL, 'b' },
	{ "cum", no_argument, NULL, 'c' },
	{ "edgefraction", required_argument, NULL, 'e' },
	{ "help", no_argument, NULL, 'h' },
	{ "no-inline", no_argument, NULL, 'i' },
	{ "nodefraction", required_argument, NULL, 'f' },
	{ "unit", required_argument, NULL, 'u' },
	{ "nodecount", required_argument, NULL, 'n' },
	{ "output", required_argument, NULL, 'o' },
	{ "relative-percentages", no_argument, NULL, 'r' },
	{ "sample-type", required_argument, NULL, 's' },
	READPROFILE_OPTION,
	{ NULL, 0, NULL, 0 },
};

enum { OPTIONS = MODES + FILTER_COUNT + sizeof(other_options) / sizeof(struct option) };

struct report_options {
	const char *file, *output;
	const char *type;  /* NULL: the profile's default */
	uint64_t max_size; /* of the file, 0: the default */
	const struct mode *mode;
	bool counted, no_inline; /* counted: --nodecount was given */
	bool relative;		 /* shares are of the total after filtering */
	struct filters filters;
	struct report_view view;
};

static int write_out(const char *path, const struct buffer *text, struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	int rc = outfile_open(&file, path, err);

	if (!rc)
		rc = outfile_write(&file, text->data, text->len, err);
	if (!rc)
		rc = outfile_commit(&file, err);
	outfile_abort(&file);
	return rc;
}

static int filter(struct report_options *o, struct profile *p, struct error *err)
{
	int rc;

	o->filters.unit = o->view.unit;
	rc = filters_prepare(&o->filters, p, err);
	if (rc)
		return rc;
	/* Shares of the total before filtering can be compared between filters. */
	if (!o->relative)
		o->view.total = graph_total(p, o->view.type);
	rc = filters_apply(&o->filters, p, err);
	o->view.filters = (const char *const *)o->filters.shown;
	return rc;
}

static int show(struct report_options *o, struct profile *p, struct error *err)
{
	report_writer *write = o->mode->write ? o->mode->write : format_flamegraph(o->output);
	struct buffer text = { 0 };
	int rc = sample_type_find(p, o->type, &o->view.type, err);

	if (!rc)
		rc = filter(o, p, err);
	if (!rc && o->no_inline)
		profile_aggregate(p, KEEP_ALL & ~(unsigned)(KEEP_INLINES | KEEP_COLUMNS));
	if (!rc && write(p, &o->view, &text, err))
		rc = error_prefix(err, "'%s'", o->file);
	if (!rc)
		rc = write_out(o->output, &text, err);
	buffer_release(&text);
	return rc;
}

static int report(struct report_options *o, struct error *err)
{
	struct profile profile;
	int rc = readprofile(&profile, o->file, o->max_size, err);

	if (rc)
		return rc;
	rc = show(o, &profile, err);
	profile_release(&profile);
	return rc;
}

static int set_mode(struct report_options *o, const struct mode *mode, struct error *err)
{
	if (o->mode && o->mode != mode)
		return error_set(err, ERR_USAGE, "'--%s' and '--%s' exclude each other",
				 o->mode->name, mode->name);
	o->mode = mode;
	if (mode->takes == TAKES_OUTPUT)
		o->output = optarg;
	if (mode->takes != TAKES_PATTERN)
		return 0;
	pattern_free(o->view.pattern);
	o->view.pattern = NULL;
	return pattern_new(&o->view.pattern, optarg, strlen(optarg), err);
}

static int set_granularity(struct report_options *o, struct error *err)
{
	for (size_t i = 0; i < sizeof(granularities) / sizeof(*granularities); i++)
		if (!strcmp(granularities[i], optarg)) {
			o->view.by = (enum report_by)i;
			return 0;
		}
	return error_set(err, ERR_USAGE,
			 "'%s' is no granularity; expected function, line, file, "
			 "address, module or thread",
			 optarg);
}

static int set_option(struct report_options *o, int option, struct error *err)
{
	uint64_t number = 0;
	int rc;

	switch (option) {
	case 'b':
		return set_granularity(o, err);
	case 'c':
		o->view.cum = true;
		return 0;
	case 'e':
		return parse_fraction(optarg, "share", &o->view.edge_fraction, err);
	case 'f':
		return parse_fraction(optarg, "share", &o->view.node_fraction, err);
	case 'i':
		o->no_inline = true;
		return 0;
	case 'n':
		rc = parse_number(optarg, "number of lines", 0, UINT32_MAX, &number, err);
		o->view.nodecount = number;
		o->counted = true;
		return rc;
	case 'o':
		o->output = optarg;
		return 0;
	case 'r':
		o->relative = true;
		return 0;
	case 's':
		o->type = optarg;
		return 0;
	case 'u':
		o->view.unit = optarg;
		return 0;
	case READPROFILE_MAX_SIZE:
		return parse_size(optarg, &o->max_size, err);
	default:
		if (filters_set(&o->filters, option, optarg))
			return 0;
		return set_mode(o, &modes[option - OPTION_FIRST], err);
	}
}

/* The modes' options, the filters', then the others. */
static void list_options(struct option list[OPTIONS])
{
	for (int i = 0; i < MODES; i++)
		list[i] = (struct option){ modes[i].name,
					   modes[i].takes == TAKES_NOTHING ? no_argument :
									     required_argument,
					   NULL, OPTION_FIRST + i };
	memcpy(list + MODES, filters_options, sizeof(filters_options));
	memcpy(list + MODES + FILTER_COUNT, other_options, sizeof(other_options));
}

/* Sets what depends on the mode and on where the text goes. */
static void finish_view(struct report_options *o)
{
	o->mode = o->mode ? o->mode : &modes[0];
	if (o->mode->untrimmed) {
		o->view.nodecount = 0;
		o->view.node_fraction = o->view.edge_fraction = 0;
	} else if (!o->counted) {
		o->view.nodecount = o->mode->nodecount;
	}
	if (!strcmp(o->output, "-")) {
		o->view.width = terminal_width();
		o->view.colour = terminal_colour();
	}
}

/* Returns CLI_GO_ON or an exit status. */
static int read_options(struct report_options *o, int argc, char **argv)
{
	struct option list[OPTIONS];
	struct error err;
	int option;

	opterr = 0;
	list_options(list);
	while ((option = getopt_long(argc, argv, "ho:", list, NULL)) != -1) {
		if (option == '?')
			return cli_bad_option(argv, optind, optopt);
		if (option == 'h')
			return cli_help_on("report");
		if (set_option(o, option, &err))
			return cli_fail(&err);
	}
	if (optind != argc - 1)
		return cli_usage(optind == argc ? "report needs a file" : "report takes one file");
	o->file = argv[optind];
	return CLI_GO_ON;
}

int cli_report(int argc, char **argv)
{
	struct report_options o = { .output = "-",
				    .view.node_fraction = NODE_FRACTION,
				    .view.edge_fraction = EDGE_FRACTION };
	int status = read_options(&o, argc, argv);
	struct error err;

	if (status == CLI_GO_ON) {
		finish_view(&o);
		status = report(&o, &err) ? cli_fail(&err) : EXIT_DONE;
	}
	filters_release(&o.filters);
	pattern_free(o.view.pattern);
	return status;
}

/*
 * sampler report FILE: shows a profile as text or as a page.
 *
 * The table `modes` has a line for each thing that report can show. Without one of its options, -f
 * or the output's ending chooses a format, as in the other commands. The steps are the same for
 * all: read, check, filter, write into memory, and only then to the output, so that a failure
 * leaves nothing behind.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/flame/reports.h"
#include "pprof/graph/graph.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/reports.h"
#include "pprof/select/interpreted.h"
#include "pprof/select/pattern.h"
#include "pprof/view.h"
#include "cli/common/cli.h"
#include "cli/common/formats.h"
#include "cli/common/readprofile.h"
#include "cli/common/terminal.h"
#include "cli/common/types.h"
#include "cli/profiles/filters.h"
#include "cli/profiles/viewoptions.h"
#include "cli/rounds/folder.h"

/* The argument of a mode's option. */
enum mode_takes { TAKES_NOTHING, TAKES_PATTERN, TAKES_OUTPUT };

struct mode {
	const char *name;
	enum mode_takes takes;
	report_writer *write, *json; /* json NULL: it has none */
	size_t nodecount;	     /* default of --nodecount, as in pprof; 0: all */
	bool untrimmed;		     /* also shows what costs little */
};

/* The first is the default. */
static const struct mode modes[] = {
	{ "top", TAKES_NOTHING, report_top, report_top_json, 0, false },
	{ "tree", TAKES_NOTHING, report_tree, report_tree_json, 80, false },
	{ "calls", TAKES_NOTHING, report_calls, NULL, 0, false },
	{ "peek", TAKES_PATTERN, report_tree, report_tree_json, 0, true },
	{ "traces", TAKES_NOTHING, report_traces, NULL, 0, true },
	{ "raw", TAKES_NOTHING, report_raw, NULL, 0, true },
	{ "tags", TAKES_NOTHING, report_tags, NULL, 0, true },
	{ "locks", TAKES_NOTHING, report_locks, report_locks_json, 0, true },
	{ "waits", TAKES_NOTHING, report_waits, report_waits_json, 0, true },
	{ "folded", TAKES_NOTHING, report_folded, NULL, 0, true },
	{ "flamegraph", TAKES_OUTPUT, NULL, NULL, 0, true }, /* writer: by the output's ending */
	{ "speedscope", TAKES_OUTPUT, report_speedscope, NULL, 0, true },
};

/* What a format shows. */
static const struct mode formatted = { .untrimmed = true };

/* As in pprof's driver/config.go. */
#define EDGE_FRACTION 0.001

enum { MODES = sizeof(modes) / sizeof(*modes), OPTION_FIRST = 256 };

static const struct option other_options[] = {
	VIEWOPTIONS,
	FORMAT_OPTIONS,
	{ "edgefraction", required_argument, NULL, 'e' },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'J' },
	{ "relative-percentages", no_argument, NULL, 'r' },
	{ "verbose", no_argument, NULL, 'v' },
	READPROFILE_OPTION,
	FOLDER_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

enum { OPTIONS = MODES + FILTER_COUNT + sizeof(other_options) / sizeof(struct option) };

struct report_options {
	const char *file;
	struct format_target out; /* format NULL: the mode's text */
	uint64_t max_size;	  /* of the file, 0: the default */
	const struct mode *mode;
	const char *peek; /* the pattern; NULL: none */
	bool json;
	bool relative;	/* shares are of the total after filtering */
	bool mode_open; /* neither a mode nor a format was asked for */
	struct filters filters;
	struct folder_options folder;
	struct viewoptions shown;
};

/* Writes the mode's text as JSON. */
static int report_write_json(const struct report_options *o, const struct profile *p,
			     struct buffer *text, struct error *err)
{
	struct report_choice choices[FILTER_COUNT + 3] = { 0 }; /* and an end */
	const struct report_selection selection = { o->file, o->shown.no_inline, o->shown.no_native,
						    choices };
	struct report_view view = o->shown.view;
	size_t count = filters_choices(&o->filters, choices);

	if (o->peek)
		choices[count++] = (struct report_choice){ "peek", o->peek };
	if (o->relative)
		choices[count++] = (struct report_choice){ "relative-percentages", "yes" };
	view.selection = &selection;
	return o->mode->json(p, &view, text, err);
}

static int report_write_text(const struct report_options *o, const struct profile *p,
			     struct outfile *file, struct error *err)
{
	report_writer *write = o->mode->write ? o->mode->write : format_flamegraph(o->out.path);
	struct buffer text = { 0 };
	int rc = o->json ? report_write_json(o, p, &text, err) :
			   write(p, &o->shown.view, &text, err);

	if (!rc)
		rc = outfile_write(file, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

static int report_write_out(const struct report_options *o, struct profile *p, struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	int rc = outfile_open(&file, o->out.path, err);

	if (rc)
		return rc;
	/* What the filters left out is no part of the file. */
	rc = o->out.format ? profile_compact(p, err) : 0;
	if (!rc)
		rc = o->out.format ?
			     format_write_view(o->out.format, p, &o->shown.view, &file, err) :
			     report_write_text(o, p, &file, err);
	if (rc)
		error_prefix(err, "'%s'", o->file);
	else
		rc = format_commit(&file, &o->out, err);
	outfile_abort(&file);
	return rc;
}

static int report_filter(struct report_options *o, struct profile *p, struct error *err)
{
	int rc;

	o->filters.unit = o->shown.view.unit;
	rc = filters_prepare(&o->filters, p, err);
	if (rc)
		return rc;
	/* Shares of the total before filtering can be compared between filters. */
	if (!o->relative) {
		o->shown.view.total = graph_total(p, o->shown.view.type);
		o->shown.view.samples = heading_samples(p);
	}
	rc = filters_apply(&o->filters, p, err);
	o->shown.view.filters = (const char *const *)o->filters.shown;
	o->shown.view.label_units = o->filters.label_units;
	return rc;
}

/* Which function of the interpreter itself was running is no answer to where a program of Python
 * spends its time. */
static void choose_functions(struct report_options *o, const struct profile *p)
{
	if (!o->mode_open || o->shown.no_native || o->shown.view.by > REPORT_BY_FILE ||
	    !interpreted_most(p, o->shown.view.type))
		return;
	o->shown.no_native = true;
	o->shown.view.note = ", native code in its callers (--top: apart)";
}

static int report_show(struct report_options *o, struct profile *p, struct error *err)
{
	int rc = sample_type_find(p, o->shown.type, &o->shown.view.type, err);

	if (!rc)
		rc = viewoptions_check(&o->shown, o->file, p, err);
	if (!rc)
		rc = report_filter(o, p, err);
	if (!rc)
		choose_functions(o, p);
	if (!rc)
		rc = viewoptions_apply(&o->shown, p, err);
	return rc ? rc : report_write_out(o, p, err);
}

static int report_report(struct report_options *o, struct error *err)
{
	struct profile profile;
	int rc = folder_read(&profile, o->file, &o->folder, 0, o->max_size, err);

	if (rc)
		return rc;
	rc = report_show(o, &profile, err);
	profile_release(&profile);
	return rc;
}

static int set_mode(struct report_options *o, const struct mode *mode, const char *value,
		    struct error *err)
{
	if (o->mode && o->mode != mode)
		return error_set(err, ERR_USAGE, "'--%s' and '--%s' exclude each other",
				 o->mode->name, mode->name);
	o->mode = mode;
	if (mode->takes == TAKES_OUTPUT)
		o->out.path = value;
	if (mode->takes != TAKES_PATTERN)
		return 0;
	pattern_free(o->shown.view.pattern);
	o->shown.view.pattern = NULL;
	o->peek = value;
	return pattern_new(&o->shown.view.pattern, value, strlen(value), err);
}

static int report_take_option(void *options, int option, char *value, struct error *err)
{
	struct report_options *o = options;
	int rc;

	switch (option) {
	case 'e':
		return parse_fraction(value, &o->shown.view.edge_fraction, err);
	case 'J':
		o->json = true;
		return 0;
	case 'r':
		o->relative = true;
		return 0;
	case 'v':
		o->shown.view.verbose = true;
		return 0;
	case READPROFILE_MAX_SIZE:
		return parse_size(value, &o->max_size, err);
	}
	rc = format_option(&o->out, option, value, err);
	if (rc == OPTION_OTHER)
		rc = folder_option(&o->folder, option, value, err);
	if (rc == OPTION_OTHER)
		rc = viewoptions_set(&o->shown, option, value, err);
	if (rc == OPTION_OTHER)
		rc = filters_set(&o->filters, option, value);
	return rc == OPTION_OTHER ? set_mode(o, &modes[option - OPTION_FIRST], value, err) : rc;
}

/* The modes' options, the filters', then the others. */
static void list_options(struct option list[OPTIONS])
{
	for (int i = 0; i < MODES; i++)
		list[i] = (struct option){ modes[i].name,
					   modes[i].takes == TAKES_NOTHING ? no_argument :
									     required_argument,
					   NULL, OPTION_FIRST + i };
	filters_list(list + MODES);
	memcpy(list + MODES + FILTER_COUNT, other_options, sizeof(other_options));
}

/* The ending of JSON is also that of speedscope's files, which --json overrides. */
static int report_choose_json(struct report_options *o, const struct format *ending,
			      struct error *err)
{
	o->mode_open = !o->mode;
	o->mode = o->mode ? o->mode : &modes[0];
	if (o->out.format)
		return error_set(err, ERR_USAGE, "'--json' and '--format' exclude each other");
	if (!o->mode->json)
		return error_set(
			err, ERR_USAGE,
			"'--json' is about --top, --tree, --peek, --locks and --waits, not '--%s'",
			o->mode->name);
	if (ending && strcmp(format_name(ending), "speedscope") != 0)
		return error_set(err, ERR_USAGE, "'--json' is JSON, but '%s' is named as %s",
				 o->out.path, format_name(ending));
	return 0;
}

/* Chooses by a mode's option, by -f, or by the output's ending. The text of a mode may be in a file
 * of any name but that of another format. */
static int report_choose_form(struct report_options *o, struct error *err)
{
	const struct format *ending = format_by_ending(o->out.path);

	if (o->json)
		return report_choose_json(o, ending, err);
	if (o->mode && o->out.format)
		return error_set(err, ERR_USAGE, "'--%s' and '--format' exclude each other",
				 o->mode->name);
	if (o->mode && o->mode->takes != TAKES_OUTPUT && ending && !format_is_text(ending) &&
	    strcmp(format_name(ending), o->mode->name))
		return error_set(err, ERR_USAGE, "'--%s' is text, but '%s' is named as %s",
				 o->mode->name, o->out.path, format_name(ending));
	if (!o->mode && !o->out.format) {
		o->out.format = ending;
		if (!o->out.quiet)
			format_hint(o->out.path, "text");
	}
	if (o->out.format && format_is_text(o->out.format))
		o->out.format = NULL;
	o->mode_open = !o->mode && !o->out.format;
	if (!o->mode)
		o->mode = o->out.format ? &formatted : &modes[0];
	return 0;
}

/* Sets what depends on the mode and on where the text goes. */
static void finish_view(struct report_options *o)
{
	if (o->mode->untrimmed) {
		o->shown.view.nodecount = 0;
		o->shown.view.node_fraction = o->shown.view.edge_fraction = 0;
	} else if (!o->shown.counted) {
		o->shown.view.nodecount = o->mode->nodecount;
	}
	if (!strcmp(o->out.path, "-")) {
		o->shown.view.width = terminal_width();
		o->shown.view.colour = terminal_colour();
	}
}

/* Returns CLI_GO_ON or an exit status. */
static int report_read_options(struct report_options *o, int argc, char **argv)
{
	struct option list[OPTIONS];
	const struct cli_grammar grammar = { "report", ":hqvf:o:t:", list, report_take_option };
	struct error err;
	int status;

	list_options(list);
	status = cli_parse(&grammar, argc, argv, o);
	if (status != CLI_GO_ON)
		return status;
	if (optind != argc - 1)
		return cli_usage(optind == argc ? "report needs a file" : "report takes one file");
	o->file = argv[optind];
	if (folder_check(&o->folder, argv + optind, 1, &err))
		return cli_fail(&err);
	return report_choose_form(o, &err) ? cli_fail(&err) : CLI_GO_ON;
}

int cli_report(int argc, char **argv)
{
	struct report_options o = { .out.path = "-",
				    .shown.view.node_fraction = VIEWOPTIONS_NODE_FRACTION,
				    .shown.view.edge_fraction = EDGE_FRACTION };
	int status = report_read_options(&o, argc, argv);
	struct error err;

	if (status == CLI_GO_ON) {
		finish_view(&o);
		status = report_report(&o, &err) ? cli_fail(&err) : EXIT_DONE;
	}
	filters_release(&o.filters);
	pattern_free(o.shown.view.pattern);
	return status;
}

/* sampler merge FILE… -o OUT, sampler diff BASE NEW [-o OUT]: several profiles in, one out, or the
 * table of what changed. A written profile is the one that `pprof -proto` gives for the same files.
 * drop_frames is not applied to it: the tool that shows the result does that. */
#include <getopt.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/compat.h"
#include "pprof/labels.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/report/change.h"
#include "pprof/scale.h"
#include "cli/common/cli.h"
#include "cli/common/formats.h"
#include "cli/common/readprofile.h"
#include "cli/common/terminal.h"
#include "cli/profiles/filters.h"
#include "cli/profiles/viewoptions.h"
#include "cli/rounds/folder.h"

struct merge_options {
	struct format_target out;
	char **files;
	int count;
	uint64_t max_size; /* of each file, 0: the default */
	struct folder_options folder;
	bool is_diff, subtract, normalize, json; /* diff's, as all below */
	uint64_t against_ns; /* how long before the range its base is; 0: another file */
	struct filters filters;
	struct viewoptions shown;
	struct change change; /* filled when both are read */
};

enum { AGAINST = 1024 }; /* not one of viewoptions.h, filters.h or range.h */

static const struct option merge_long_options[] = {
	FORMAT_OPTIONS,	      READPROFILE_OPTION,
	FOLDER_OPTIONS,	      { "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct option diff_own_options[] = {
	VIEWOPTIONS,
	FORMAT_OPTIONS,
	{ "subtract", no_argument, NULL, 's' },
	{ "normalize", no_argument, NULL, 'n' },
	{ "json", no_argument, NULL, 'J' },
	READPROFILE_OPTION,
	FOLDER_OPTIONS,
	{ "against", required_argument, NULL, AGAINST },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

enum { DIFF_OPTIONS = FILTER_COUNT + sizeof(diff_own_options) / sizeof(struct option) };

/* A page switches between the files of a merge if there are at most this many: samples of different
 * files are not added up then. */
enum { PAGE_FILES = 500 };

/* In a page, the samples have the file that they are from as a label. */
static int profiles_merge_name_file(struct profile *p, const struct merge_options *o, int i,
				    struct error *err)
{
	const char *name[] = { o->files[i] };

	if (o->count < 2 || o->count > PAGE_FILES || !format_is_page(o->out.format))
		return 0;
	return profile_set_label(p, "sampler::file", name, 1) ? error_nomem(err) : 0;
}

static int merge_file(struct merge *m, const struct merge_options *o, int i, struct error *err)
{
	struct profile p;
	int rc = folder_read(&p, o->files[i], &o->folder, 0, o->max_size, err);

	rc = rc ? rc : profiles_merge_name_file(&p, o, i, err);
	if (!rc) {
		rc = merge_add_common(m, &p, err);
		if (rc && i)
			error_prefix(err, "'%s' and '%s'", o->files[0], o->files[i]);
	}
	profile_release(&p);
	return rc;
}

static int merge_files(struct merge_options *o, struct profile *sum, struct error *err)
{
	struct merge *m;
	int rc = merge_new(&m, err);

	if (rc)
		return rc;
	for (int i = 0; !rc && i < o->count; i++)
		rc = merge_file(m, o, i, err);
	if (!rc)
		return merge_finish(m, sum, err);
	merge_free(m);
	return rc;
}

/* Is the result the table of what changed? */
static bool profiles_merge_is_table(const struct merge_options *o)
{
	return o->is_diff && format_is_text(o->out.format);
}

/* The table scales by itself. Without --subtract, the base gets pprof's label: percentages are then
 * shares of the base. */
static int profiles_merge_subtract(struct profile *base, struct profile *p,
				   const struct merge_options *o, struct profile *sum,
				   struct error *err)
{
	static const char *const yes[] = { "true" };
	struct merge *m;
	int rc = o->normalize && !profiles_merge_is_table(o) ? profile_normalize(p, base, err) : 0;

	if (!rc && !o->subtract && profile_set_label(base, "pprof::base", yes, 1))
		rc = error_nomem(err);
	if (rc)
		return rc;
	profile_scale(base, -1);
	rc = profile_make_compatible(p, base, err);
	if (!rc)
		rc = merge_new(&m, err);
	if (rc)
		return rc;
	rc = merge_add(m, p, err);
	if (!rc)
		rc = merge_add(m, base, err);
	if (!rc)
		return merge_finish(m, sum, err);
	merge_free(m);
	return rc;
}

static int keep_sides(struct merge_options *o, const struct profile *base, const struct profile *p,
		      struct error *err)
{
	o->change = (struct change){
		.base = { o->files[0], base->time_nanos, base->duration_nanos },
		.new = { o->files[o->count - 1], p->time_nanos, p->duration_nanos },
		.normalized = o->normalize,
	};
	for (size_t i = 0; profiles_merge_is_table(o) && i < p->sample_count; i++)
		if (sample_is_base(p, &p->samples[i]))
			return error_set(err, ERR_USAGE, "'%s' is a difference itself",
					 o->files[o->count - 1]);
	return 0;
}

/* It suffices if one of them has what is shown. */
static int check_shown(const struct merge_options *o, const struct profile *base,
		       const struct profile *p, struct error *err)
{
	if (!viewoptions_check(&o->shown, o->files[0], base, err))
		return 0;
	return viewoptions_check(&o->shown, o->files[o->count - 1], p, err);
}

static int diff_files(struct merge_options *o, struct profile *sum, struct error *err)
{
	struct profile base, p = { 0 };
	int rc = folder_read(&base, o->files[0], &o->folder, o->against_ns, o->max_size, err);

	if (!rc)
		rc = folder_read(&p, o->files[o->count - 1], &o->folder, 0, o->max_size, err);
	if (!rc)
		rc = keep_sides(o, &base, &p, err);
	if (!rc)
		rc = check_shown(o, &base, &p, err);
	if (!rc) {
		rc = profiles_merge_subtract(&base, &p, o, sum, err);
		if (rc)
			error_prefix(err, "'%s' and '%s'", o->files[o->count - 1], o->files[0]);
	}
	profile_release(&base);
	profile_release(&p);
	return rc;
}

/* drop_frames are applied to what is shown, and where filters are given. */
static int profiles_merge_filter(struct merge_options *o, struct profile *sum, struct error *err)
{
	bool any = profiles_merge_is_table(o);
	int rc = 0;

	for (size_t i = 0; i < FILTER_COUNT; i++)
		any |= o->filters.texts[i] != NULL;
	if (!any)
		return 0;
	o->filters.unit = o->shown.view.unit;
	rc = filters_prepare(&o->filters, sum, err);
	rc = rc ? rc : filters_apply(&o->filters, sum, err);
	o->shown.view.filters = (const char *const *)o->filters.shown;
	return rc ? rc : profile_compact(sum, err);
}

static int profiles_merge_write_json(const struct merge_options *o, const struct profile *sum,
				     struct buffer *text, struct error *err)
{
	struct report_choice choices[FILTER_COUNT + 1] = { 0 }; /* and an end */
	const struct report_selection selection = { NULL, o->shown.no_inline, o->shown.no_native,
						    choices };
	struct report_view view = o->shown.view;

	filters_choices(&o->filters, choices);
	view.selection = &selection;
	return report_change_json(sum, &view, &o->change, text, err);
}

static int write_table(const struct merge_options *o, const struct profile *sum,
		       struct outfile *file, struct error *err)
{
	struct report_view view = o->shown.view;
	struct buffer text = { 0 };
	int rc;

	if (!strcmp(o->out.path, "-")) {
		view.width = terminal_width();
		view.colour = terminal_colour();
	}
	rc = o->json ? profiles_merge_write_json(o, sum, &text, err) :
		       report_change(sum, &view, &o->change, &text, err);
	rc = rc ? rc : outfile_write(file, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

/* Flame graphs and the like have all that costs little. */
static int profiles_merge_write_format(const struct merge_options *o, const struct profile *sum,
				       struct outfile *file, struct error *err)
{
	struct report_view view = o->shown.view;

	view.nodecount = 0;
	view.node_fraction = 0;
	return format_write_view(o->out.format, sum, &view, file, err);
}

typedef int combination(struct merge_options *o, struct profile *sum, struct error *err);

static int profiles_merge_run(struct merge_options *o, combination *combine, struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	struct profile sum = { 0 };
	int rc = outfile_open(&file, o->out.path, err);

	if (!rc)
		rc = combine(o, &sum, err);
	if (!rc)
		rc = profiles_merge_filter(o, &sum, err);
	if (!rc)
		rc = viewoptions_apply(&o->shown, &sum, err);
	if (!rc)
		rc = profiles_merge_is_table(o) ? write_table(o, &sum, &file, err) :
						  profiles_merge_write_format(o, &sum, &file, err);
	if (!rc)
		rc = format_commit(&file, &o->out, err);
	outfile_abort(&file);
	profile_release(&sum);
	return rc;
}

/* The standard input can be read only once. */
static bool reads_twice(const struct merge_options *o)
{
	int times = 0;

	for (int i = 0; i < o->count; i++)
		times += !strcmp(o->files[i], "-");
	return times > 1;
}

static int merge_take_option(void *options, int option, char *value, struct error *err)
{
	struct merge_options *o = options;
	int rc;

	switch (option) {
	case 's':
		o->subtract = true;
		return 0;
	case 'n':
		o->normalize = true;
		return 0;
	case 'J':
		o->json = true;
		return 0;
	case READPROFILE_MAX_SIZE:
		return parse_size(value, &o->max_size, err);
	case AGAINST:
		return parse_positive_duration(value, &o->against_ns, err);
	}
	rc = format_option(&o->out, option, value, err);
	if (rc == OPTION_OTHER)
		rc = folder_option(&o->folder, option, value, err);
	if (rc == OPTION_OTHER)
		rc = viewoptions_set(&o->shown, option, value, err);
	return rc == OPTION_OTHER ? filters_set(&o->filters, option, value) : rc;
}

/* Returns CLI_GO_ON or an exit status. */
static int profiles_merge_parse(struct merge_options *o, const struct option *options, int argc,
				char **argv)
{
	const struct cli_grammar grammar = { argv[0], ":o:f:t:qh", options, merge_take_option };
	int status = cli_parse(&grammar, argc, argv, o);
	struct error err;

	if (status != CLI_GO_ON)
		return status;
	o->files = argv + optind;
	o->count = argc - optind;
	if (folder_check(&o->folder, o->files, o->count, &err))
		return cli_fail(&err);
	if (reads_twice(o))
		return cli_usage("only one file can be '-', the standard input");
	return CLI_GO_ON;
}

int cli_merge(int argc, char **argv)
{
	struct merge_options o = { 0 };
	int status = profiles_merge_parse(&o, merge_long_options, argc, argv);
	struct error err;

	if (status != CLI_GO_ON)
		return status;
	if (!o.count)
		return cli_usage("merge needs files");
	if (!o.out.path)
		return cli_usage("merge needs -o and a file to write");
	o.out.format = format_of(&o.out);
	return profiles_merge_run(&o, merge_files, &err) ? cli_fail(&err) : EXIT_DONE;
}

/* Without an output, the table goes to the standard output. */
static void profiles_merge_choose_form(struct merge_options *o)
{
	if (o->json)
		format_by_name("text", &o->out.format, NULL);
	if (!o->out.format && !o->out.path)
		format_by_name("text", &o->out.format, NULL);
	o->out.path = o->out.path ? o->out.path : "-";
	o->out.format = format_of(&o->out);
}

int cli_diff(int argc, char **argv)
{
	struct option options[DIFF_OPTIONS];
	struct merge_options o = { .is_diff = true,
				   .shown.view.node_fraction = VIEWOPTIONS_NODE_FRACTION };
	struct error err;
	int status;

	filters_list(options);
	memcpy(options + FILTER_COUNT, diff_own_options, sizeof(diff_own_options));
	status = profiles_merge_parse(&o, options, argc, argv);
	if (status != CLI_GO_ON)
		return status;
	if (o.against_ns && (o.count != 1 || !folder_is(o.files[0]) ||
			     !(o.folder.range.last || o.folder.range.from)))
		return cli_usage("--against takes one folder of batches, and --last or --from");
	if (o.count != 2 && !o.against_ns)
		return cli_usage("diff takes two files, the base and the new one");
	if (o.json && o.out.format)
		return cli_usage("'--json' and '--format' exclude each other");
	profiles_merge_choose_form(&o);
	if (o.subtract && profiles_merge_is_table(&o))
		return cli_usage("--subtract is about a profile that -o writes");
	status = profiles_merge_run(&o, diff_files, &err) ? cli_fail(&err) : EXIT_DONE;
	filters_release(&o.filters);
	return status;
}

/* sampler merge FILE… -o OUT, sampler diff BASE NEW -o OUT: several profiles in, one out. The
 * result is the one that `pprof -proto` gives for the same files. drop_frames is not applied: the
 * tool that shows the result does that. */
#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "base/printable.h"
#include "pprof/compat.h"
#include "pprof/labels.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/scale.h"
#include "sampler/cli/common/cli.h"
#include "sampler/cli/common/formats.h"
#include "sampler/cli/common/readprofile.h"

struct merge_options {
	const char *output;
	char **files;
	int count;
	uint64_t max_size;	  /* of each file, 0: the default */
	bool subtract, normalize; /* diff's */
};

static const struct option merge_long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	READPROFILE_OPTION,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const struct option diff_long_options[] = {
	{ "output", required_argument, NULL, 'o' }, { "subtract", no_argument, NULL, 's' },
	{ "normalize", no_argument, NULL, 'n' },    READPROFILE_OPTION,
	{ "help", no_argument, NULL, 'h' },	    { NULL, 0, NULL, 0 },
};

/* A page switches between the files of a merge if there are at most this many: samples of different
 * files are not added up then. */
enum { PAGE_FILES = 500 };

/* In a page, the samples have the file that they are from as a label. */
static int name_file(struct profile *p, const struct merge_options *o, int i, struct error *err)
{
	const char *name[] = { o->files[i] };

	if (o->count < 2 || o->count > PAGE_FILES || !format_is_page(format_by_path(o->output)))
		return 0;
	return profile_set_label(p, "sampler::file", name, 1) ? error_nomem(err) : 0;
}

static int merge_file(struct merge *m, const struct merge_options *o, int i, struct error *err)
{
	struct profile p;
	int rc = readprofile(&p, o->files[i], o->max_size, err);

	rc = rc ? rc : name_file(&p, o, i, err);
	if (!rc) {
		rc = merge_add_common(m, &p, err);
		if (rc && i)
			error_prefix(err, "'%s' and '%s'", o->files[0], o->files[i]);
	}
	profile_release(&p);
	return rc;
}

static int merge_files(const struct merge_options *o, struct profile *sum, struct error *err)
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

/* Without --subtract, the base gets pprof's label: percentages are then shares of the base. */
static int subtract(struct profile *base, struct profile *p, const struct merge_options *o,
		    struct profile *sum, struct error *err)
{
	static const char *const yes[] = { "true" };
	struct merge *m;
	int rc = o->normalize ? profile_normalize(p, base, err) : 0;

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

static int diff_files(const struct merge_options *o, struct profile *sum, struct error *err)
{
	struct profile base, p = { 0 };
	int rc = readprofile(&base, o->files[0], o->max_size, err);

	if (!rc)
		rc = readprofile(&p, o->files[1], o->max_size, err);
	if (!rc) {
		rc = subtract(&base, &p, o, sum, err);
		if (rc)
			error_prefix(err, "'%s' and '%s'", o->files[1], o->files[0]);
	}
	profile_release(&base);
	profile_release(&p);
	return rc;
}

typedef int combination(const struct merge_options *o, struct profile *sum, struct error *err);

static int run(const struct merge_options *o, combination *combine, struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	struct profile sum = { 0 };
	int rc = outfile_open(&file, o->output, err);

	if (!rc)
		rc = combine(o, &sum, err);
	if (!rc)
		rc = format_write(format_by_path(o->output), &sum, &file, err);
	if (!rc)
		rc = outfile_commit(&file, err);
	outfile_abort(&file);
	profile_release(&sum);
	if (rc)
		printable(err->text, sizeof(err->text));
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

/* Returns CLI_GO_ON or an exit status. */
static int parse(struct merge_options *o, const struct option *options, int argc, char **argv)
{
	struct error err;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		if (option == '?')
			return cli_bad_option(argv, optind, optopt);
		if (option == 'h')
			return cli_help_on(argv[0]);
		if (option == READPROFILE_MAX_SIZE && parse_size(optarg, &o->max_size, &err))
			return cli_fail(&err);
		if (option == 'o')
			o->output = optarg;
		o->subtract |= option == 's';
		o->normalize |= option == 'n';
	}
	o->files = argv + optind;
	o->count = argc - optind;
	if (reads_twice(o))
		return cli_usage("only one file can be '-', the standard input");
	if (!o->output)
		return cli_usage("%s needs -o and a file to write", argv[0]);
	return CLI_GO_ON;
}

int cli_merge(int argc, char **argv)
{
	struct merge_options o = { 0 };
	int status = parse(&o, merge_long_options, argc, argv);
	struct error err;

	if (status != CLI_GO_ON)
		return status;
	if (!o.count)
		return cli_usage("merge needs files");
	return run(&o, merge_files, &err) ? cli_fail(&err) : EXIT_DONE;
}

int cli_diff(int argc, char **argv)
{
	struct merge_options o = { 0 };
	int status = parse(&o, diff_long_options, argc, argv);
	struct error err;

	if (status != CLI_GO_ON)
		return status;
	if (o.count != 2)
		return cli_usage("diff takes two files, the base and the new one");
	return run(&o, diff_files, &err) ? cli_fail(&err) : EXIT_DONE;
}

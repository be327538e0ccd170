/* sampler convert IN -o OUT: a profile from one form to another. */
#include <getopt.h>
#include <stddef.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/profile.h"
#include "cli/common/cli.h"
#include "cli/common/formats.h"
#include "cli/common/readprofile.h"

struct convert_options {
	const char *in;
	struct format_target out;
	uint64_t max_size; /* of `in`, 0: the default */
};

static const struct option long_options[] = {
	FORMAT_OPTIONS,
	READPROFILE_OPTION,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int convert_write_profile(const struct profile *p, const struct convert_options *o,
				 struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	int rc = outfile_open(&file, o->out.path, err);

	if (!rc)
		rc = format_write(format_of(&o->out), p, &file, err);
	if (!rc)
		rc = format_commit(&file, &o->out, err);
	outfile_abort(&file);
	return rc;
}

static int convert(const struct convert_options *o, struct error *err)
{
	struct profile p;
	int rc = readprofile(&p, o->in, o->max_size, err);

	if (!rc)
		rc = convert_write_profile(&p, o, err);
	profile_release(&p);
	return rc;
}

static int convert_take_option(void *options, int option, char *value, struct error *err)
{
	struct convert_options *o = options;

	if (option == READPROFILE_MAX_SIZE)
		return parse_size(value, &o->max_size, err);
	return format_option(&o->out, option, value, err);
}

int cli_convert(int argc, char **argv)
{
	static const struct cli_grammar grammar = { "convert", ":o:f:qh", long_options,
						    convert_take_option };
	struct convert_options o = { 0 };
	int status = cli_parse(&grammar, argc, argv, &o);
	struct error err;

	if (status != CLI_GO_ON)
		return status;
	if (optind != argc - 1)
		return cli_usage(optind == argc ? "convert needs a file" :
						  "convert takes one file");
	if (!o.out.path)
		return cli_usage("convert needs an output (-o)");
	o.in = argv[optind];
	return convert(&o, &err) ? cli_fail(&err) : EXIT_DONE;
}

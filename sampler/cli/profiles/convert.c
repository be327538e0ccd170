/* sampler convert IN -o OUT: a profile from one form to another. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/printable.h"
#include "pprof/gotext/gotext.h"
#include "pprof/profile.h"
#include "sampler/cli/common/cli.h"
#include "sampler/cli/common/formats.h"
#include "sampler/cli/common/readprofile.h"

struct convert_options {
	const char *in, *out;
	const char *format; /* NULL: by the ending of `out` */
	uint64_t max_size;  /* of `in`, 0: the default */
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, 'f' },
	READPROFILE_OPTION,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int write_legacy(const struct profile *p, struct outfile *file, struct error *err)
{
	struct buffer text = { 0 };
	int rc = legacy_write(p, NULL, &text, err);

	if (rc == ERR_NOTFOUND)
		error_prefix(err, "this profile has no legacy text, but -f pprof, folded, "
				  "flamegraph, speedscope, otlp and text work");
	rc = rc ? rc : outfile_write(file, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

/* Finds the output's format; *format NULL: legacy text. Without -f, an output named .txt is legacy
 * text here, because the input may be legacy text, too; in the other commands it is a report. */
static int find_format(const struct convert_options *o, const struct format **format,
		       struct error *err)
{
	*format = NULL;
	if (o->format ? !strcmp(o->format, "legacy") : format_ends_in(o->out, ".txt"))
		return 0;
	*format = format_by_path(o->out);
	if (o->format && format_by_name(o->format, format, err))
		return error_set(err, ERR_USAGE,
				 "there is no format '%s', but pprof, legacy, "
				 "folded, flamegraph, speedscope, otlp and text",
				 o->format);
	return 0;
}

static int write_profile(const struct profile *p, const char *path, const struct format *format,
			 struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	int rc = outfile_open(&file, path, err);

	if (!rc)
		rc = format ? format_write(format, p, &file, err) : write_legacy(p, &file, err);
	if (!rc)
		rc = outfile_commit(&file, err);
	outfile_abort(&file);
	return rc;
}

static int convert(const struct convert_options *o, struct error *err)
{
	const struct format *format;
	struct profile p;
	int rc = find_format(o, &format, err);

	if (rc)
		return rc;
	rc = readprofile(&p, o->in, o->max_size, err);
	if (!rc)
		rc = write_profile(&p, o->out, format, err);
	profile_release(&p);
	return rc;
}

int cli_convert(int argc, char **argv)
{
	struct convert_options o = { 0 };
	struct error err;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:f:h", long_options, NULL)) != -1) {
		if (option == '?')
			return cli_bad_option(argv, optind, optopt);
		if (option == 'h')
			return cli_help_on("convert");
		if (option == READPROFILE_MAX_SIZE && parse_size(optarg, &o.max_size, &err))
			return cli_fail(&err);
		if (option == 'o' || option == 'f')
			*(option == 'o' ? &o.out : &o.format) = optarg;
	}
	if (optind != argc - 1)
		return cli_usage(optind == argc ? "convert needs a file" :
						  "convert takes one file");
	if (!o.out)
		return cli_usage("convert needs an output (-o)");
	o.in = argv[optind];
	if (!convert(&o, &err))
		return EXIT_DONE;
	printable(err.text, sizeof(err.text));
	return cli_fail(&err);
}

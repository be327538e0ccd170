/* sampler convert IN -o OUT: a profile from one form to another. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "cli/formats.h"
#include "pprof/decode.h"
#include "pprof/encode.h"
#include "pprof/legacy_write.h"
#include "pprof/profile.h"
#include "pprof/validate.h"

struct convert_options {
	const char *in, *out;
	const char *format; /* NULL: by the ending of `out` */
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int write_plain(const struct profile *p, struct outfile *file, struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = profile_encode(p, &bytes, err);

	rc = rc ? rc : outfile_write(file, bytes.data, bytes.len, err);
	buffer_release(&bytes);
	return rc;
}

static int write_legacy(const struct profile *p, struct outfile *file, struct error *err)
{
	struct buffer text = { 0 };
	int rc = legacy_write(p, NULL, &text, err);

	if (rc == ERR_NOTFOUND)
		error_prefix(err, "this profile has no legacy text, but -f pprof, folded, "
			     "flamegraph, speedscope and text work");
	rc = rc ? rc : outfile_write(file, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

/* How the profile is written: what cli/formats.h has, or one of the two above. */
struct form {
	const struct format *format;
	int (*write)(const struct profile *p, struct outfile *file, struct error *err);
};

static bool ends_with(const char *path, const char *ending)
{
	size_t path_len = strlen(path), len = strlen(ending);

	return path_len > len && !strcasecmp(path + path_len - len, ending);
}

/* Without a name .txt is legacy text: here, and not where a recording is written, because
 * what goes in may be it, too. */
static int find_form(const struct convert_options *o, struct form *form, struct error *err)
{
	bool legacy = o->format ? !strcmp(o->format, "legacy") : ends_with(o->out, ".txt");

	*form = (struct form){ .format = format_by_path(o->out) };
	if (legacy)
		form->write = write_legacy;
	else if (ends_with(o->out, ".pb") && (!o->format || !strcmp(o->format, "pprof")))
		form->write = write_plain;
	else if (o->format && format_by_name(o->format, &form->format, err))
		return error_set(err, ERR_USAGE, "there is no format '%s', but pprof, legacy, "
				 "folded, flamegraph, speedscope and text", o->format);
	return 0;
}

static int write_profile(const struct profile *p, const struct convert_options *o,
			 const struct form *form, struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	int rc = outfile_open(&file, o->out, err);

	if (!rc)
		rc = form->write ? form->write(p, &file, err) :
				   format_write(form->format, p, &file, err);
	if (!rc)
		rc = outfile_commit(&file, err);
	outfile_abort(&file);
	return rc;
}

static int convert(const struct convert_options *o, struct error *err)
{
	struct form form;
	struct profile p;
	int rc = find_form(o, &form, err);

	if (rc)
		return rc;
	if (profile_init(&p))
		return error_set(err, ERR_NOMEM, "out of memory");
	rc = profile_read(&p, o->in, 0, err);
	if (!rc && (rc = profile_validate(&p, err)))
		error_prefix(err, "'%s'", o->in);
	if (!rc)
		rc = write_profile(&p, o, &form, err);
	profile_release(&p);
	return rc;
}

int cli_convert(int argc, char **argv)
{
	char *help[] = { (char *)"help", (char *)"convert" };
	struct convert_options o = { 0 };
	struct error err;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:f:h", long_options, NULL)) != -1) {
		if (option == '?')
			return cli_bad_option(argv, optind, optopt);
		if (option == 'h')
			return cli_help(2, help);
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

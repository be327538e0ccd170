/* sampler convert IN -o OUT: a profile from one form to another. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/printable.h"
#include "cli/cli.h"
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

/* A writer opens nothing: the file is there, and committed by the caller. */
typedef int convert_writer(const struct profile *p, struct outfile *file, struct error *err);

static int write_bytes(int rc, const struct buffer *bytes, struct outfile *file, struct error *err)
{
	return rc ? rc : outfile_write(file, bytes->data, bytes->len, err);
}

static int write_plain(const struct profile *p, struct outfile *file, struct error *err)
{
	struct buffer bytes = { 0 };
	int rc = write_bytes(profile_encode(p, &bytes, err), &bytes, file, err);

	buffer_release(&bytes);
	return rc;
}

static int write_legacy(const struct profile *p, struct outfile *file, struct error *err)
{
	struct buffer text = { 0 };
	int rc = write_bytes(legacy_write(p, NULL, &text, err), &text, file, err);

	if (rc == ERR_NOTFOUND)
		rc = error_prefix(err, "no legacy text for this profile, use '-f pprof'");
	buffer_release(&text);
	return rc;
}

static const struct {
	const char *name, *ending; /* "" for more endings of the name above */
	convert_writer *write;
} formats[] = {
	{ "pprof", ".pb.gz", profile_write }, { "", ".pprof", profile_write },
	{ "", ".pb", write_plain },	      { "legacy", ".txt", write_legacy },
};

enum { FORMATS = sizeof(formats) / sizeof(*formats) };

static bool ends_with(const char *path, const char *ending)
{
	size_t path_len = strlen(path), len = strlen(ending);

	return path_len > len && !strcmp(path + path_len - len, ending);
}

static int find_writer(const struct convert_options *o, convert_writer **writer,
		       struct error *err)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (o->format ? *formats[i].name && !strcmp(o->format, formats[i].name) :
				ends_with(o->out, formats[i].ending)) {
			*writer = formats[i].write;
			return 0;
		}
	if (o->format)
		return error_set(err, ERR_USAGE, "no format '%s'; there are pprof and legacy",
				 o->format);
	return error_set(err, ERR_USAGE,
			 "'%s' does not end in .pb.gz, .pprof, .pb or .txt: say the format with -f",
			 o->out);
}

static int write_profile(const struct profile *p, const struct convert_options *o,
			 convert_writer *writer, struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	int rc = outfile_open(&file, o->out, err);

	if (!rc)
		rc = writer(p, &file, err);
	if (!rc)
		rc = outfile_commit(&file, err);
	outfile_abort(&file);
	return rc;
}

static int convert(const struct convert_options *o, struct error *err)
{
	convert_writer *writer = NULL;
	struct profile p;
	int rc = find_writer(o, &writer, err);

	if (rc)
		return rc;
	if (profile_init(&p))
		return error_set(err, ERR_NOMEM, "out of memory");
	rc = profile_read(&p, o->in, 0, err);
	if (!rc && (rc = profile_validate(&p, err)))
		error_prefix(err, "'%s'", o->in);
	if (!rc)
		rc = write_profile(&p, o, writer, err);
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

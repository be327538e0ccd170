/* One table has each format's name, ending and writer; options, endings and hints are looked up in
 * it. */
#include "cli/common/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/flame/reports.h"
#include "pprof/gotext/gotext.h"
#include "pprof/otlp/otlp.h"
#include "pprof/profile.h"
#include "pprof/report/reports.h"
#include "pprof/wire/encode.h"
#include "cli/common/cli.h"
#include "cli/common/types.h"

struct format {
	const char *name, *ending;
	report_writer *write; /* NULL: the profile is encoded as it is */
};

static int write_otlp(const struct profile *p, const struct report_view *v, struct buffer *out,
		      struct error *err)
{
	(void)v; /* all types */
	return otlp_encode(p, &(struct otlp_origin){ 0 }, out, err);
}

/* The texts of Go's debug=1. */
static int write_legacy(const struct profile *p, const struct report_view *v, struct buffer *out,
			struct error *err)
{
	int rc = legacy_write(p, NULL, out, err);

	(void)v; /* all types */
	if (rc == ERR_NOTFOUND)
		error_prefix(err, "this profile has no legacy text, but -f pprof, folded, "
				  "flamegraph, speedscope, otlp and text work");
	return rc;
}

/* A name stands for its first entry, and so does an ending: .txt is text. pprof is not compressed
 * in a file whose name ends in .pb. */
static const struct format formats[] = {
	{ "pprof", ".pb.gz", NULL },
	{ "folded", ".folded", report_folded },
	{ "flamegraph", ".html", report_flamegraph_html },
	{ "flamegraph", ".svg", report_flamegraph_svg },
	{ "speedscope", ".json", report_speedscope },
	{ "otlp", ".otlp", write_otlp },
	{ "text", ".txt", report_top },
	{ "legacy", ".txt", write_legacy },
};

enum { FORMATS = sizeof(formats) / sizeof(*formats) };

int format_by_name(const char *name, const struct format **format, struct error *err)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (!strcmp(name, formats[i].name)) {
			*format = &formats[i];
			return 0;
		}
	return error_set(err, ERR_USAGE,
			 "there is no format '%s', but pprof, folded, flamegraph, "
			 "speedscope, otlp, text and legacy",
			 name);
}

bool format_ends_in(const char *path, const char *ending)
{
	size_t path_len = strlen(path), len = strlen(ending);

	return path_len > len && !strcasecmp(path + path_len - len, ending);
}

const struct format *format_by_ending(const char *path)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (format_ends_in(path, formats[i].ending))
			return &formats[i];
	return format_ends_in(path, ".pb") || format_ends_in(path, ".pprof") ? &formats[0] : NULL;
}

const struct format *format_by_path(const char *path)
{
	const struct format *format = format_by_ending(path);

	return format ? format : &formats[0];
}

const char *format_name(const struct format *format)
{
	return format->name;
}

bool format_is_text(const struct format *format)
{
	return format->write == report_top;
}

bool format_is_legacy(const struct format *format)
{
	return format->write == write_legacy;
}

bool format_is_page(const struct format *format)
{
	return !strcmp(format->name, "flamegraph");
}

const char *format_ending(const struct format *format)
{
	return format->ending;
}

report_writer *format_flamegraph(const char *path)
{
	report_writer *write = format_by_path(path)->write;

	return write == report_flamegraph_svg ? write : report_flamegraph_html;
}

int format_write_view(const struct format *format, const struct profile *p,
		      const struct report_view *view, struct outfile *file, struct error *err)
{
	report_writer *write = format->write;
	struct buffer text = { 0 };
	int rc;

	if (!write)
		return format_ends_in(file->path, ".pb") ? profile_write_plain(p, file, err) :
							   profile_write(p, file, err);
	if (format_is_page(format))
		write = format_flamegraph(file->path);
	rc = write(p, view, &text, err);
	rc = rc ? rc : outfile_write(file, text.data, text.len, err);
	buffer_release(&text);
	return rc;
}

int format_write(const struct format *format, const struct profile *p, struct outfile *file,
		 struct error *err)
{
	struct report_view view = { .nodecount = 0 };
	int rc = format->write ? sample_type_find(p, NULL, &view.type, err) : 0;

	return rc ? rc : format_write_view(format, p, &view, file, err);
}

int format_option(struct format_target *o, int option, const char *value, struct error *err)
{
	switch (option) {
	case 'o':
		o->path = value;
		return 0;
	case 'f':
		return format_by_name(value, &o->format, err);
	case 'q':
		o->quiet = true;
		return 0;
	default:
		return OPTION_OTHER;
	}
}

/* The ending of a name, of letters alone; "": it has none. */
static const char *ending_of(const char *path)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	if (!dot || dot == path || (slash && dot <= slash + 1))
		return "";
	return dot[1 + strspn(dot + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] ?
		       "" :
		       dot;
}

/* Go's tools and Google's write pprof to these. */
static bool is_usual(const char *ending)
{
	return !*ending || !strcasecmp(ending, ".prof") || !strcasecmp(ending, ".gz");
}

void format_hint(const char *path, const char *form)
{
	const char *ending = ending_of(path);

	if (!format_by_ending(path) && !is_usual(ending))
		cli_say("'%s' will be %s: no format ends in %s, but .pb.gz (pprof), .svg and .html "
			"(flame graphs), .folded, .json, .otlp, .txt; -f chooses, too",
			path, form, ending);
}

const struct format *format_guess(const char *path, bool quiet)
{
	const struct format *format = format_by_path(path);

	if (!quiet)
		format_hint(path, format->name);
	return format;
}

const struct format *format_of(const struct format_target *o)
{
	return o->format ? o->format : format_guess(o->path, o->quiet);
}

int format_commit(struct outfile *file, const struct format_target *o, struct error *err)
{
	uint64_t bytes = file->written;
	int rc = outfile_commit(file, err);

	if (!rc && !o->quiet && strcmp(o->path, "-"))
		cli_wrote(o->path, bytes, "");
	return rc;
}

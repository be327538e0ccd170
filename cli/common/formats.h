/* The format of a written profile, chosen by an option or by the ending of a file's name. */
#ifndef CLI_COMMON_FORMATS_H
#define CLI_COMMON_FORMATS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "pprof/view.h"

struct error;
struct outfile;
struct profile;

struct format; /* an entry of a static table; never freed */

/* Finds pprof, folded, flamegraph, speedscope, otlp, text (a table of functions) or legacy (Go's
 * text of debug=1). ERR_USAGE, with these names. */
int format_by_name(const char *name, const struct format **format, struct error *err);

/* Chooses by the ending: .svg and .html, .folded, .json, .otlp, .txt (text, in all commands), .pb,
 * .pb.gz and .pprof. NULL for all others. */
const struct format *format_by_ending(const char *path);

/* The same, but pprof for all others. */
const struct format *format_by_path(const char *path);

/* As format_by_name finds it. */
const char *format_name(const struct format *format);

/* Does the path end in `ending`, in upper or lower case? False if the path is the ending alone. */
bool format_ends_in(const char *path, const char *ending);

bool format_is_text(const struct format *format);
bool format_is_legacy(const struct format *format);
bool format_is_page(const struct format *format);

/* The ending, with its dot, of a default name. */
const char *format_ending(const struct format *format);

/* The writer of a flame graph: SVG if the path ends in .svg, else HTML. */
report_writer *format_flamegraph(const char *path);

/* Writes the profile to an open file, which the caller commits. Formats that show one sample type
 * show the profile's default type. pprof is compressed unless the file's name ends in .pb.
 * ERR_NOMEM, ERR_IO, ERR_LIMIT; ERR_NOTFOUND: the profile has no legacy text. */
int format_write(const struct format *format, const struct profile *p, struct outfile *file,
		 struct error *err);

/* The same in a view: its sample type, filters and limits. pprof and otlp have all types. */
int format_write_view(const struct format *format, const struct profile *p,
		      const struct report_view *view, struct outfile *file, struct error *err);

/* The options of commands that write a profile in any form. A command puts FORMAT_OPTIONS into its
 * table of long options and "o:f:q" among its short ones, and passes each option to
 * format_option. */
struct format_target {
	const char *path;	     /* -o; NULL: not given */
	const struct format *format; /* -f; NULL: not given */
	bool quiet;		     /* -q */
};

/* clang-format off */
#define FORMAT_OPTIONS \
	{ "output", required_argument, NULL, 'o' }, \
	{ "format", required_argument, NULL, 'f' }, \
	{ "quiet", no_argument, NULL, 'q' }
/* clang-format on */

/* Takes an option. `value` must outlive `o`. OPTION_OTHER; ERR_USAGE: there is no such format. */
int format_option(struct format_target *o, int option, const char *value, struct error *err);

/* Says on the standard error that `path` will be of the form `form`, and which endings there are,
 * if its own is that of no format. A name without an ending is no mistake. */
void format_hint(const char *path, const char *form);

/* As format_by_path, with that hint unless `quiet`. */
const struct format *format_guess(const char *path, bool quiet);

/* The format that was given, or else that of the path, which must be set, as by format_guess. */
const struct format *format_of(const struct format_target *o);

/* Commits the file and says so on the standard error, "wrote x.svg (4711 bytes)", unless `quiet` or
 * the path is "-". ERR_IO. */
int format_commit(struct outfile *file, const struct format_target *o, struct error *err);

#endif

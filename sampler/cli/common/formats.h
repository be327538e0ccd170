/* The format of a written profile, chosen by an option or by the ending of a file's name. */
#ifndef SAMPLER_CLI_COMMON_FORMATS_H
#define SAMPLER_CLI_COMMON_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "pprof/view.h"

struct error;
struct outfile;
struct profile;

struct format; /* an entry of a static table; never freed */

/* Finds pprof, folded, flamegraph, speedscope, otlp or text. ERR_USAGE, with these names. */
int format_by_name(const char *name, const struct format **format, struct error *err);

/* Chooses by the ending: .svg and .html, .folded, .json, .otlp, .txt; pprof for all others. */
const struct format *format_by_path(const char *path);

/* Does the path end in `ending`, in upper or lower case? False if the path is the ending alone. */
bool format_ends_in(const char *path, const char *ending);

bool format_is_text(const struct format *format);
bool format_is_page(const struct format *format);

/* The ending, with its dot, of a default name. */
const char *format_ending(const struct format *format);

/* The writer of a flame graph: SVG if the path ends in .svg, else HTML. */
report_writer *format_flamegraph(const char *path);

/* Writes the profile to an open file, which the caller commits. Formats that show one sample type
 * show the profile's default type. pprof is compressed unless the file's name ends in .pb.
 * ERR_NOMEM, ERR_IO, ERR_LIMIT. */
int format_write(const struct format *format, const struct profile *p, struct outfile *file,
		 struct error *err);

#endif

/* In which form a profile is written: as an option says, or a file's ending. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/view.h"

struct error;
struct outfile;
struct profile;

struct format; /* one of a table; nothing to free */

/* pprof, folded, flamegraph, speedscope or text. ERR_USAGE names them. */
int format_by_name(const char *name, const struct format **format, struct error *err);

/* By the ending: .svg and .html, .folded, .json, .txt; pprof for all others. */
const struct format *format_by_path(const char *path);

/* Does a file's name end so? Capitals do not matter; the ending alone is no name. */
bool format_ends_in(const char *path, const char *ending);

bool format_is_text(const struct format *format);

/* The ending that a name made by us gets, with its dot. */
const char *format_ending(const struct format *format);

/* A flame graph is SVG in a file that is called so, and else HTML. */
report_writer *format_flamegraph(const char *path);

/* Writes the profile to an open file, which the caller commits. What is shown is the
 * profile's default type; pprof is compressed unless the file's name ends in .pb. ERR_NOMEM, ERR_IO, ERR_LIMIT. */
int format_write(const struct format *format, const struct profile *p, struct outfile *file,
		 struct error *err);

#endif

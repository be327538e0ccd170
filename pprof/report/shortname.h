/* Function names for narrow lines. */
#ifndef PPROF_REPORT_SHORTNAME_H
#define PPROF_REPORT_SHORTNAME_H

#include <stddef.h>

enum { SHORTNAME_MAX = 1024 };

/* Writes a name that fits into so many columns to `text`, of SHORTNAME_MAX bytes, and returns
 * `text`. Of a name that is too long, template arguments become "<…>" first, from the outermost on,
 * then arguments "(…)"; if it is still too long, its middle becomes "…". So the function's own name
 * stays legible. A character counts as one column. */
const char *shortname(const char *name, size_t columns, char *text);

#endif

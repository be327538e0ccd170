/* Shortens function names for narrow lines. */
#ifndef PPROF_GRAPH_FITNAME_H
#define PPROF_GRAPH_FITNAME_H

#include <stddef.h>

enum { FITNAME_MAX = 1024 };

/* Writes a name that fits into so many columns to `text`, of FITNAME_MAX bytes, and returns `text`.
 * A name that is too long loses folders, then arguments (pprof/shortname.h); if it still is, its
 * middle becomes "…". So the end, the function's own name, stays legible. A character counts as one
 * column. */
const char *fitname(const char *name, size_t columns, char *text);

#endif

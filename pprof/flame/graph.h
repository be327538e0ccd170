/*
 * Writes a profile as a flame graph: one self-contained file for a browser, with zoom, search and
 * keyboard control. The file is HTML, or SVG, which is a picture even where no script runs.
 *
 * The file holds sample types of the profile (pprof/flame/flame.h says how many, and how much of a
 * large profile). In a difference, the colour of a frame shows how it changed.
 */
#ifndef PPROF_FLAME_GRAPH_H
#define PPROF_FLAME_GRAPH_H

#include "pprof/view.h"

/* Both are report_writers. */
int report_flamegraph_html(const struct profile *p, const struct report_view *v, struct buffer *out,
			   struct error *err);
int report_flamegraph_svg(const struct profile *p, const struct report_view *v, struct buffer *out,
			  struct error *err);

#endif

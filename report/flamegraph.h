/*
 * A profile as a flame graph: one self-contained file for a browser, with zoom, search and keyboard
 * control. The file is HTML, or SVG, which is a picture even where no script runs.
 *
 * The file holds sample types of the profile (report/flame.h says how many, and how much of a large
 * profile). In a difference, the colour of a frame shows how it changed.
 */
#ifndef REPORT_FLAMEGRAPH_H
#define REPORT_FLAMEGRAPH_H

#include "report/view.h"

/* Both are report_writers. ERR_USAGE: v->type is not in the profile. */
int report_flamegraph_html(const struct profile *p, const struct report_view *v,
			   struct buffer *out, struct error *err);
int report_flamegraph_svg(const struct profile *p, const struct report_view *v,
			  struct buffer *out, struct error *err);

#endif

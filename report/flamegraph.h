/*
 * A profile as a flame graph: one file that a browser shows, with nothing outside it, in
 * which one zooms, searches and goes about by keyboard. HTML, or SVG, which is a picture
 * even where no script runs.
 *
 * The file holds the types of the profile (report/flame.h says how many and how much of a
 * large one); a difference is coloured by what became of each frame.
 */
#ifndef REPORT_FLAMEGRAPH_H
#define REPORT_FLAMEGRAPH_H

#include "report/view.h"

/* report_writers. ERR_USAGE for a type that is not there. */
int report_flamegraph_html(const struct profile *p, const struct report_view *v,
			   struct buffer *out, struct error *err);
int report_flamegraph_svg(const struct profile *p, const struct report_view *v,
			  struct buffer *out, struct error *err);

#endif

/* The reports of whole stacks, as files for other programs. Each is described in the file of its
 * name, the flame graph's in graph.c. */
#ifndef PPROF_FLAME_REPORTS_H
#define PPROF_FLAME_REPORTS_H

#include "pprof/view.h"

/* A file for a browser, with zoom, search and keyboard control; as SVG a picture even where no
 * script runs. ERR_LIMIT: more than 512 MiB of text. */
report_writer report_flamegraph_html, report_flamegraph_svg;

/* Folded stacks, as flamegraph.pl, inferno and speedscope read them. ERR_LIMIT: more than 1 GiB of
 * text. */
report_writer report_folded;

/* speedscope's own file format. ERR_LIMIT: more than 1 GiB of text. */
report_writer report_speedscope;

#endif

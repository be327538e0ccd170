/* Writes what printText (google/pprof, internal/report/report.go) writes, line by line. */
#include "pprof/report/reports.h"

#include <string.h>

#include "base/error.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/report/heading.h"
#include "pprof/report/paint.h"

/* By graph_inlining. */
static const char *const inlining[] = { "", " (partial-inline)", " (inline)" };

static void report_top_add_row(const struct graph *g, const struct report_view *v, const char *unit,
			       uint32_t node, int64_t sum, struct printer *out)
{
	const char *from = heading_unit(g->nodes.p, v), *note = inlining[graph_inlining(g, node)];
	const struct graph_value *value = &g->values[node];
	char flat[MEASURE_MAX], flat_share[MEASURE_MAX], sum_share[MEASURE_MAX];
	char cum[MEASURE_MAX], cum_share[MEASURE_MAX];

	paint_share(out, v, value->flat, g->total);
	measure_label(value->flat, from, unit, flat);
	measure_label(value->cum, from, unit, cum);
	print_to(out, "%*s %s %s %*s %s  ", text_width(flat, 10), flat,
		 measure_percent(value->flat, g->total, flat_share),
		 measure_percent(sum, g->total, sum_share), text_width(cum, 10), cum,
		 measure_percent(value->cum, g->total, cum_share));
	text_add_fitting(out, g->nodes.list[node].label, g->nodes.list[node].label_len, v->width,
			 strlen(note));
	print_to(out, "%s", note);
	paint_end_line(out, v, value->flat, g->total);
}

static void report_top_add_all(const struct graph *g, const struct report_view *v,
			       struct printer *out)
{
	const char *unit = v->unit ? v->unit : graph_unit(g, v);
	int64_t sum = 0;

	heading_graph(g, v, unit, out);
	paint_title(out, v, "      flat  flat%   sum%        cum   cum%");
	for (size_t i = 0; i < g->shown_count && !out->rc; i++) {
		sum = measure_sum(sum, g->values[g->shown[i]].flat);
		report_top_add_row(g, v, unit, g->shown[i], sum, out);
	}
}

int report_top(const struct profile *p, const struct report_view *v, struct buffer *out,
	       struct error *err)
{
	struct graph g;
	struct printer to = { out, graph_init(&g, p, v) };

	if (!to.rc)
		report_top_add_all(&g, v, &to);
	graph_release(&g);
	return printer_result(&to, err);
}

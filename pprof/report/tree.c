/* Writes what printTree (google/pprof, internal/report/report.go) writes, line by line. */
#include "pprof/report/reports.h"

#include <string.h>

#include "base/error.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/report/heading.h"
#include "pprof/report/paint.h"
#include "pprof/select/pattern.h"

#define SEPARATOR "----------------------------------------------------------+-------------"
#define LEGEND "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t "

struct tree {
	const struct graph *g;
	const struct report_view *v;
	const char *from, *unit; /* units of the profile's values and of the output */
	int64_t sum;
	size_t matched;
	struct printer *out;
	struct error *err;
	bool said; /* err already has the reason of the failure */
};

static void tree_add_label(const struct tree *t, uint32_t node, size_t reserve)
{
	const struct node *n = &t->g->nodes.list[node];

	text_add_fitting(t->out, n->label, n->label_len, t->v->width, reserve);
}

/* Adds a line for an edge: `node` is its other end. */
static void tree_add_edge(const struct tree *t, const struct graph_edge *e, uint32_t node,
			  int64_t cum)
{
	const char *note = e->inlined ? " (inline)" : "";
	char weight[MEASURE_MAX], share[MEASURE_MAX];

	measure_label(e->weight, t->from, t->unit, weight);
	print_to(t->out, "%*s %s |   ", text_width(weight, 50), weight,
		 measure_percent(e->weight, cum, share));
	tree_add_label(t, node, strlen(note));
	print_to(t->out, "%s\n", note);
}

static void add_self(struct tree *t, uint32_t node)
{
	const struct graph_value *value = &t->g->values[node];
	char flat[MEASURE_MAX], flat_share[MEASURE_MAX], sum_share[MEASURE_MAX];
	char cum[MEASURE_MAX], cum_share[MEASURE_MAX];
	int64_t total = t->g->total;

	paint_share(t->out, t->v, value->flat, total);
	t->sum = measure_sum(t->sum, value->flat);
	measure_label(value->flat, t->from, t->unit, flat);
	measure_label(value->cum, t->from, t->unit, cum);
	print_to(t->out, "%*s %s %s %*s %s                | ", text_width(flat, 10), flat,
		 measure_percent(value->flat, total, flat_share),
		 measure_percent(t->sum, total, sum_share), text_width(cum, 10), cum,
		 measure_percent(value->cum, total, cum_share));
	tree_add_label(t, node, 0);
	paint_end_line(t->out, t->v, value->flat, total);
}

static void tree_add_node(struct tree *t, uint32_t node)
{
	struct graph_edges in = graph_in(t->g, node), out = graph_out(t->g, node);
	int64_t cum = t->g->values[node].cum;

	print_to(t->out, SEPARATOR "\n");
	for (size_t i = 0; i < in.count; i++)
		tree_add_edge(t, &t->g->edges[in.order[i]], t->g->edges[in.order[i]].from, cum);
	add_self(t, node);
	for (size_t i = 0; i < out.count; i++)
		tree_add_edge(t, &t->g->edges[out.order[i]], t->g->edges[out.order[i]].to, cum);
}

/* Adds the node if v->pattern matches it or is NULL. */
static void add_matching(struct tree *t, uint32_t node)
{
	const struct node *n = &t->g->nodes.list[node];
	int match = 1;

	if (t->v->pattern)
		match = pattern_match(t->v->pattern, n->label, n->label_len, t->err);
	t->said = match < 0;
	t->matched += match > 0;
	if (match > 0)
		tree_add_node(t, node);
	else
		printer_fail(t->out, match);
}

static void add_nodes(struct tree *t)
{
	heading_graph(t->g, t->v, t->unit, t->out);
	print_to(t->out, SEPARATOR "\n");
	paint_title(t->out, t->v, LEGEND);
	for (size_t i = 0; i < t->g->shown_count && !t->out->rc; i++)
		add_matching(t, t->g->shown[i]);
	if (t->g->shown_count)
		print_to(t->out, SEPARATOR "\n");
	if (t->out->rc || !t->v->pattern || t->matched)
		return;
	t->said = true;
	printer_fail(t->out, error_set(t->err, ERR_NOTFOUND, "no function matches the pattern"));
}

int report_tree(const struct profile *p, const struct report_view *v, struct buffer *out,
		struct error *err)
{
	struct graph g;
	struct printer to = { out, graph_init(&g, p, v) };
	struct tree t = { .g = &g, .v = v, .from = heading_unit(p, v), .out = &to, .err = err };

	if (!to.rc) {
		t.unit = v->unit ? v->unit : graph_unit(&g, v);
		add_nodes(&t);
	}
	graph_release(&g);
	return t.said ? to.rc : printer_result(&to, err);
}

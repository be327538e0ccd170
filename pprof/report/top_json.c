/* The rows of report_top and report_tree as JSON; those of a tree with callers and callees. */
#include "base/buffer.h"
#include "base/error.h"
#include "pprof/graph/graph.h"
#include "pprof/report/reportjson.h"
#include "pprof/report/reports.h"
#include "pprof/select/pattern.h"

struct top_json {
	struct graph g;
	const struct report_view *v;
	struct json j;
	size_t rows;
	bool calls; /* with callers and callees */
};

/* ,"KEY":[…]: the edges' other ends, their callers or what they call. */
static void top_json_edges(struct top_json *t, const char *key, struct graph_edges edges,
			   bool callers)
{
	json_addf(&t->j, ",\n \"%s\":[", key);
	for (size_t i = 0; i < edges.count && reportjson_row(&t->j, i); i++) {
		const struct graph_edge *e = &t->g.edges[edges.order[i]];

		json_add(&t->j, "  {");
		reportjson_node(&t->j, &t->g.nodes, callers ? e->from : e->to);
		reportjson_number(&t->j, "value", e->weight, true);
		json_addf(&t->j, ",\"inlined\":%s,\"residual\":%s}", e->inlined ? "true" : "false",
			  e->residual ? "true" : "false");
	}
	json_add(&t->j, "]");
}

static void top_json_row(struct top_json *t, uint32_t node)
{
	static const char *const inlining[] = { "never", "partly", "always" };
	const struct graph_value *value = &t->g.values[node];

	if (!reportjson_row(&t->j, t->rows++))
		return;
	json_add(&t->j, "{");
	reportjson_node(&t->j, &t->g.nodes, node);
	reportjson_number(&t->j, "flat", value->flat, true);
	reportjson_number(&t->j, "cum", value->cum, true);
	json_addf(&t->j, ",\"inlined\":\"%s\"", inlining[graph_inlining(&t->g, node)]);
	if (t->calls) {
		top_json_edges(t, "callers", graph_in(&t->g, node), true);
		top_json_edges(t, "callees", graph_out(&t->g, node), false);
	}
	json_add(&t->j, "}");
}

/* 1, 0, or the pattern's error. */
static int top_json_matches(const struct top_json *t, uint32_t node, struct error *err)
{
	const struct node *n = &t->g.nodes.list[node];

	if (!t->calls || !t->v->pattern)
		return 1;
	return pattern_match(t->v->pattern, n->label, n->label_len, err);
}

static int top_json_rows(struct top_json *t, struct error *err)
{
	int match = 1;

	json_add(&t->j, ",\n\"rows\":[");
	for (size_t i = 0; i < t->g.shown_count && !t->j.rc && match >= 0; i++) {
		match = top_json_matches(t, t->g.shown[i], err);
		if (match > 0)
			top_json_row(t, t->g.shown[i]);
	}
	if (match >= 0 && t->calls && t->v->pattern && !t->rows && !t->j.rc)
		return error_set(err, ERR_NOTFOUND, "no function matches the pattern");
	return match < 0 ? match : reportjson_close(&t->j, err);
}

static void top_json_heading(struct top_json *t, const struct profile *p)
{
	reportjson_open(&t->j, !t->calls ? "top" : t->v->pattern ? "peek" : "tree");
	reportjson_profile(&t->j, p, t->v, t->g.total);
	reportjson_selection(&t->j, t->v);
	json_add(&t->j, ",\n\"shown\":{");
	json_addf(&t->j, "\"flat\":%ld,\"nodes\":%zu,\"dropped\":%zu}",
		  (long)graph_shown_total(&t->g), t->g.all_count, t->g.dropped_count);
}

static int top_json(const struct profile *p, const struct report_view *v, bool calls,
		    struct buffer *out, struct error *err)
{
	struct top_json t = { .v = v, .calls = calls, .j = { out, 0 } };
	int rc = graph_init(&t.g, p, v);

	if (rc) {
		t.j.rc = rc;
		rc = reportjson_close(&t.j, err);
	} else {
		top_json_heading(&t, p);
		rc = top_json_rows(&t, err);
	}
	graph_release(&t.g);
	return rc;
}

int report_top_json(const struct profile *p, const struct report_view *v, struct buffer *out,
		    struct error *err)
{
	return top_json(p, v, false, out, err);
}

int report_tree_json(const struct profile *p, const struct report_view *v, struct buffer *out,
		     struct error *err)
{
	return top_json(p, v, true, out, err);
}

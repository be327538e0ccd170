/*
 * Two passes over the samples. The first adds up the nodes' values, which decide what is shown; the
 * second makes the edges between the nodes that are kept.
 *
 * google/pprof builds its graph again after each step of trimming. But leaving nodes out does not
 * change the values of other nodes (the value of a leaf that is left out goes to no other node). So
 * it is enough to build the edges once, at the end.
 *
 * A sample's number marks the nodes and edges that the sample has already counted, so that nothing
 * has to be cleared between samples.
 */
#include "pprof/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/graph/edges.h"
#include "pprof/graph/measure.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/units.h"

static int64_t graph_value_of(const struct profile *p, size_t sample, size_t type)
{
	return p->values[p->samples[sample].first_value + type];
}

static void graph_count_sample(struct graph *g, size_t sample, int64_t value, size_t *seen)
{
	size_t depth = nodes_depth(&g->nodes, sample), count;

	for (size_t i = 0; i < depth; i++) {
		const uint32_t *at = nodes_at(&g->nodes, sample, i, &count);

		for (size_t k = 0; k < count; k++) {
			struct graph_value *v = &g->values[at[k]];

			if (i == 0 && k == 0)
				v->flat = measure_sum(v->flat, value);
			if (seen[at[k]] != sample + 1)
				v->cum = measure_sum(v->cum, value);
			seen[at[k]] = sample + 1;
		}
	}
}

static int graph_count_samples(struct graph *g, const struct profile *p, size_t type)
{
	size_t *seen = calloc(g->nodes.count + 1, sizeof(*seen));

	g->values = calloc(g->nodes.count + 1, sizeof(*g->values));
	if (!seen || !g->values) {
		free(seen);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < p->sample_count; i++)
		if (graph_value_of(p, i, type))
			graph_count_sample(g, i, graph_value_of(p, i, type), seen);
	free(seen);
	return 0;
}

static size_t select_nodes(struct graph *g, int64_t cutoff)
{
	size_t count = 0;

	for (uint32_t i = 0; i < g->nodes.count; i++)
		if ((g->values[i].flat || g->values[i].cum) &&
		    measure_magnitude(g->values[i].cum) >= cutoff)
			g->shown[count++] = i;
	return count;
}

static int graph_compare(int64_t a, int64_t b)
{
	a = measure_magnitude(a);
	b = measure_magnitude(b);
	return a == b ? 0 : a > b ? -1 : 1;
}

/* FlatNameOrder. */
static int by_flat(const void *a, const void *b, void *graph)
{
	const struct graph *g = graph;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = graph_compare(g->values[x].flat, g->values[y].flat);

	return order ? order : nodes_compare(&g->nodes, x, y);
}

/* CumNameOrder. */
static int by_cum(const void *a, const void *b, void *graph)
{
	const struct graph *g = graph;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = graph_compare(g->values[x].cum, g->values[y].cum);

	return order ? order : nodes_compare(&g->nodes, x, y);
}

/* report.go, newTrimmedGraph, except for the edges. *edge_cutoff: edges below it are not shown. */
static void graph_trim(struct graph *g, const struct report_view *v, int64_t *edge_cutoff)
{
	size_t all = g->shown_count = select_nodes(g, 0);
	int64_t sum = graph_shown_total(g);
	int64_t cutoff = measure_magnitude(measure_share(sum, v->node_fraction));

	*edge_cutoff = measure_magnitude(measure_share(sum, v->edge_fraction));
	if (cutoff > 0)
		g->shown_count = select_nodes(g, cutoff);
	g->dropped_count = all - g->shown_count;
	g->all_count = g->shown_count;
	qsort_r(g->shown, g->shown_count, sizeof(*g->shown), v->cum ? by_cum : by_flat, g);
	if (v->nodecount && v->nodecount < g->shown_count)
		g->shown_count = v->nodecount;
	/* If no node was left out, nodes with values that cancel each other out still take part,
	 * though they are not shown. */
	memset(g->kept, g->shown_count == all, g->nodes.count);
	for (size_t i = 0; i < g->shown_count; i++)
		g->kept[g->shown[i]] = true;
}

int graph_init(struct graph *g, const struct profile *p, const struct report_view *v)
{
	int64_t edge_cutoff;
	int rc;

	memset(g, 0, sizeof(*g));
	rc = nodes_init(&g->nodes, p, v->by);
	g->total = v->total ? v->total : graph_total(p, v->type);
	if (!rc)
		rc = graph_count_samples(g, p, v->type);
	g->shown = malloc((g->nodes.count + 1) * sizeof(*g->shown));
	g->kept = malloc(g->nodes.count + 1);
	if (rc || !g->shown || !g->kept)
		return rc ? rc : ERR_NOMEM;
	graph_trim(g, v, &edge_cutoff);
	rc = edges_count(g, p, v->type);
	return rc ? rc : edges_order(g, edge_cutoff);
}

void graph_release(struct graph *g)
{
	nodes_release(&g->nodes);
	hashindex_release(&g->edge_index);
	free(g->values);
	free(g->shown);
	free(g->edges);
	free(g->in);
	free(g->out);
	free(g->in_first);
	free(g->out_first);
	free(g->kept);
}

struct graph_edges graph_in(const struct graph *g, uint32_t node)
{
	return (struct graph_edges){ g->in + g->in_first[node],
				     g->in_first[node + 1] - g->in_first[node] };
}

struct graph_edges graph_out(const struct graph *g, uint32_t node)
{
	return (struct graph_edges){ g->out + g->out_first[node],
				     g->out_first[node + 1] - g->out_first[node] };
}

int64_t graph_shown_total(const struct graph *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < g->shown_count; i++)
		sum = measure_sum(sum, g->values[g->shown[i]].flat);
	return sum;
}

int64_t graph_total(const struct profile *p, size_t type)
{
	int64_t all = 0, base = 0;

	for (size_t i = 0; i < p->sample_count; i++) {
		int64_t value = measure_magnitude(graph_value_of(p, i, type));

		all = measure_sum(all, value);
		if (sample_is_base(p, &p->samples[i]))
			base = measure_sum(base, value);
	}
	return base > 0 ? base : all;
}

const char *graph_unit(const struct graph *g, const struct report_view *v)
{
	const struct profile *p = g->nodes.p;
	const char *sample_unit = strset_get(&p->strings, p->types[v->type].unit);
	const char *unit, *largest_unit;
	int64_t least = 0, hundredfold;

	if (!g->shown_count)
		return "minimum";
	for (size_t i = 0; i < g->shown_count; i++) {
		const struct graph_value *value = &g->values[g->shown[i]];
		int64_t size = measure_magnitude(value->flat ? value->flat : value->cum);

		if (size && (!least || size < least))
			least = size;
	}
	least = least ? least : g->total;
	hundredfold = least > INT64_MAX / 100 ? INT64_MAX : least * 100;
	units_scale(least, sample_unit, "minimum", &unit);
	units_scale(g->total, sample_unit, "minimum", &largest_unit);
	/* The smallest value may be shown as 0.01 if that allows a larger unit. */
	if (strcmp(unit, largest_unit) && hundredfold < g->total)
		units_scale(hundredfold, sample_unit, "minimum", &unit);
	return *unit ? unit : sample_unit;
}

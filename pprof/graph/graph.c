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
#include "base/room.h"
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

/* Edges. One is found in a hash index by its pair of nodes. When all are counted, they are sorted
 * once by callee and once by caller, so that the edges of a node are adjacent. */

struct edges_pair {
	uint32_t from, to;
};

/* The traversal of one sample's stack from the root to the leaf. */
struct edges_walk {
	struct graph *g;
	size_t number; /* of the sample, from 1 */
	int64_t value;
	uint32_t parent;
	bool has_parent, residual;
	size_t *seen; /* by edge: the last sample that counted it */
	size_t seen_room;
};

static bool edges_same_pair(const void *owner, uint32_t id, const void *key)
{
	const struct graph_edge *e = &((const struct graph *)owner)->edges[id];
	const struct edges_pair *pair = key;

	return e->from == pair->from && e->to == pair->to;
}

static int edges_add_edge(struct edges_walk *w, struct edges_pair pair, uint64_t hash, bool inlined)
{
	struct graph *g = w->g;

	if (room_for((void **)&g->edges, &g->edge_room, g->edge_count + 1, sizeof(*g->edges)) ||
	    room_for((void **)&w->seen, &w->seen_room, g->edge_count + 1, sizeof(*w->seen)) ||
	    hashindex_add(&g->edge_index, hash, (uint32_t)g->edge_count))
		return ERR_NOMEM;
	w->seen[g->edge_count] = w->number;
	g->edges[g->edge_count++] = (struct graph_edge){ .from = pair.from,
							 .to = pair.to,
							 .weight = w->value,
							 .residual = w->residual,
							 .inlined = inlined };
	return 0;
}

/* graph.go, AddToEdgeDiv: counts each edge once for a sample. */
static int edges_count_call(struct edges_walk *w, uint32_t node, bool inlined)
{
	struct edges_pair pair = { w->parent, node };
	uint64_t hash = hash_bytes(&pair, sizeof(pair));
	uint32_t id = hashindex_find(&w->g->edge_index, hash, edges_same_pair, w->g, &pair);
	struct graph_edge *e;

	if (id == HASHINDEX_NONE)
		return edges_add_edge(w, pair, hash, inlined);
	if (w->seen[id] == w->number)
		return 0;
	w->seen[id] = w->number;
	e = &w->g->edges[id];
	e->weight = measure_sum(e->weight, w->value);
	e->residual = e->residual || w->residual;
	e->inlined = e->inlined && inlined;
	return 0;
}

static int edges_step(struct edges_walk *w, uint32_t node, bool inlined)
{
	int rc = 0;

	if (!w->g->kept[node]) {
		w->residual = true;
		return 0;
	}
	if (w->has_parent && node != w->parent)
		rc = edges_count_call(w, node, inlined);
	w->parent = node;
	w->has_parent = true;
	w->residual = false;
	return rc;
}

static int edges_count_sample(struct edges_walk *w, size_t sample)
{
	size_t count;
	int rc = 0;

	w->number = sample + 1;
	w->has_parent = w->residual = false;
	for (size_t i = nodes_depth(&w->g->nodes, sample); i-- && !rc;) {
		const uint32_t *at = nodes_at(&w->g->nodes, sample, i, &count);

		for (size_t k = count; k-- && !rc;)
			rc = edges_step(w, at[k], k != count - 1);
	}
	return rc;
}

/* Adds up the weights of the calls between the nodes that are kept. */
static int edges_count(struct graph *g, const struct profile *p, size_t type)
{
	struct edges_walk w = { .g = g };
	int rc = 0;

	for (size_t i = 0; i < p->sample_count && !rc; i++) {
		w.value = p->values[p->samples[i].first_value + type];
		if (w.value)
			rc = edges_count_sample(&w, i);
	}
	free(w.seen);
	return rc;
}

/* graph.go, TrimLowFrequencyEdges: edges to nodes that are not shown are kept. */
static int drop_light(struct graph *g, int64_t cutoff)
{
	bool *shown = calloc(g->nodes.count + 1, 1);
	size_t kept = 0;

	if (!shown)
		return ERR_NOMEM;
	for (size_t i = 0; i < g->shown_count; i++)
		shown[g->shown[i]] = true;
	for (size_t i = 0; i < g->edge_count; i++)
		if (!shown[g->edges[i].to] || measure_magnitude(g->edges[i].weight) >= cutoff)
			g->edges[kept++] = g->edges[i];
	g->edge_count = kept;
	hashindex_release(&g->edge_index);
	free(shown);
	return 0;
}

/* graph.go, edgeList.Less, which leaves ties undefined; here the edge's number decides them. */
static int edges_by_weight(const void *a, const void *b, void *graph)
{
	const struct graph *g = graph;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct graph_edge *x = &g->edges[i], *y = &g->edges[k];
	int64_t weight_x = measure_magnitude(x->weight), weight_y = measure_magnitude(y->weight);
	int order;

	if (weight_x != weight_y)
		return weight_x > weight_y ? -1 : 1;
	order = nodes_compare(&g->nodes, x->from, y->from);
	order = order ? order : nodes_compare(&g->nodes, x->to, y->to);
	return order ? order : i < k ? -1 : i > k;
}

static uint32_t edges_end_of(const struct graph_edge *e, bool callee)
{
	return callee ? e->to : e->from;
}

/* A counting sort by one end of the edges, then a sort of each node's edges by weight. */
static int sort_by_end(struct graph *g, bool callee, uint32_t **order, size_t **first)
{
	size_t *at = *first = calloc(g->nodes.count + 2, sizeof(*at));

	*order = malloc((g->edge_count + 1) * sizeof(**order));
	if (!at || !*order)
		return ERR_NOMEM;
	for (size_t i = 0; i < g->edge_count; i++)
		at[edges_end_of(&g->edges[i], callee) + 2]++;
	for (size_t i = 2; i < g->nodes.count + 2; i++)
		at[i] += at[i - 1];
	for (uint32_t i = 0; i < g->edge_count; i++)
		(*order)[at[edges_end_of(&g->edges[i], callee) + 1]++] = i;
	for (size_t i = 0; i < g->nodes.count; i++)
		qsort_r(*order + at[i], at[i + 1] - at[i], sizeof(**order), edges_by_weight, g);
	return 0;
}

/* Removes the edges to shown nodes that weigh less than `cutoff`, and sorts the others by node. */
static int edges_order(struct graph *g, int64_t cutoff)
{
	if (drop_light(g, cutoff) || sort_by_end(g, true, &g->in, &g->in_first))
		return ERR_NOMEM;
	return sort_by_end(g, false, &g->out, &g->out_first);
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

enum graph_inlining graph_inlining(const struct graph *g, uint32_t node)
{
	struct graph_edges in = graph_in(g, node);
	size_t inlined = 0;

	for (size_t i = 0; i < in.count; i++)
		inlined += g->edges[in.order[i]].inlined;
	return !inlined ? GRAPH_NEVER : inlined < in.count ? GRAPH_PARTLY : GRAPH_ALWAYS;
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

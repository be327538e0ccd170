/*
 * An edge is found in a hash index by its pair of nodes. When all edges are counted, they are
 * sorted once by callee and once by caller, so that the edges of a node are adjacent.
 */
#include "pprof/graph/edges.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "pprof/profile.h"

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

int edges_count(struct graph *g, const struct profile *p, size_t type)
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

int edges_order(struct graph *g, int64_t cutoff)
{
	if (drop_light(g, cutoff) || sort_by_end(g, true, &g->in, &g->in_first))
		return ERR_NOMEM;
	return sort_by_end(g, false, &g->out, &g->out_first);
}

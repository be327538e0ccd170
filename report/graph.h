/*
 * A profile as a graph of calls, as far as reports in text show it: what google/pprof's
 * internal/graph/graph.go and report.go's newTrimmedGraph make, number by number.
 *
 * A node's flat value is that of the samples whose leaf it is, its cum value that of the
 * samples it occurs in, once each however often it recurses; an edge's weight that of the
 * samples in which the one calls the other. An edge over frames whose nodes were left out
 * is residual, and a leaf that was left out gives its value to nobody.
 */
#ifndef REPORT_GRAPH_H
#define REPORT_GRAPH_H

#include "report/nodes.h"

struct graph_edge {
	uint32_t from, to; /* nodes: caller, callee */
	int64_t weight;
	bool residual;
	bool inlined; /* every call of it was inlined */
};

struct graph_value {
	int64_t flat, cum;
};

/* A node's edges: edges[order[first + i]]. */
struct graph_edges {
	const uint32_t *order;
	size_t count;
};

struct graph {
	struct nodes nodes;
	struct graph_value *values; /* by node */
	uint32_t *shown;	    /* nodes in the order of the report */
	size_t shown_count;
	size_t all_count;     /* before the limit of their number */
	size_t dropped_count; /* left out because they are too small */
	int64_t total;	      /* what is 100 % */
	struct graph_edge *edges;
	size_t edge_count, edge_room;
	uint32_t *in, *out; /* edges in the order of their nodes, and there the heaviest first */
	size_t *in_first, *out_first; /* by node, and one more */
	struct hashindex edge_index;
	bool *kept; /* by node: it takes part */
};

/* The graph that a view shows. 0, ERR_NOMEM, ERR_LIMIT (nodes_init). To be released in
 * any case; the profile must outlive it. */
int graph_init(struct graph *g, const struct profile *p, const struct report_view *v);
void graph_release(struct graph *g);

/* The edges that lead to a node, from it; by weight, then by names. */
struct graph_edges graph_in(const struct graph *g, uint32_t node);
struct graph_edges graph_out(const struct graph *g, uint32_t node);

/* The sum of the shown nodes' flat values. */
int64_t graph_shown_total(const struct graph *g);

/* What is 100 %: the sum of all values' magnitudes, or, where the profile is a difference
 * (samples of the base are labelled pprof::base, true), of those of the base. */
int64_t graph_total(const struct profile *p, size_t type);

/* The unit in which a report shows values of type v->type when v->unit is NULL: the one
 * that fits the smallest of the shown values (report.go, selectOutputUnit). */
const char *graph_unit(const struct graph *g, const struct report_view *v);

#endif

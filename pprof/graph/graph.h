/*
 * Makes a graph of calls of a profile, as the text reports need it. Every number is the same as in
 * google/pprof's internal/graph/graph.go and report.go's newTrimmedGraph.
 *
 * A node's flat value is that of the samples that have it as leaf. Its cum value is that of the
 * samples in which it occurs; a recursive function counts once in a sample. An edge's weight is the
 * value of the samples in which the caller calls the callee. An edge is residual if it skips frames
 * with nodes that were left out. The value of a leaf that was left out goes to no other node.
 */
#ifndef PPROF_GRAPH_GRAPH_H
#define PPROF_GRAPH_GRAPH_H

#include "pprof/graph/nodes.h"

struct graph_edge {
	uint32_t from, to; /* nodes: caller, callee */
	int64_t weight;
	bool residual;
	bool inlined; /* true: every such call was inlined */
};

struct graph_value {
	int64_t flat, cum;
};

/* A node's edges: edges[order[i]] for i below `count`. */
struct graph_edges {
	const uint32_t *order;
	size_t count;
};

struct graph {
	struct nodes nodes;
	struct graph_value *values; /* by node */
	uint32_t *shown;	    /* nodes in the order of the report */
	size_t shown_count;
	size_t all_count;     /* nodes before v->nodecount limits them */
	size_t dropped_count; /* left out because they are too small */
	int64_t total;	      /* what is 100 % */
	struct graph_edge *edges;
	size_t edge_count, edge_room;
	uint32_t *in, *out; /* indexes of edges, by callee and by caller; heaviest first */
	size_t *in_first, *out_first; /* by node: where its edges begin; and one more */
	struct hashindex edge_index;
	bool *kept; /* by node: it can have edges */
};

/* Makes the graph that a view shows. 0, ERR_NOMEM, ERR_LIMIT (nodes_init). The caller calls
 * graph_release, after an error too. The profile must outlive the graph. */
int graph_init(struct graph *g, const struct profile *p, const struct report_view *v);
void graph_release(struct graph *g);

/* The edges to a node, and the edges from it, sorted by weight, then by names. */
struct graph_edges graph_in(const struct graph *g, uint32_t node);
struct graph_edges graph_out(const struct graph *g, uint32_t node);

/* Which calls of the node were inlined: those in its edges. */
enum graph_inlining { GRAPH_NEVER, GRAPH_PARTLY, GRAPH_ALWAYS };
enum graph_inlining graph_inlining(const struct graph *g, uint32_t node);

/* The sum of the shown nodes' flat values. */
int64_t graph_shown_total(const struct graph *g);

/* What is 100 %: the sum of the magnitudes of all values. If the profile is a difference, only the
 * values of the base count: its samples have the label "pprof::base" with the value "true". */
int64_t graph_total(const struct profile *p, size_t type);

/* The unit in which a report shows values of v->type if v->unit is NULL: the one that fits the
 * smallest of the shown values (report.go, selectOutputUnit). */
const char *graph_unit(const struct graph *g, const struct report_view *v);

#endif

/* The edges of a graph (pprof/graph/graph.h), for graph_init() only. */
#ifndef PPROF_GRAPH_EDGES_H
#define PPROF_GRAPH_EDGES_H

#include <stddef.h>
#include <stdint.h>

struct graph;
struct profile;

/* Adds up the weights of the calls between the nodes that are kept. 0 or ERR_NOMEM. */
int edges_count(struct graph *g, const struct profile *p, size_t type);

/* Removes the edges to shown nodes that weigh less than `cutoff`, and sorts the others by node. 0
 * or ERR_NOMEM. */
int edges_order(struct graph *g, int64_t cutoff);

#endif

/* The edges of a graph (report/graph.h), for graph_init() alone. */
#ifndef REPORT_EDGES_H
#define REPORT_EDGES_H

#include <stddef.h>
#include <stdint.h>

struct graph;
struct profile;

/* Adds up the calls between the nodes that are kept. 0 or ERR_NOMEM. */
int edges_count(struct graph *g, const struct profile *p, size_t type);

/* Leaves out the edges to shown nodes that weigh less than `cutoff`, and sorts the others
 * by their nodes. 0 or ERR_NOMEM. */
int edges_order(struct graph *g, int64_t cutoff);

#endif

/*
 * Merges stacks into a tree: stacks that begin with the same frames share the nodes of these
 * frames.
 *
 * Each node has one value for each column. A column is a sample type, or one side of a sample
 * type's difference. No function here is recursive, because a stack may be a million frames deep.
 * Node 0 is the root, above all stacks. A node's number is larger than its parent's.
 *
 *   calltree_init -> calltree_add… -> calltree_finish -> calltree_next…
 */
#ifndef PPROF_GRAPH_CALLTREE_H
#define PPROF_GRAPH_CALLTREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"

struct error;

enum { CALLTREE_NONE = UINT32_MAX };

struct calltree_node {
	uint32_t frame;	      /* the caller's number for it; the root's is CALLTREE_NONE */
	uint32_t parent;      /* the root's is CALLTREE_NONE */
	uint32_t first, next; /* child, sibling, or CALLTREE_NONE; set by calltree_finish */
	uint32_t depth;	      /* the root's is 0 */
};

struct calltree {
	struct calltree_node *nodes;
	int64_t *self;	/* self[node * columns + column]: of the stacks that end at the node */
	int64_t *total; /* the same, of all stacks through the node; set by calltree_finish */
	size_t count, columns;
	size_t node_room, self_room;
	struct hashindex index;
};

/* ERR_NOMEM. The caller calls calltree_release, after an error too. */
int calltree_init(struct calltree *t, size_t columns);
void calltree_release(struct calltree *t);

/* Adds a stack, outermost frame first, and its values, one for each column. Sums saturate at
 * INT64_MIN and INT64_MAX. ERR_NOMEM; ERR_LIMIT: the tree gets too large. */
int calltree_add(struct calltree *t, const uint32_t *frames, size_t count, const int64_t *values,
		 struct error *err);

/* Computes the totals and puts siblings in the order of rank[frame] (rank NULL: of the frames'
 * numbers). ERR_NOMEM. */
int calltree_finish(struct calltree *t, const uint32_t *rank, struct error *err);

/* Call both after calltree_finish. calltree_next returns the node after `node` in preorder,
 * CALLTREE_NONE after the last. Begin with 0. calltree_skip does the same but leaves out the
 * descendants of `node`. */
uint32_t calltree_next(const struct calltree *t, uint32_t node);
uint32_t calltree_skip(const struct calltree *t, uint32_t node);

#endif

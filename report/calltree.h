/*
 * Stacks laid over each other: a tree in which stacks that begin alike share nodes.
 *
 * Each node holds a column of values for each thing that is shown (a sample type, or the
 * two sides of a difference). Nothing here calls itself: a stack may be a million deep.
 * Node 0 is the root, above all stacks; a node's number is larger than its parent's.
 *
 *   calltree_init -> calltree_add… -> calltree_finish -> calltree_next…
 */
#ifndef REPORT_CALLTREE_H
#define REPORT_CALLTREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"

struct error;

enum { CALLTREE_NONE = UINT32_MAX };

struct calltree_node {
	uint32_t frame;	       /* what the caller calls it; the root's is CALLTREE_NONE */
	uint32_t parent;       /* the root's is CALLTREE_NONE */
	uint32_t first, next;  /* child, sibling, or CALLTREE_NONE; after calltree_finish */
	uint32_t depth;	       /* the root's is 0 */
};

struct calltree {
	struct calltree_node *nodes;
	int64_t *self;	/* self[node * columns + column]; of stacks that end there */
	int64_t *total; /* and of those above it, too; after calltree_finish */
	size_t count, columns;
	size_t node_room, self_room;
	struct hashindex index;
};

/* ERR_NOMEM. To be released in any case. */
int calltree_init(struct calltree *t, size_t columns);
void calltree_release(struct calltree *t);

/* Adds a stack, outermost frame first, and its values, one for each column. Sums stay at
 * the ends of their range. ERR_NOMEM; ERR_LIMIT when the tree gets too large. */
int calltree_add(struct calltree *t, const uint32_t *frames, size_t count, const int64_t *values,
		 struct error *err);

/* Adds up totals and puts siblings in the order of rank[frame] (NULL: of the frames'
 * numbers). ERR_NOMEM. */
int calltree_finish(struct calltree *t, const uint32_t *rank, struct error *err);

/* After calltree_finish: the node after this one when parents come before children, and
 * children in their order; CALLTREE_NONE after the last. Begin with 0. `skip` leaves out
 * what is below the node. */
uint32_t calltree_next(const struct calltree *t, uint32_t node);
uint32_t calltree_skip(const struct calltree *t, uint32_t node);

/* a + b within the range of int64_t. */
int64_t calltree_sum(int64_t a, int64_t b);

#endif

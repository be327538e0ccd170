/* While the tree grows, a child is found by a hash of its parent and frame. Siblings are linked in
 * order once, at the end, by a sort of all nodes by parent and rank. */
#include "pprof/graph/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "pprof/graph/measure.h"

/* Values (nodes times columns); some 100 bytes each. */
static const size_t NODES_MAX = 1u << 25;

struct edge {
	uint32_t parent, frame;
};

struct ranked {
	uint32_t parent, rank, node;
};

static bool same_edge(const void *owner, uint32_t id, const void *key)
{
	const struct calltree_node *n = &((const struct calltree *)owner)->nodes[id];
	const struct edge *e = key;

	return n->parent == e->parent && n->frame == e->frame;
}

static int calltree_add_node(struct calltree *t, struct edge e, uint32_t depth)
{
	size_t count = t->count + 1;

	if (room_for((void **)&t->nodes, &t->node_room, count, sizeof(*t->nodes)) ||
	    room_for((void **)&t->self, &t->self_room, count * t->columns, sizeof(*t->self)))
		return ERR_NOMEM;
	t->nodes[t->count] = (struct calltree_node){ e.frame, e.parent, CALLTREE_NONE,
						     CALLTREE_NONE, depth };
	memset(t->self + t->count * t->columns, 0, t->columns * sizeof(*t->self));
	t->count++;
	return 0;
}

int calltree_init(struct calltree *t, size_t columns)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	return calltree_add_node(t, (struct edge){ CALLTREE_NONE, CALLTREE_NONE }, 0);
}

void calltree_release(struct calltree *t)
{
	free(t->nodes);
	free(t->self);
	free(t->total);
	hashindex_release(&t->index);
	memset(t, 0, sizeof(*t));
}

static int calltree_find_or_add(struct calltree *t, struct edge e, uint32_t depth, uint32_t *node)
{
	uint64_t hash = hash_bytes(&e, sizeof(e));

	*node = hashindex_find(&t->index, hash, same_edge, t, &e);
	if (*node != HASHINDEX_NONE)
		return 0;
	if (t->count * t->columns >= NODES_MAX)
		return ERR_LIMIT;
	*node = (uint32_t)t->count;
	if (calltree_add_node(t, e, depth) || hashindex_add(&t->index, hash, *node))
		return ERR_NOMEM;
	return 0;
}

int calltree_add(struct calltree *t, const uint32_t *frames, size_t count, const int64_t *values,
		 struct error *err)
{
	uint32_t node = 0;
	int64_t *self;

	for (size_t i = 0; i < count; i++) {
		struct edge e = { node, frames[i] };
		int rc = calltree_find_or_add(t, e, (uint32_t)i + 1, &node);

		if (rc)
			return error_set(err, rc,
					 rc == ERR_LIMIT ?
						 "the stacks are too many and too different" :
						 "out of memory");
	}
	self = t->self + node * t->columns;
	for (size_t i = 0; i < t->columns; i++)
		self[i] = measure_sum(self[i], values[i]);
	return 0;
}

static int calltree_by_place(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int link_children(struct calltree *t, const uint32_t *rank)
{
	struct ranked *all = malloc(t->count * sizeof(*all));

	if (!all)
		return ERR_NOMEM;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t frame = t->nodes[i].frame;

		all[i] = (struct ranked){ t->nodes[i].parent, rank ? rank[frame] : frame, i };
	}
	qsort(all + 1, t->count - 1, sizeof(*all), calltree_by_place);
	for (size_t i = t->count - 1; i > 0; i--) {
		struct calltree_node *parent = &t->nodes[all[i].parent];

		t->nodes[all[i].node].next = parent->first;
		parent->first = all[i].node;
	}
	free(all);
	return 0;
}

int calltree_finish(struct calltree *t, const uint32_t *rank, struct error *err)
{
	t->total = malloc(t->count * t->columns * sizeof(*t->total) + 1);
	if (!t->total || link_children(t, rank))
		return error_nomem(err);
	memcpy(t->total, t->self, t->count * t->columns * sizeof(*t->total));
	for (size_t i = t->count - 1; i > 0; i--) {
		int64_t *parent = t->total + t->nodes[i].parent * t->columns;
		const int64_t *mine = t->total + i * t->columns;

		for (size_t c = 0; c < t->columns; c++)
			parent[c] = measure_sum(parent[c], mine[c]);
	}
	return 0;
}

uint32_t calltree_skip(const struct calltree *t, uint32_t node)
{
	while (node != CALLTREE_NONE && t->nodes[node].next == CALLTREE_NONE)
		node = t->nodes[node].parent;
	return node == CALLTREE_NONE ? CALLTREE_NONE : t->nodes[node].next;
}

uint32_t calltree_next(const struct calltree *t, uint32_t node)
{
	if (t->nodes[node].first != CALLTREE_NONE)
		return t->nodes[node].first;
	return calltree_skip(t, node);
}

/*
 * A function's only call stands below it in the same column, as in report --calls
 * (pprof/report/calls.c): stacks are deep, and only where threads part is there something to
 * indent. What threads that end at a frame do, and which they are, stands behind it.
 *
 * Nothing here is recursive: a file may have stacks of any depth.
 */
#include "cli/dump/merge/mergetree.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printer.h"
#include "base/room.h"
#include "cli/dump/merge/merged.h"
#include "cli/dump/merge/who.h"

enum { STATES = 3 }; /* that are told of one frame */

/* Threads that have the frames up to `depth` in common, still to be shown. */
struct mergetree_node {
	size_t begin, end; /* in m->order */
	size_t depth;	   /* of its frame; the outermost is 0 */
	size_t indent;	   /* bytes of `indent` that stand before it */
	bool branch, last; /* its caller has several callees; it is the last of them */
};

struct mergetree {
	const struct merged *m;
	struct mergetree_node *pending; /* the next one is the last */
	size_t count, room;
	struct buffer indent;
	struct printer *p;
};

static const struct merged_thread *mergetree_thread(const struct mergetree *t, size_t i)
{
	return &t->m->threads[t->m->order[i]];
}

/* Those that end at the depth are the first. */
static size_t mergetree_end_here(const struct mergetree *t, const struct mergetree_node *n)
{
	size_t i = n->begin;

	while (i < n->end && mergetree_thread(t, i)->count == n->depth + 1)
		i++;
	return i - n->begin;
}

/* The last is the next to be shown: the largest. */
static int mergetree_by_size(const void *a, const void *b)
{
	const struct mergetree_node *x = a, *y = b;
	size_t left = x->end - x->begin, right = y->end - y->begin;

	if (left != right)
		return left < right ? -1 : 1;
	return x->begin > y->begin ? -1 : x->begin < y->begin;
}

static void mergetree_push(struct mergetree *t, const struct mergetree_node *n)
{
	if (room_for((void **)&t->pending, &t->room, t->count + 1, sizeof(*t->pending)))
		printer_fail(t->p, ERR_NOMEM);
	else
		t->pending[t->count++] = *n;
}

/* Makes the calls of threads begin to end, at that depth, pending. */
static void mergetree_push_calls(struct mergetree *t, size_t begin, size_t end, size_t depth)
{
	size_t first = t->count, calls;

	for (size_t i = begin, next; i < end && !t->p->rc; i = next) {
		const struct merged_thread *a = mergetree_thread(t, i), *b;
		struct mergetree_node n = { i, i, depth, t->indent.len, false, false };

		for (next = i; next < end; next++) {
			b = mergetree_thread(t, next);
			if (t->m->frames[a->first + depth] != t->m->frames[b->first + depth])
				break;
		}
		n.end = next;
		mergetree_push(t, &n);
	}
	calls = t->count - first;
	if (calls > 1)
		qsort(t->pending + first, calls, sizeof(*t->pending), mergetree_by_size);
	for (size_t i = 0; calls > 1 && i < calls; i++) {
		t->pending[first + i].branch = true;
		t->pending[first + i].last = i == 0;
	}
}

/* `sleeping in futex`, `7 sleeping in poll, 1 running` */
static void mergetree_print_states(const struct mergetree *t, size_t begin, size_t count)
{
	uint32_t states[STATES];
	size_t counts[STATES] = { 0 }, kinds = 0, others = 0, k;

	for (size_t i = begin; i < begin + count; i++) {
		uint32_t state = mergetree_thread(t, i)->state;

		for (k = 0; k < kinds && states[k] != state; k++)
			;
		if (k < STATES && k == kinds)
			states[kinds++] = state;
		if (k < STATES)
			counts[k]++;
		else
			others++;
	}
	for (k = 0; k < kinds; k++) {
		print_to(t->p, k ? ", " : "");
		if (kinds > 1)
			print_to(t->p, "%zu ", counts[k]);
		print_foreign(t->p, strset_get(&t->m->texts, states[k]));
	}
	if (others)
		print_to(t->p, ", %zu others", others);
}

/* What threads that end here do, and which they are. */
static void mergetree_print_ends(const struct mergetree *t, const struct mergetree_node *n)
{
	size_t count = mergetree_end_here(t, n), before;

	if (!count)
		return;
	print_to(t->p, "  (");
	if (count < n->end - n->begin)
		print_to(t->p, "%zu here: ", count);
	mergetree_print_states(t, n->begin, count);
	print_to(t->p, "; ");
	before = t->p->out->len;
	who_print(t->m, t->m->order + n->begin, count, t->p);
	if (!t->p->rc && t->p->out->len == before)
		t->p->out->len -= 2; /* there is nothing to tell */
	print_to(t->p, ")");
}

static void mergetree_show(struct mergetree *t, const struct mergetree_node *n)
{
	const struct merged_thread *first = mergetree_thread(t, n->begin);

	t->indent.len = n->indent;
	print_to(t->p, "%7zu  ", n->end - n->begin);
	print_bytes(t->p, t->indent.data, t->indent.len);
	if (n->branch)
		print_to(t->p, n->last ? "└─" : "├─");
	who_print_frame(t->m, t->m->frames[first->first + n->depth], t->p);
	mergetree_print_ends(t, n);
	print_to(t->p, "\n");
	if (n->branch)
		printer_fail(t->p, buffer_addf(&t->indent, n->last ? "  " : "│ "));
	mergetree_push_calls(t, n->begin + mergetree_end_here(t, n), n->end, n->depth + 1);
}

void mergetree_print(const struct merged *m, struct printer *p)
{
	struct mergetree t = { .m = m, .p = p };

	mergetree_push_calls(&t, 0, m->thread_count, 0);
	while (t.count && !p->rc) {
		struct mergetree_node n = t.pending[--t.count];

		mergetree_show(&t, &n);
	}
	free(t.pending);
	buffer_release(&t.indent);
}

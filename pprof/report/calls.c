/*
 * Shows the tree of calls, from the outermost frames inward, the costliest call first:
 *
 *      cum   cum%  flat%
 *      10s   100%     0%  main
 *      10s   100%     0%  serve
 *       7s 70.00% 10.00%  ├─handle
 *       6s 60.00% 60.00%  │ parse
 *       3s 30.00% 30.00%  └─log
 *
 * A function's only call stands below it in the same column, as in perf report --stdio: stacks are
 * deep, terminals are narrow, and only where a function makes several calls is there something to
 * indent. Calls below v->node_fraction are left out.
 *
 * Rejected: an indentation for each call, as async-profiler has it. A stack of Python or Java has
 * sixty frames, of which the last would be one letter wide.
 */
#include "pprof/report/reports.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/room.h"
#include "pprof/graph/calltree.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/paint.h"
#include "pprof/units.h"

/* A call that is still to be shown. */
struct pending {
	uint32_t node; /* of the tree */
	bool branch;   /* its caller makes several calls; */
	bool last;     /* it is the last of them */
	size_t indent; /* bytes of `indent` that stand before it */
};

struct calls {
	const struct profile *p;
	const struct report_view *v;
	const char *from, *unit; /* units of the profile's values and of the output */
	int64_t total, cutoff;
	struct nodes nodes;
	struct calltree tree;
	uint32_t *stack; /* of one sample, outermost first */
	size_t stack_room;
	struct pending *pending; /* the next one is the last */
	size_t pending_count, pending_room;
	struct buffer indent;
	struct printer *out;
	struct error *err;
	bool said; /* err already has the reason of the failure */
};

/* Building the tree. */

static int list_stack(struct calls *c, size_t sample, size_t *count)
{
	size_t lines;

	*count = 0;
	for (size_t i = nodes_depth(&c->nodes, sample); i-- > 0;) {
		const uint32_t *at = nodes_at(&c->nodes, sample, i, &lines);

		if (room_for((void **)&c->stack, &c->stack_room, *count + lines, sizeof(*c->stack)))
			return ERR_NOMEM;
		while (lines-- > 0)
			c->stack[(*count)++] = at[lines];
	}
	return 0;
}

static int report_calls_add_sample(struct calls *c, size_t sample)
{
	size_t count;
	int rc;

	if (list_stack(c, sample, &count))
		return ERR_NOMEM;
	rc = calltree_add(&c->tree, c->stack, count,
			  c->p->values + c->p->samples[sample].first_value + c->v->type, c->err);
	c->said |= rc != 0;
	return rc;
}

static int make_tree(struct calls *c)
{
	int rc = nodes_init(&c->nodes, c->p, c->v->by);

	rc = rc ? rc : calltree_init(&c->tree, 1);
	for (size_t i = 0; i < c->p->sample_count && !rc; i++)
		rc = report_calls_add_sample(c, i);
	return rc ? rc : calltree_finish(&c->tree, NULL, NULL);
}

/* Walking it. */

static bool report_calls_is_shown(const struct calls *c, uint32_t node)
{
	int64_t size = measure_magnitude(c->tree.total[node]);

	return size && size >= c->cutoff;
}

/* The last of the pending is the next: the largest comes last. */
static int by_size(const void *a, const void *b, void *calls)
{
	const struct calls *c = calls;
	uint32_t x = ((const struct pending *)a)->node, y = ((const struct pending *)b)->node;
	int64_t left = measure_magnitude(c->tree.total[x]);
	int64_t right = measure_magnitude(c->tree.total[y]);

	if (left != right)
		return left < right ? -1 : 1;
	return nodes_compare(&c->nodes, c->tree.nodes[y].frame, c->tree.nodes[x].frame);
}

/* Makes the calls of a node pending. */
static int push_calls(struct calls *c, uint32_t node)
{
	size_t first = c->pending_count, count;

	for (uint32_t n = c->tree.nodes[node].first; n != CALLTREE_NONE;
	     n = c->tree.nodes[n].next) {
		if (!report_calls_is_shown(c, n))
			continue;
		if (room_for((void **)&c->pending, &c->pending_room, c->pending_count + 1,
			     sizeof(*c->pending)))
			return ERR_NOMEM;
		c->pending[c->pending_count++] = (struct pending){ n, false, false, c->indent.len };
	}
	count = c->pending_count - first;
	if (count > 1) /* qsort_r takes no NULL */
		qsort_r(c->pending + first, count, sizeof(*c->pending), by_size, c);
	for (size_t i = 0; count > 1 && i < count; i++) {
		c->pending[first + i].branch = true;
		c->pending[first + i].last = i == 0;
	}
	return 0;
}

static void add_numbers(const struct calls *c, uint32_t node)
{
	char cum[MEASURE_MAX], cum_share[MEASURE_MAX], flat_share[MEASURE_MAX];

	measure_label(c->tree.total[node], c->from, c->unit, cum);
	print_to(c->out, "%*s %s %s  ", text_width(cum, 10), cum,
		 measure_percent(c->tree.total[node], c->total, cum_share),
		 measure_percent(c->tree.self[node], c->total, flat_share));
}

static void report_calls_add_row(const struct calls *c, const struct pending *n)
{
	const struct node *label = &c->nodes.list[c->tree.nodes[n->node].frame];
	int64_t self = c->tree.self[n->node];

	paint_share(c->out, c->v, self, c->total);
	add_numbers(c, n->node);
	print_bytes(c->out, c->indent.data, c->indent.len);
	if (n->branch)
		print_to(c->out, n->last ? "└─" : "├─");
	text_add_fitting(c->out, label->label, label->label_len, c->v->width, 0);
	paint_end_line(c->out, c->v, self, c->total);
}

/* Shows a call, and makes its own calls pending. */
static void report_calls_show(struct calls *c, struct pending n)
{
	c->indent.len = n.indent;
	report_calls_add_row(c, &n);
	if (n.branch)
		printer_fail(c->out, buffer_addf(&c->indent, n.last ? "  " : "│ "));
	printer_fail(c->out, push_calls(c, n.node));
}

static void report_calls_choose_unit(struct calls *c)
{
	c->from = heading_unit(c->p, c->v);
	units_scale(measure_magnitude(c->total) / 100, c->from, c->v->unit ? c->v->unit : "minimum",
		    &c->unit);
	c->unit = *c->unit ? c->unit : c->from;
}

static void report_calls_add_heading(const struct calls *c)
{
	char least[MEASURE_MAX];

	heading_profile(c->p, c->v, c->total, c->unit, c->out);

	heading_filters(c->v, c->out);
	if (c->cutoff)
		print_to(c->out, "Showing calls of at least %s each\n",
			 measure_label(c->cutoff, c->from, c->unit, least));
	paint_title(c->out, c->v, "       cum   cum%  flat%");
}

static void add_tree(struct calls *c)
{
	size_t lines = 0;

	c->total = c->v->total ? c->v->total : graph_total(c->p, c->v->type);
	c->cutoff = measure_magnitude(measure_share(c->total, c->v->node_fraction));
	report_calls_choose_unit(c);
	report_calls_add_heading(c);
	printer_fail(c->out, push_calls(c, 0));
	while (!c->out->rc && c->pending_count && (!c->v->nodecount || lines++ < c->v->nodecount))
		report_calls_show(c, c->pending[--c->pending_count]);
}

int report_calls(const struct profile *p, const struct report_view *v, struct buffer *out,
		 struct error *err)
{
	struct printer to = { out, 0 };
	struct calls c = { .p = p, .v = v, .out = &to, .err = err };

	to.rc = make_tree(&c);
	if (!to.rc)
		add_tree(&c);
	nodes_release(&c.nodes);
	calltree_release(&c.tree);
	buffer_release(&c.indent);
	free(c.stack);
	free(c.pending);
	return c.said ? to.rc : printer_result(&to, err);
}

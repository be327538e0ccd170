/* Writes what printTraces (google/pprof, internal/report/report.go) writes, line by line. */
#include "pprof/report/reports.h"

#include <stdlib.h>

#include "base/error.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/labels.h"

#define SEPARATOR "-----------+-------------------------------------------------------\n"

enum { KEY_WIDTH = 10, VALUE_WIDTH = 13, NOTE_WIDTH = 9 };

struct traces {
	struct nodes nodes;
	const struct report_view *v;
	const char *unit; /* that values are shown in */
	struct labels labels;
	struct printer *out;
};

static void traces_add_key(struct traces *t, uint32_t key)
{
	size_t columns = labels_columns(t->nodes.p, key);
	print_to(t->out, "%*s", columns < KEY_WIDTH ? (int)(KEY_WIDTH - columns) : 0, "");

	text_add_string(t->out, t->nodes.p, key);
}

static void traces_add_value(struct traces *t, const struct profile_label *l)
{
	const struct profile *p = t->nodes.p;
	char text[MEASURE_MAX];

	if (l->str) {
		text_add_string(t->out, p, l->str);
		return;
	}
	measure_label(l->num, labels_unit(p, t->v->label_units, l->key), "auto", text);
	print_to(t->out, "%s", text);
}

/* Adds a line for each key. */
static void traces_add_labels(struct traces *t, const struct profile_sample *s, bool numbers)
{
	printer_fail(t->out, labels_take(&t->labels, t->nodes.p, s, numbers));
	for (size_t i = 0, end; i < t->labels.count && !t->out->rc; i = end) {
		end = labels_run(&t->labels, i);
		traces_add_key(t, t->labels.list[i]->key);
		for (size_t k = i; k < end; k++) {
			print_to(t->out, k == i ? ":  " : " ");
			traces_add_value(t, t->labels.list[k]);
		}
		print_to(t->out, "\n");
	}
}

static void traces_add_frame(struct traces *t, const char *value, uint32_t node, bool inlined)
{
	const struct node *n = &t->nodes.list[node];

	if (*value)
		print_to(t->out, "%*s   ", text_width(value, 10), value);
	else /* as most frames */
		print_bytes(t->out, "             ", VALUE_WIDTH);
	text_add_fitting(t->out, n->label, n->label_len, t->v->width, inlined ? NOTE_WIDTH : 0);
	if (inlined)
		print_bytes(t->out, " (inline)", NOTE_WIDTH);
	print_bytes(t->out, "\n", 1);
}

static void traces_add_stack(struct traces *t, size_t sample)
{
	const struct profile *p = t->nodes.p;
	int64_t value = p->values[p->samples[sample].first_value + t->v->type];
	size_t depth = nodes_depth(&t->nodes, sample), count;
	char text[MEASURE_MAX];

	measure_label(value, heading_unit(p, t->v), t->unit, text);
	for (size_t i = 0; i < depth; i++) {
		const uint32_t *at = nodes_at(&t->nodes, sample, i, &count);

		for (size_t k = 0; k < count; k++)
			traces_add_frame(t, i || k ? "" : text, at[k], k != count - 1);
	}
}

static void traces_add_sample(struct traces *t, size_t sample)
{
	const struct profile_sample *s = &t->nodes.p->samples[sample];

	if (!nodes_depth(&t->nodes, sample))
		return;
	print_to(t->out, SEPARATOR);
	traces_add_labels(t, s, false);
	traces_add_labels(t, s, true);
	traces_add_stack(t, sample);
}

static void traces_add_samples(struct traces *t)
{
	const struct profile *p = t->nodes.p;
	size_t start = t->out->out->len;
	int64_t total = t->v->total ? t->v->total : graph_total(p, t->v->type);

	heading_profile(p, t->v, total, t->unit, t->out);

	/* pprof writes the heading's newline also if the heading is empty. */
	if (t->out->out->len == start)
		print_to(t->out, "\n");
	for (size_t i = 0; i < p->sample_count && !t->out->rc; i++)
		traces_add_sample(t, i);
	print_to(t->out, SEPARATOR);
}

int report_traces(const struct profile *p, const struct report_view *v, struct buffer *out,
		  struct error *err)
{
	struct printer to = { out, 0 };
	struct traces t = {
		.v = v, .unit = v->unit ? v->unit : "minimum", .out = &to, .labels.width = KEY_WIDTH
	};

	to.rc = nodes_init(&t.nodes, p, v->by);
	if (!to.rc)
		traces_add_samples(&t);
	nodes_release(&t.nodes);
	labels_release(&t.labels);
	return printer_result(&to, err);
}

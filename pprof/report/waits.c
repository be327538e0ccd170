/* Waits as text: what was waited for, the longest first, each with the stacks that waited most,
 * event loops and waits for work apart. */
#include "pprof/report/reports.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/waitsum.h"

enum { WAITS_STACKS = 3 }; /* shown for each thing */

struct waits_text {
	struct waitsum w;
	const char *unit; /* that values are shown in */
	struct printer *out;
};

static void waits_print_value(const struct waits_text *t, int64_t value)
{
	stacktext_print_value(t->out, value, t->w.total, heading_unit(t->w.p, t->w.v), t->unit);
}

static void waits_print_thing(const struct waits_text *t, const struct waits_row *rows,
			      size_t count)
{
	const char *name = strset_get(&t->w.things, rows->what);
	unsigned width = t->w.v->width;

	waits_print_value(t, rows->what_sum);
	text_add_fitting(t->out, name, strlen(name), width, 0);
	print_to(t->out, "\n");
	for (size_t i = 0; i < count && i < WAITS_STACKS; i++) {
		if (!rows[i].stack)
			continue;
		waits_print_value(t, rows[i].sum);
		print_to(t->out, "  waited in\n");
		stacktext_print(t->out, strset_get(&t->w.stacks.stacks, rows[i].stack), width);
	}
	if (count > WAITS_STACKS)
		print_to(t->out, "%18s  and in %zu more stacks\n", "", count - WAITS_STACKS);
}

static void waits_print(const struct waits_text *t)
{
	static const char *const parts[] = { "Waits", "Event loops: each waits for several",
					     "Idle: waits for work" };

	heading_profile(t->w.p, t->w.v, t->w.total, t->unit, t->out);
	for (size_t i = 0, count; !t->out->rc && i < t->w.count; i += count) {
		const struct waits_row *row = &t->w.rows[i];

		count = waitsum_group(&t->w, i);
		if (!i || row->part != row[-1].part)
			print_to(t->out, "%s\n", parts[row->part]);
		waits_print_thing(t, row, count);
	}
}

int report_waits(const struct profile *p, const struct report_view *v, struct buffer *out,
		 struct error *err)
{
	struct printer to = { out, 0 };
	struct waits_text t = { .unit = v->unit ? v->unit : "minimum", .out = &to };
	int rc = waitsum_find(&t.w, p, v, err);

	if (!rc)
		waits_print(&t);
	waitsum_release(&t.w);
	return rc ? rc : printer_result(&to, err);
}

/* The table of changes as text: a heading with both sides, a row for each change, and what the
 * marks of noise mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/printable.h"
#include "base/printer.h"
#include "pprof/graph/measure.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/report/changetable.h"
#include "pprof/report/heading.h"
#include "pprof/report/paint.h"

enum { CELL = MEASURE_MAX };

/* The unit may be any bytes of the profile. */
static const char *cell(const struct change_table *t, double value, bool is_change, char text[CELL])
{
	value *= t->ratio;
	snprintf(text, CELL, is_change ? "%+.2f%.*s" : "%.2f%.*s", value, MEASURE_UNIT_MAX,
		 t->unit);
	printable(text, CELL);
	return text;
}

static const char *relative(const struct change_row *r, char text[CELL])
{
	if (!r->value[BASE] || !r->value[NEW])
		return !r->value[BASE] ? "new" : "gone";
	snprintf(text, CELL, "%+.1f%%", 100 * r->change / fabs(r->value[BASE]));
	return text;
}

static void add_cells(const struct change_table *t, const struct change_row *r, struct printer *out)
{
	char base[CELL], new[CELL], change[CELL], share[CELL];

	cell(t, r->value[BASE], false, base);
	cell(t, r->value[NEW], false, new);
	cell(t, r->change, true, change);
	print_to(out, "%*s %*s %*s %8s %s ", text_width(base, 10), base, text_width(new, 10), new,
		 text_width(change, 11), change, relative(r, share), r->noise ? "~" : " ");
}

static void change_add_row(const struct change_table *t, const struct change_row *r,
			   struct printer *out)
{
	const struct node *n = &t->nodes.list[r->node];
	struct change_row total = change_total(t);
	double largest = fmax(fabs(total.value[BASE]), fabs(total.value[NEW]));
	int64_t share = largest > 0 && !r->noise ? (int64_t)(1e6 * fabs(r->change) / largest) : 0;
	paint_share(out, t->v, share, 1000000);

	add_cells(t, r, out);
	text_add_fitting(out, n->label, n->label_len, t->v->width, 0);
	paint_end_line(out, t->v, share, 1000000);
}

static void add_side(const struct change_table *t, enum side side, struct printer *out)
{
	const struct change_side *s = side == BASE ? &t->c->base : &t->c->new;
	time_t seconds = s->time_nanos / 1000000000;
	char when[64], value[MEASURE_MAX];
	struct tm tm;

	print_to(out, side == BASE ? "Base: " : "New:  ");
	print_foreign_bytes(out, s->name, strlen(s->name));
	if (s->time_nanos > 0 && localtime_r(&seconds, &tm) &&
	    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", &tm))
		print_to(out, ", %s", when);
	if (s->duration_nanos > 0)
		print_to(out, ", %s long",
			 measure_label(s->duration_nanos, "nanoseconds", "auto", value));
	print_to(out, ", %s",
		 measure_label(t->total.value[side], heading_unit(t->p, t->v), "auto", value));
	if (t->samples < t->p->type_count && t->samples != t->v->type)
		print_to(out, " in %ld samples", t->total.samples[side]);
	print_to(out, "\n");
}

static const char *how(const struct change_table *t)
{
	if (t->c->normalized)
		return ", the new scaled to the total of the base";
	if (t->rates)
		return ", per second, since the durations differ";
	return !change_has_durations(t) && !change_is_level(t) ?
		       ", as they are: a profile without a duration has no rates" :
		       "";
}

static void change_add_heading(const struct change_table *t, struct printer *out)
{
	struct change_row total = change_total(t);
	heading_program(t->p, out);

	add_side(t, BASE, out);
	add_side(t, NEW, out);
	print_to(out, "Type: ");
	text_add_string(out, t->p, t->p->types[t->v->type].type);
	print_to(out, "%s\n", how(t));
	heading_filters(t->v, out);
	print_to(out, "Showing the %zu largest changes of %zu rows%s%s\n", t->count, t->all,
		 t->v->cum ? ", each with what it calls" : "",
		 t->looked ? ": alone none changed by more than noise" : "");
	paint_title(out, t->v,
		    t->rates ? "    base/s      new/s    change/s relative" :
			       "      base        new      change relative");
	add_cells(t, &total, out);
	print_to(out, "(total)\n");
}

static void add_footer(const struct change_table *t, struct printer *out)
{
	if (!change_is_tested(t)) {
		print_to(out, "Whether a change is noise cannot be tested: %s\n",
			 t->samples == t->p->type_count ?
				 "the profiles do not count samples (samples/count)" :
			 change_is_level(t)	  ? "these values are no sums over time" :
			 !change_has_durations(t) ? "a profile has no duration" :
						    "a profile has no samples");
		return;
	}
	print_to(
		out,
		"~ may be noise (%zu of %zu): chance in sampling can make such a change. It makes\n"
		"  one that is not marked in 1 of %.0f tables (binomial test of both counts of\n"
		"  samples, level %g for all %zu rows).\n",
		t->noisy, t->count, 1 / CHANGE_LEVEL, CHANGE_LEVEL, t->all);
}

static void change_add_table(const struct change_table *t, struct printer *out)
{
	change_add_heading(t, out);
	for (size_t i = 0; i < t->count && !out->rc; i++)
		change_add_row(t, &t->rows[i], out);
	add_footer(t, out);
}

int report_change(const struct profile *difference, const struct report_view *v,
		  const struct change *c, struct buffer *out, struct error *err)
{
	struct change_table t;
	struct printer to = { out, change_make(&t, difference, v, c) };

	if (!to.rc)
		change_add_table(&t, &to);
	change_release(&t);
	return printer_result(&to, err);
}

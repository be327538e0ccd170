/*
 * Tests each change for noise. The samples of a function in two profiles are two Poisson counts. If
 * the function costs the same in both, each of the n samples is of the new profile with a
 * probability q that only the two profiles decide: how long they took, and how much a sample stands
 * for (its rate, and what a budget left out). So the new count is binomial (Przyborowski and
 * Wilenski, 1940), and its tail is summed exactly: a normal approximation is wrong for the few
 * samples that most functions have.
 *
 * A table has many functions, and chance has as many tries. The level is therefore divided by their
 * number (Bonferroni): one table in LEVEL's inverse would have an unmarked change by chance alone.
 * The level is that strict because runs of a program differ by more than chance in sampling: 18
 * samples against 46 are noise in any table.
 *
 * Rejected: the false discovery rate, which lets a known part of the findings be wrong. A user acts
 * on each.
 */
#include "pprof/report/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/printable.h"
#include "pprof/columns.h"
#include "pprof/graph/measure.h"
#include "pprof/graph/nodes.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/paint.h"
#include "pprof/units.h"

#define LEVEL 0.0005

enum side { BASE, NEW };

struct change_tally {
	int64_t value[2], samples[2]; /* by side */
};

struct change_row {
	uint32_t node;
	double value[2], change; /* as shown */
	bool noise;
};

struct change_table {
	const struct profile *p;
	const struct report_view *v;
	const struct change *c;
	struct nodes nodes;
	struct change_tally *tallies, total; /* tallies: by node */
	struct change_row *rows;
	size_t count, all, noisy, sure; /* sure: no noise, whether shown or not */
	size_t samples;			/* the column; p->type_count: none */
	double scale[2];		/* from a value to what is shown */
	double weight[2];		/* of the test; 0: there is none */
	const char *unit;
	double ratio; /* from the type's unit to `unit` */
	bool rates;
	struct report_view with_calls; /* *v if that shows more (look_at_calls) */
	bool looked;
};

double change_chance(int64_t base, int64_t new, double base_weight, double new_weight)
{
	double n = (double)base + (double)new, q = new_weight / (base_weight + new_weight);
	double k = (double)new, variance = n *q * (1 - q), term, sum;

	/* So many that the sum would take long, and the normal distribution is as good. */
	if (variance > 1e6)
		return erfc(fabs(k - n * q) / sqrt(2 * variance));
	if (k < n * q) { /* the tail of the side that has more than its part */
		k = (double)base;
		q = 1 - q;
	}
	term = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(q) +
		   (n - k) * log1p(-q));
	for (sum = term; k < n && term > sum * 1e-12; sum += term) {
		term *= (n - k) / (k + 1) * (q / (1 - q));
		k++;
	}
	return fmin(1, 2 * sum);
}

/* Adding up. */

static void change_add(struct change_tally *t, enum side side, int64_t value, int64_t samples)
{
	t->value[side] = measure_sum(t->value[side], value);
	t->samples[side] = measure_sum(t->samples[side], samples);
}

/* The base's values are negated. */
static int64_t upright(int64_t value, enum side side)
{
	return side == NEW ? value : value == INT64_MIN ? INT64_MAX : -value;
}

static void change_count_sample(struct change_table *t, size_t sample, size_t *seen)
{
	const struct profile_sample *s = &t->p->samples[sample];
	enum side side = sample_is_base(t->p, s) ? BASE : NEW;
	const int64_t *values = t->p->values + s->first_value;
	int64_t value = upright(values[t->v->type], side);
	int64_t samples = t->samples < t->p->type_count ? upright(values[t->samples], side) : 0;
	size_t depth = nodes_depth(&t->nodes, sample), count;

	change_add(&t->total, side, value, samples);
	for (size_t i = 0; i < (t->v->cum || !depth ? depth : 1); i++) {
		const uint32_t *at = nodes_at(&t->nodes, sample, i, &count);

		for (size_t k = 0; k < (t->v->cum || !count ? count : 1); k++)
			if (seen[at[k]] != sample + 1) {
				change_add(&t->tallies[at[k]], side, value, samples);
				seen[at[k]] = sample + 1;
			}
	}
}

static int change_count_samples(struct change_table *t)
{
	size_t *seen = calloc(t->nodes.count + 1, sizeof(*seen));

	t->tallies = calloc(t->nodes.count + 1, sizeof(*t->tallies));
	for (size_t i = 0; seen && t->tallies && i < t->p->sample_count; i++)
		change_count_sample(t, i, seen);
	free(seen);
	return seen && t->tallies ? 0 : ERR_NOMEM;
}

/* What is compared. */

static bool is_level(const struct change_table *t)
{
	return !strncmp(strset_get(&t->p->strings, t->p->types[t->v->type].type), "inuse_", 6);
}

static bool have_durations(const struct change_table *t)
{
	return t->c->base.duration_nanos > 0 && t->c->new.duration_nanos > 0;
}

static void choose_scale(struct change_table *t)
{
	double base = (double)t->c->base.duration_nanos, new = (double)t->c->new.duration_nanos;

	t->scale[BASE] = t->scale[NEW] = 1;
	if (t->c->normalized) {
		if (t->total.value[NEW])
			t->scale[NEW] = (double)t->total.value[BASE] / (double)t->total.value[NEW];
	} else if (have_durations(t) && fabs(base - new) > fmax(base, new) / 100 && !is_level(t)) {
		t->rates = true;
		t->scale[BASE] = 1e9 / base;
		t->scale[NEW] = 1e9 / new;
	}
}

/* How much a sample stands for. Without samples it is as in the other profile. */
static double worth(const struct change_table *t, enum side side)
{
	enum side from = t->total.samples[side] > 0 && t->total.value[side] > 0 ? side : !side;

	return t->total.samples[from] > 0 ?
		       (double)t->total.value[from] / (double)t->total.samples[from] :
		       0;
}

/* The number of samples is proportional to it for what costs the same in both. */
static void choose_weights(struct change_table *t)
{
	double base = worth(t, BASE), new = worth(t, NEW);

	if (t->samples == t->p->type_count || is_level(t) || base <= 0 || new <= 0)
		return;
	if (t->c->normalized) {
		t->weight[BASE] = (double)t->total.samples[BASE];
		t->weight[NEW] = (double)t->total.samples[NEW];
	} else if (have_durations(t)) {
		t->weight[BASE] = (double)t->c->base.duration_nanos / base;
		t->weight[NEW] = (double)t->c->new.duration_nanos / new;
	}
}

static bool tested(const struct change_table *t)
{
	return t->weight[BASE] > 0 && t->weight[NEW] > 0;
}

/* `tries`: how many such tests the table has. */
static bool is_noise(const struct change_table *t, const struct change_tally *a, size_t tries)
{
	return tested(t) && change_chance(a->samples[BASE] > 0 ? a->samples[BASE] : 0,
					  a->samples[NEW] > 0 ? a->samples[NEW] : 0,
					  t->weight[BASE], t->weight[NEW]) >= LEVEL / (double)tries;
}

/* Rows. */

static int by_change(const void *a, const void *b, void *table)
{
	const struct change_row *x = a, *y = b;
	double left = fabs(x->change), right = fabs(y->change);

	if (left != right)
		return left > right ? -1 : 1;
	return nodes_compare(&((const struct change_table *)table)->nodes, x->node, y->node);
}

static struct change_row change_row_of(const struct change_table *t, const struct change_tally *a,
				       size_t tries)
{
	struct change_row r = { .value = { (double)a->value[BASE] * t->scale[BASE],
					   (double)a->value[NEW] * t->scale[NEW] } };

	r.change = r.value[NEW] - r.value[BASE];
	r.noise = is_noise(t, a, tries);
	return r;
}

static bool change_occurs(const struct change_tally *a)
{
	return a->value[BASE] || a->value[NEW];
}

/* All functions count for the test, also those that are not shown. */
static int change_make_rows(struct change_table *t)
{
	struct change_row total = change_row_of(t, &t->total, 1);
	double least = t->v->node_fraction * fmax(fabs(total.value[BASE]), fabs(total.value[NEW]));

	t->rows = calloc(t->nodes.count + 1, sizeof(*t->rows));
	if (!t->rows)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < t->nodes.count; i++)
		t->all += change_occurs(&t->tallies[i]);
	for (uint32_t i = 0; i < t->nodes.count; i++) {
		struct change_row r = change_row_of(t, &t->tallies[i], t->all);

		r.node = i;
		if (!change_occurs(&t->tallies[i]) || r.change == 0 || fabs(r.change) < least)
			continue;
		t->sure += !r.noise;
		t->rows[t->count++] = r;
	}
	qsort_r(t->rows, t->count, sizeof(*t->rows), by_change, t);
	if (t->v->nodecount && t->v->nodecount < t->count)
		t->count = t->v->nodecount;
	for (size_t i = 0; i < t->count; i++)
		t->noisy += t->rows[i].noise;
	return 0;
}

/* Has the total changed, but no function by itself by more than noise? */
static bool hides_a_change(const struct change_table *t)
{
	struct change_row total = change_row_of(t, &t->total, 1);

	return tested(t) && !t->v->cum && !t->sure && total.change != 0 && !total.noise;
}

/* The change is then spread over what some function calls. */
static int look_at_calls(struct change_table *t)
{
	int rc;

	t->with_calls = *t->v;
	t->with_calls.cum = true;
	t->v = &t->with_calls;
	t->looked = true;
	t->count = t->all = t->noisy = 0;
	t->total = (struct change_tally){ 0 };
	free(t->tallies);
	free(t->rows);
	t->rows = NULL;
	rc = change_count_samples(t);
	return rc ? rc : change_make_rows(t);
}

/* One unit for the table: that of a hundredth of the larger total, so that a function of a few
 * percent has digits. */
static void change_choose_unit(struct change_table *t)
{
	struct change_row total = change_row_of(t, &t->total, 1);
	const char *from = heading_unit(t->p, t->v);
	double largest = fmax(fabs(total.value[BASE]), fabs(total.value[NEW])) / 100;

	units_scale(largest < 0x1p62 ? (int64_t)ceil(largest) : INT64_MAX, from,
		    t->v->unit ? t->v->unit : "minimum", &t->unit);
	t->ratio = units_compatible(from, t->unit) ? units_ratio(from, t->unit) : 1;
}

/* Text. */

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
	struct change_row total = change_row_of(t, &t->total, 1);
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
	return !have_durations(t) && !is_level(t) ?
		       ", as they are: a profile without a duration has no rates" :
		       "";
}

static void change_add_heading(const struct change_table *t, struct printer *out)
{
	struct change_row total = change_row_of(t, &t->total, 1);
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
	if (!tested(t)) {
		print_to(out, "Whether a change is noise cannot be tested: %s\n",
			 t->samples == t->p->type_count ?
				 "the profiles do not count samples (samples/count)" :
			 is_level(t)	    ? "these values are no sums over time" :
			 !have_durations(t) ? "a profile has no duration" :
					      "a profile has no samples");
		return;
	}
	print_to(
		out,
		"~ may be noise (%zu of %zu): chance in sampling can make such a change. It makes\n"
		"  one that is not marked in 1 of %.0f tables (binomial test of both counts of\n"
		"  samples, level %g for all %zu rows).\n",
		t->noisy, t->count, 1 / LEVEL, LEVEL, t->all);
}

/* Counts, makes the rows and chooses the unit. ERR_NOMEM. */
static int change_make(struct change_table *t)
{
	int rc = nodes_init(&t->nodes, t->p, t->v->by);

	rc = rc ? rc : change_count_samples(t);
	if (rc)
		return rc;
	choose_scale(t);
	choose_weights(t);
	rc = change_make_rows(t);
	if (hides_a_change(t))
		rc = look_at_calls(t);
	change_choose_unit(t);
	return rc;
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
	struct change_table t = { .p = difference, .v = v, .c = c };
	struct printer to = { out, 0 };

	t.samples = profile_column(difference, "samples");
	to.rc = change_make(&t);
	if (!to.rc)
		change_add_table(&t, &to);
	nodes_release(&t.nodes);
	free(t.tallies);
	free(t.rows);
	return printer_result(&to, err);
}

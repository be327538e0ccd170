/*
 * Tests each change for noise. The samples of a function in two profiles are two Poisson counts. If
 * the function costs the same in both, each of the n samples is of the new profile with a
 * probability q that only the two profiles decide: how long they took, and how much a sample stands
 * for (its rate, and what a budget left out). So the new count is binomial (Przyborowski and
 * Wilenski, 1940), and its tail is summed exactly: a normal approximation is wrong for the few
 * samples that most functions have.
 *
 * A table has many functions, and chance has as many tries. The level is therefore divided by
 * their number (Bonferroni): one table in CHANGE_LEVEL's inverse would have an unmarked change by
 * chance alone. The level is that strict because runs of a program differ by more than chance in
 * sampling: 18 samples against 46 are noise in any table.
 *
 * Rejected: the false discovery rate, which lets a known part of the findings be wrong. A user acts
 * on each.
 */
#include "pprof/report/changetable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pprof/columns.h"
#include "pprof/graph/measure.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/units.h"

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

bool change_is_level(const struct change_table *t)
{
	return !strncmp(strset_get(&t->p->strings, t->p->types[t->v->type].type), "inuse_", 6);
}

bool change_has_durations(const struct change_table *t)
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
	} else if (change_has_durations(t) && fabs(base - new) > fmax(base, new) / 100 &&
		   !change_is_level(t)) {
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

	if (t->samples == t->p->type_count || change_is_level(t) || base <= 0 || new <= 0)
		return;
	if (t->c->normalized) {
		t->weight[BASE] = (double)t->total.samples[BASE];
		t->weight[NEW] = (double)t->total.samples[NEW];
	} else if (change_has_durations(t)) {
		t->weight[BASE] = (double)t->c->base.duration_nanos / base;
		t->weight[NEW] = (double)t->c->new.duration_nanos / new;
	}
}

bool change_is_tested(const struct change_table *t)
{
	return t->weight[BASE] > 0 && t->weight[NEW] > 0;
}

/* `tries`: how many such tests the table has. */
static bool is_noise(const struct change_table *t, const struct change_tally *a, size_t tries)
{
	return change_is_tested(t) &&
	       change_chance(a->samples[BASE] > 0 ? a->samples[BASE] : 0,
			     a->samples[NEW] > 0 ? a->samples[NEW] : 0, t->weight[BASE],
			     t->weight[NEW]) >= CHANGE_LEVEL / (double)tries;
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

struct change_row change_total(const struct change_table *t)
{
	return change_row_of(t, &t->total, 1);
}

static bool change_occurs(const struct change_tally *a)
{
	return a->value[BASE] || a->value[NEW];
}

/* All functions count for the test, also those that are not shown. */
static int change_make_rows(struct change_table *t)
{
	struct change_row total = change_total(t);
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
	struct change_row total = change_total(t);

	return change_is_tested(t) && !t->v->cum && !t->sure && total.change != 0 && !total.noise;
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
	struct change_row total = change_total(t);
	const char *from = heading_unit(t->p, t->v);
	double largest = fmax(fabs(total.value[BASE]), fabs(total.value[NEW])) / 100;

	units_scale(largest < 0x1p62 ? (int64_t)ceil(largest) : INT64_MAX, from,
		    t->v->unit ? t->v->unit : "minimum", &t->unit);
	t->ratio = units_compatible(from, t->unit) ? units_ratio(from, t->unit) : 1;
}

int change_make(struct change_table *t, const struct profile *difference,
		const struct report_view *v, const struct change *c)
{
	int rc;

	*t = (struct change_table){ .p = difference, .v = v, .c = c };
	t->samples = profile_column(difference, "samples");
	rc = nodes_init(&t->nodes, t->p, t->v->by);

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

void change_release(struct change_table *t)
{
	nodes_release(&t->nodes);
	free(t->tallies);
	free(t->rows);
}

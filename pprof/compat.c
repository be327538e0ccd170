/* Types are compared by name, because each profile numbers its strings differently. Each type is
 * compared with every other: real files have two or four types, and TYPES_MAX bounds the time for
 * other files. */
#include "pprof/compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"
#include "pprof/columns.h"
#include "pprof/profile.h"
#include "pprof/scale.h"
#include "pprof/units.h"

enum { TYPES_MAX = 4096, LIST_MAX = 200 };

static const char *compat_text(const struct profile *p, uint32_t string)
{
	return strset_get(&p->strings, string);
}

static bool same_string(const struct profile *a, uint32_t x, const struct profile *b, uint32_t y)
{
	const struct strset_entry *s = &a->strings.entries[x], *t = &b->strings.entries[y];

	return s->len == t->len && !memcmp(s->text, t->text, s->len);
}

static bool same_type(const struct profile *a, const struct profile_type *x,
		      const struct profile *b, const struct profile_type *y)
{
	return same_string(a, x->type, b, y->type) && same_string(a, x->unit, b, y->unit);
}

static bool same_types(const struct profile *a, const struct profile *b)
{
	if (a->type_count != b->type_count)
		return false;
	for (size_t i = 0; i < a->type_count; i++)
		if (!same_type(a, &a->types[i], b, &b->types[i]))
			return false;
	return true;
}

/* "cpu/nanoseconds wall/nanoseconds", cut to fit `out`. */
static void compat_describe(const struct profile *p, const struct profile_type *types, size_t count,
			    char out[LIST_MAX])
{
	size_t len = 0;

	*out = '\0';
	for (size_t i = 0; i < count && len < LIST_MAX; i++)
		len += (size_t)snprintf(out + len, LIST_MAX - len, "%s%s/%s", i ? " " : "",
					compat_text(p, types[i].type),
					compat_text(p, types[i].unit));
	if (len >= LIST_MAX)
		strcpy(out + LIST_MAX - sizeof("..."), "...");
	printable(out, LIST_MAX);
}

static int differ(const char *what, const struct profile *a, const struct profile_type *as,
		  size_t a_count, const struct profile *b, const struct profile_type *bs,
		  size_t b_count, struct error *err)
{
	char list_a[LIST_MAX], list_b[LIST_MAX];

	compat_describe(a, as, a_count, list_a);
	compat_describe(b, bs, b_count, list_b);
	return error_set(err, ERR_FORMAT, "%s: '%s' and '%s'", what, list_a, list_b);
}

static int types_differ(const char *what, const struct profile *a, const struct profile *b,
			struct error *err)
{
	return differ(what, a, a->types, a->type_count, b, b->types, b->type_count, err);
}

static int periods_differ(const struct profile *a, const struct profile *b, struct error *err)
{
	return differ("incompatible period types", a, &a->period_type, 1, b, &b->period_type, 1,
		      err);
}

int profile_compatible(const struct profile *a, const struct profile *b, struct error *err)
{
	if (!same_type(a, &a->period_type, b, &b->period_type))
		return periods_differ(a, b, err);
	return same_types(a, b) ? 0 : types_differ("incompatible sample types", a, b, err);
}

/* Finds the only type of `p` whose name equals string `name` of profile `of`. False: no type has
 * this name, or several have it. */
static bool find_only(const struct profile *p, const struct profile *of, uint32_t name,
		      size_t *only)
{
	size_t found = 0;

	for (size_t i = 0; i < p->type_count; i++)
		if (same_string(p, p->types[i].type, of, name)) {
			*only = i;
			found++;
		}
	return found == 1;
}

/* The types that both profiles have, in the order of `a`: their indexes in `a` and in `b`. A type
 * that a profile has twice is ambiguous and left out. */
static size_t find_common(const struct profile *a, const struct profile *b, size_t *in_a,
			  size_t *in_b)
{
	size_t count = 0;

	for (size_t i = 0; i < a->type_count; i++) {
		uint32_t name = a->types[i].type;

		count += find_only(a, a, name, &in_a[count]) && find_only(b, a, name, &in_b[count]);
	}
	return count;
}

/* Keeps the given columns. Nothing to do if they are all columns in their present order. */
static int compat_keep(struct profile *p, const size_t *columns, size_t count)
{
	bool all = count == p->type_count;

	for (size_t i = 0; i < count; i++)
		all &= columns[i] == i;
	return all ? 0 : profile_keep_columns(p, columns, count);
}

static int keep_common(struct profile *a, struct profile *b, struct error *err)
{
	size_t *in_a, *in_b, count;
	int rc = 0;

	if (a->type_count > TYPES_MAX || b->type_count > TYPES_MAX)
		return error_set(err, ERR_LIMIT, "more than %d sample types", TYPES_MAX);
	in_a = calloc(2 * a->type_count + 2, sizeof(*in_a));
	if (!in_a)
		return error_nomem(err);
	in_b = in_a + a->type_count + 1;
	count = find_common(a, b, in_a, in_b);
	if (!count)
		rc = types_differ("no sample type is in both", a, b, err);
	else if (compat_keep(a, in_a, count) || compat_keep(b, in_b, count))
		rc = error_nomem(err);
	free(in_a);
	return rc;
}

/* Replaces *unit, a string of `p`, by the unit `finest`. *ratio: the factor for p's values. */
static int convert_to(struct profile *p, uint32_t *unit, const char *finest, double *ratio)
{
	*ratio = units_ratio(compat_text(p, *unit), finest);
	return profile_string(p, finest, unit);
}

static const char *finer(const char *a, const char *b)
{
	return units_ratio(b, a) < 1 ? b : a;
}

static bool convertible(const char *a, const char *b)
{
	return !strcmp(a, b) || units_compatible(a, b);
}

static int convert_values(struct profile *p, const struct profile *a, const struct profile *b)
{
	double *ratios = calloc(p->type_count, sizeof(*ratios));
	int rc = ratios ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < p->type_count; i++)
		rc = convert_to(
			p, &p->types[i].unit,
			finer(compat_text(a, a->types[i].unit), compat_text(b, b->types[i].unit)),
			&ratios[i]);
	if (!rc)
		profile_scale_each(p, ratios);
	free(ratios);
	return rc;
}

/* The period is truncated, not rounded, as in google/pprof. */
static int convert_period(struct profile *p, const char *finest)
{
	double ratio, period;

	if (convert_to(p, &p->period_type.unit, finest, &ratio))
		return ERR_NOMEM;
	period = (double)p->period * ratio;
	if (ratio != 1)
		p->period = period >= 0x1p63 ? INT64_MAX :
			    period < -0x1p63 ? INT64_MIN :
					       (int64_t)period;
	return 0;
}

static int convert_periods(struct profile *a, struct profile *b, struct error *err)
{
	const char *x = compat_text(a, a->period_type.unit),
		   *y = compat_text(b, b->period_type.unit);
	const char *finest = finer(x, y);

	if (same_type(a, &a->period_type, b, &b->period_type))
		return 0;
	if (!same_string(a, a->period_type.type, b, b->period_type.type) || !convertible(x, y))
		return periods_differ(a, b, err);
	if (convert_period(a, finest) || convert_period(b, finest))
		return error_nomem(err);
	return 0;
}

int profile_make_compatible(struct profile *a, struct profile *b, struct error *err)
{
	int rc = 0;

	if (!same_types(a, b)) {
		rc = keep_common(a, b, err);
		for (size_t i = 0; !rc && i < a->type_count; i++)
			if (!convertible(compat_text(a, a->types[i].unit),
					 compat_text(b, b->types[i].unit)))
				rc = types_differ("units that do not convert", a, b, err);
		/* When `b` is converted, `a` has the finer units already. */
		if (!rc && (convert_values(a, a, b) || convert_values(b, a, b)))
			rc = error_nomem(err);
	}
	return rc ? rc : convert_periods(a, b, err);
}

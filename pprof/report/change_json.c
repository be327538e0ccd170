/*
 * The table of changes as JSON. A row has the raw sums of both sides, and their difference; where
 * the table compares rates or totals made equal, `scaled` has what it shows, as fractions.
 */
#include "base/buffer.h"
#include "base/error.h"
#include "pprof/graph/measure.h"
#include "pprof/profile.h"
#include "pprof/report/changetable.h"
#include "pprof/report/reportjson.h"
#include "pprof/view.h"

static bool change_json_is_scaled(const struct change_table *t)
{
	return t->rates || t->c->normalized;
}

/* "old":…,"new":…,"delta":…,"scaled":… */
static void change_json_values(const struct change_table *t, struct json *j,
			       const struct change_tally *a, const struct change_row *r)
{
	int64_t old = a->value[BASE], new = a->value[NEW];

	json_addf(j, "\"old\":%ld,\"new\":%ld", (long)old, (long)new);
	reportjson_number(j, "delta", measure_sum(new, old == INT64_MIN ? INT64_MAX : -old), true);
	if (change_json_is_scaled(t))
		json_addf(j, ",\"scaled\":{\"old\":%.17g,\"new\":%.17g,\"delta\":%.17g}",
			  r->value[BASE], r->value[NEW], r->change);
	else
		json_add(j, ",\"scaled\":null");
	if (change_is_tested(t))
		json_addf(j, ",\"noise\":%s", r->noise ? "true" : "false");
	else
		json_add(j, ",\"noise\":null");
}

static void change_json_side(const struct change_table *t, struct json *j, const char *key,
			     enum side side)
{
	const struct change_side *s = side == BASE ? &t->c->base : &t->c->new;

	json_addf(j, ",\n\"%s\":{\"file\":", key);
	json_add_text(j, s->name);
	json_add(j, ",");
	reportjson_times(j, s->time_nanos, s->duration_nanos);
	reportjson_number(j, "total", t->total.value[side], true);
	reportjson_number(j, "samples", t->total.samples[side], t->samples < t->p->type_count);
	json_add(j, "}");
}

static void change_json_heading(const struct change_table *t, struct json *j)
{
	const struct change_row total = change_total(t);

	reportjson_open(j, "diff");
	change_json_side(t, j, "base", BASE);
	change_json_side(t, j, "new", NEW);
	reportjson_type(j, t->p, t->v);
	json_addf(j, ",\"comparison\":\"%s\"",
		  t->c->normalized ? "normalized" :
		  t->rates	   ? "per second" :
				     "as they are");
	reportjson_selection(j, t->v);
	json_addf(j, ",\n\"shown\":{\"nodes\":%zu},\n\"total\":{", t->all);
	change_json_values(t, j, &t->total, &total);
	json_add(j, "}");
}

static void change_json_row(const struct change_table *t, struct json *j,
			    const struct change_row *r)
{
	json_add(j, "{");
	reportjson_node(j, &t->nodes, r->node);
	json_add(j, ",");
	change_json_values(t, j, &t->tallies[r->node], r);
	json_add(j, "}");
}

int report_change_json(const struct profile *difference, const struct report_view *v,
		       const struct change *c, struct buffer *out, struct error *err)
{
	struct change_table t;
	struct json j = { out, change_make(&t, difference, v, c) };
	int rc;

	if (!j.rc)
		change_json_heading(&t, &j);
	json_add(&j, ",\n\"rows\":[");
	for (size_t i = 0; !j.rc && i < t.count && reportjson_row(&j, i); i++)
		change_json_row(&t, &j, &t.rows[i]);
	rc = reportjson_close(&j, err);
	change_release(&t);
	return rc;
}

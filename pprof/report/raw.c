/* Writes what Profile.String (google/pprof, profile/profile.go) writes, line by line. */
#include "pprof/report/reports.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "pprof/graph/duration.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/report/labels.h"

#define INDENT "                "

struct raw {
	const struct profile *p;
	struct labels labels;
	struct buffer *out;
};

/* Adds BEFORE, a string of the profile, AFTER. BEFORE and AFTER are trusted. */
static int raw_add(struct raw *r, const char *before, uint32_t string, const char *after)
{
	int rc = text_addf(r->out, "%s", before);

	rc = rc ? rc : text_add_string(r->out, r->p, string);
	return rc ? rc : text_addf(r->out, "%s", after);
}

/* Go's default form of a time: "2006-01-02 15:04:05.999999999 -0700 MST". */
static int raw_add_time(struct raw *r)
{
	int64_t nanos = r->p->time_nanos % 1000000000;
	time_t t = r->p->time_nanos / 1000000000 - (nanos < 0);
	char when[64], zone[64], fraction[16] = "";
	struct tm tm;

	nanos += nanos < 0 ? 1000000000 : 0;
	if (!r->p->time_nanos || !localtime_r(&t, &tm) ||
	    !strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm) ||
	    !strftime(zone, sizeof(zone), "%z %Z", &tm))
		return 0;
	if (nanos) {
		size_t len = (size_t)snprintf(fraction, sizeof(fraction), ".%09d", (int)nanos);

		while (fraction[len - 1] == '0')
			fraction[--len] = '\0';
	}
	return text_addf(r->out, "Time: %s%s %s\n", when, fraction, zone);
}

static int raw_add_head(struct raw *r)
{
	const struct profile *p = r->p;
	char text[DURATION_MAX];
	int rc = 0;

	for (size_t i = 0; i < p->comment_count && !rc; i++)
		rc = raw_add(r, "Comment: ", p->comments[i], "\n");
	if (!rc && p->doc_url)
		rc = raw_add(r, "Doc: ", p->doc_url, "\n");
	rc = rc ? rc : raw_add(r, "PeriodType: ", p->period_type.type, " ");
	rc = rc ? rc : raw_add(r, "", p->period_type.unit, "\n");
	rc = rc ? rc : text_addf(r->out, "Period: %" PRId64 "\n", p->period);
	rc = rc ? rc : raw_add_time(r);
	if (rc || !p->duration_nanos)
		return rc;
	/* pprof prints the duration with "%.4v", which keeps its first four characters. */
	duration_text(p->duration_nanos, text);
	return text_addf(r->out, "Duration: %.*s\n", (int)text_prefix(text, strlen(text), 4), text);
}

static int raw_add_types(struct raw *r)
{
	const struct profile *p = r->p;
	int rc = text_addf(r->out, "Samples:\n");

	for (size_t i = 0; i < p->type_count && !rc; i++) {
		bool chosen = p->types[i].type == p->default_type;

		rc = raw_add(r, i ? " " : "", p->types[i].type, "/");
		rc = rc ? rc : raw_add(r, "", p->types[i].unit, chosen ? "[dflt]" : "");
	}
	return rc ? rc : text_addf(r->out, "\n");
}

/* True if one of a key's numbers has a unit. */
static bool raw_has_units(const struct labels *l, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (l->list[i]->num_unit)
			return true;
	return false;
}

static int raw_add_value(struct raw *r, const struct profile_label *l, bool units)
{
	int rc;

	if (l->str)
		return text_add_string(r->out, r->p, l->str);
	rc = text_addf(r->out, units ? "%" PRId64 " " : "%" PRId64, l->num);
	return rc || !units ? rc : text_add_string(r->out, r->p, l->num_unit);
}

static int raw_add_labels(struct raw *r, const struct profile_sample *s, bool numbers)
{
	int rc = labels_take(&r->labels, r->p, s, numbers);

	for (size_t i = 0, end; i < r->labels.count && !rc; i = end) {
		bool units = raw_has_units(&r->labels, i, end = labels_run(&r->labels, i));

		rc = raw_add(r, i ? " " : INDENT, r->labels.list[i]->key, ":[");
		for (size_t k = i; k < end && !rc; k++) {
			rc = text_addf(r->out, k == i ? "" : " ");
			rc = rc ? rc : raw_add_value(r, r->labels.list[k], units);
		}
		rc = rc ? rc : text_addf(r->out, "]");
	}
	return rc || !r->labels.count ? rc : text_addf(r->out, "\n");
}

/* The ids of a location and a mapping: those of the file, as pprof prints them. */

static uint64_t location_id(const struct profile *p, uint32_t number)
{
	uint64_t id = p->locations[number - 1].id;

	return id ? id : number;
}

static uint64_t mapping_id(const struct profile *p, uint32_t number)
{
	uint64_t id = p->mappings[number - 1].id;

	return id ? id : number;
}

static int raw_add_sample(struct raw *r, const struct profile_sample *s)
{
	const struct profile *p = r->p;
	int rc = 0;

	for (size_t i = 0; i < p->type_count && !rc; i++)
		rc = text_addf(r->out, " %10" PRId64, p->values[s->first_value + i]);
	rc = rc ? rc : text_addf(r->out, ": ");
	for (size_t i = 0; i < s->locations && !rc; i++)
		rc = text_addf(r->out, "%" PRIu64 " ",
			       location_id(p, p->stack[s->first_location + i]));
	rc = rc ? rc : text_addf(r->out, "\n");
	rc = rc ? rc : raw_add_labels(r, s, false);
	return rc ? rc : raw_add_labels(r, s, true);
}

static int raw_add_function(struct raw *r, const struct profile_line *l)
{
	const struct profile_function *f;
	int rc;

	if (!l->function)
		return text_addf(r->out, "??\n");
	f = &r->p->functions[l->function - 1];
	rc = raw_add(r, "", f->name, " ");
	rc = rc ? rc : text_add_string(r->out, r->p, f->filename);
	rc = rc ? rc :
		  text_addf(r->out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, l->line, l->column,
			    f->start_line);
	if (!rc && f->name != f->system_name)
		rc = raw_add(r, "(", f->system_name, ")");
	return rc ? rc : text_addf(r->out, "\n");
}

static int raw_add_location(struct raw *r, uint32_t number)
{
	const struct profile_location *l = &r->p->locations[number - 1];
	int rc = text_addf(r->out, "%6" PRIu64 ": 0x%" PRIx64 " ", location_id(r->p, number),
			   l->address);

	if (!rc && l->mapping)
		rc = text_addf(r->out, "M=%" PRIu64 " ", mapping_id(r->p, l->mapping));
	if (!rc && l->is_folded)
		rc = text_addf(r->out, "[F] ");
	if (!rc && !l->lines)
		rc = text_addf(r->out, "\n");
	for (size_t i = 0; i < l->lines && !rc; i++) {
		rc = text_addf(r->out, i ? "             " : "");
		rc = rc ? rc : raw_add_function(r, &r->p->lines[l->first_line + i]);
	}
	return rc;
}

static int raw_add_mapping(struct raw *r, uint32_t number)
{
	const struct profile_mapping *m = &r->p->mappings[number - 1];
	int rc = text_addf(r->out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64,
			   mapping_id(r->p, number), m->start, m->limit, m->offset);

	rc = rc ? rc : raw_add(r, " ", m->filename, " ");
	rc = rc ? rc : raw_add(r, "", m->build_id, " ");
	if (rc)
		return rc;
	return text_addf(r->out, "%s%s%s%s\n", m->has_functions ? "[FN]" : "",
			 m->has_filenames ? "[FL]" : "", m->has_line_numbers ? "[LN]" : "",
			 m->has_inline_frames ? "[IN]" : "");
}

static int add_tables(struct raw *r)
{
	const struct profile *p = r->p;
	int rc = 0;

	for (size_t i = 0; i < p->sample_count && !rc; i++)
		rc = raw_add_sample(r, &p->samples[i]);
	rc = rc ? rc : text_addf(r->out, "Locations\n");
	for (uint32_t i = 1; i <= p->location_count && !rc; i++)
		rc = raw_add_location(r, i);
	rc = rc ? rc : text_addf(r->out, "Mappings\n");
	for (uint32_t i = 1; i <= p->mapping_count && !rc; i++)
		rc = raw_add_mapping(r, i);
	return rc;
}

int report_raw(const struct profile *p, const struct report_view *v, struct buffer *out,
	       struct error *err)
{
	struct raw r = { .p = p, .out = out };
	int rc = raw_add_head(&r);

	(void)v;
	rc = rc ? rc : raw_add_types(&r);
	rc = rc ? rc : add_tables(&r);
	labels_release(&r.labels);
	return text_result(rc, err);
}

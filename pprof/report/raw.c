/* Writes what Profile.String (google/pprof, profile/profile.go) writes, line by line. */
#include "pprof/report/reports.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "pprof/graph/duration.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/report/labels.h"

#define INDENT "                "

struct raw {
	const struct profile *p;
	struct labels labels;
	struct printer *out;
};

/* Adds BEFORE, a string of the profile, AFTER. BEFORE and AFTER are trusted. */
static void raw_add(struct raw *r, const char *before, uint32_t string, const char *after)
{
	print_to(r->out, "%s", before);

	text_add_string(r->out, r->p, string);
	print_to(r->out, "%s", after);
}

/* Go's default form of a time: "2006-01-02 15:04:05.999999999 -0700 MST". */
static void raw_add_time(struct raw *r)
{
	int64_t nanos = r->p->time_nanos % 1000000000;
	time_t t = r->p->time_nanos / 1000000000 - (nanos < 0);
	char when[64], zone[64], fraction[16] = "";
	struct tm tm;

	nanos += nanos < 0 ? 1000000000 : 0;
	if (!r->p->time_nanos || !localtime_r(&t, &tm) ||
	    !strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm) ||
	    !strftime(zone, sizeof(zone), "%z %Z", &tm))
		return;
	if (nanos) {
		size_t len = (size_t)snprintf(fraction, sizeof(fraction), ".%09d", (int)nanos);

		while (fraction[len - 1] == '0')
			fraction[--len] = '\0';
	}
	print_to(r->out, "Time: %s%s %s\n", when, fraction, zone);
}

static void raw_add_head(struct raw *r)
{
	const struct profile *p = r->p;
	char text[DURATION_MAX];

	for (size_t i = 0; i < p->comment_count; i++)
		raw_add(r, "Comment: ", p->comments[i], "\n");
	if (p->doc_url)
		raw_add(r, "Doc: ", p->doc_url, "\n");
	raw_add(r, "PeriodType: ", p->period_type.type, " ");
	raw_add(r, "", p->period_type.unit, "\n");
	print_to(r->out, "Period: %" PRId64 "\n", p->period);
	raw_add_time(r);
	if (!p->duration_nanos)
		return;
	/* pprof prints the duration with "%.4v", which keeps its first four characters. */
	duration_text(p->duration_nanos, text);
	print_to(r->out, "Duration: %.*s\n", (int)text_prefix(text, strlen(text), 4), text);
}

static void raw_add_types(struct raw *r)
{
	const struct profile *p = r->p;

	print_to(r->out, "Samples:\n");
	for (size_t i = 0; i < p->type_count; i++) {
		bool chosen = p->types[i].type == p->default_type;

		raw_add(r, i ? " " : "", p->types[i].type, "/");
		raw_add(r, "", p->types[i].unit, chosen ? "[dflt]" : "");
	}
	print_to(r->out, "\n");
}

/* True if one of a key's numbers has a unit. */
static bool raw_has_units(const struct labels *l, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (l->list[i]->num_unit)
			return true;
	return false;
}

static void raw_add_value(struct raw *r, const struct profile_label *l, bool units)
{
	if (l->str) {
		text_add_string(r->out, r->p, l->str);
		return;
	}
	print_to(r->out, units ? "%" PRId64 " " : "%" PRId64, l->num);
	if (units)
		text_add_string(r->out, r->p, l->num_unit);
}

static void raw_add_labels(struct raw *r, const struct profile_sample *s, bool numbers)
{
	printer_fail(r->out, labels_take(&r->labels, r->p, s, numbers));
	for (size_t i = 0, end; i < r->labels.count && !r->out->rc; i = end) {
		bool units = raw_has_units(&r->labels, i, end = labels_run(&r->labels, i));

		raw_add(r, i ? " " : INDENT, r->labels.list[i]->key, ":[");
		for (size_t k = i; k < end; k++) {
			print_to(r->out, k == i ? "" : " ");
			raw_add_value(r, r->labels.list[k], units);
		}
		print_to(r->out, "]");
	}
	if (r->labels.count)
		print_to(r->out, "\n");
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

static void raw_add_sample(struct raw *r, const struct profile_sample *s)
{
	const struct profile *p = r->p;

	for (size_t i = 0; i < p->type_count; i++)
		print_to(r->out, " %10" PRId64, p->values[s->first_value + i]);
	print_to(r->out, ": ");
	for (size_t i = 0; i < s->locations; i++)
		print_to(r->out, "%" PRIu64 " ", location_id(p, p->stack[s->first_location + i]));
	print_to(r->out, "\n");
	raw_add_labels(r, s, false);
	raw_add_labels(r, s, true);
}

static void raw_add_function(struct raw *r, const struct profile_line *l)
{
	const struct profile_function *f;

	if (!l->function) {
		print_to(r->out, "??\n");
		return;
	}
	f = &r->p->functions[l->function - 1];
	raw_add(r, "", f->name, " ");
	text_add_string(r->out, r->p, f->filename);
	print_to(r->out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, l->line, l->column, f->start_line);
	if (f->name != f->system_name)
		raw_add(r, "(", f->system_name, ")");
	print_to(r->out, "\n");
}

static void raw_add_location(struct raw *r, uint32_t number)
{
	const struct profile_location *l = &r->p->locations[number - 1];

	print_to(r->out, "%6" PRIu64 ": 0x%" PRIx64 " ", location_id(r->p, number), l->address);
	if (l->mapping)
		print_to(r->out, "M=%" PRIu64 " ", mapping_id(r->p, l->mapping));
	if (l->is_folded)
		print_to(r->out, "[F] ");
	if (!l->lines)
		print_to(r->out, "\n");
	for (size_t i = 0; i < l->lines; i++) {
		print_to(r->out, i ? "             " : "");
		raw_add_function(r, &r->p->lines[l->first_line + i]);
	}
}

static void raw_add_mapping(struct raw *r, uint32_t number)
{
	const struct profile_mapping *m = &r->p->mappings[number - 1];

	print_to(r->out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64,
		 mapping_id(r->p, number), m->start, m->limit, m->offset);
	raw_add(r, " ", m->filename, " ");
	raw_add(r, "", m->build_id, " ");
	print_to(r->out, "%s%s%s%s\n", m->has_functions ? "[FN]" : "",
		 m->has_filenames ? "[FL]" : "", m->has_line_numbers ? "[LN]" : "",
		 m->has_inline_frames ? "[IN]" : "");
}

static void add_tables(struct raw *r)
{
	const struct profile *p = r->p;

	for (size_t i = 0; i < p->sample_count && !r->out->rc; i++)
		raw_add_sample(r, &p->samples[i]);
	print_to(r->out, "Locations\n");
	for (uint32_t i = 1; i <= p->location_count && !r->out->rc; i++)
		raw_add_location(r, i);
	print_to(r->out, "Mappings\n");
	for (uint32_t i = 1; i <= p->mapping_count && !r->out->rc; i++)
		raw_add_mapping(r, i);
}

int report_raw(const struct profile *p, const struct report_view *v, struct buffer *out,
	       struct error *err)
{
	struct printer to = { out, 0 };
	struct raw r = { .p = p, .out = &to };

	raw_add_head(&r);

	(void)v;
	raw_add_types(&r);
	add_tables(&r);
	labels_release(&r.labels);
	return printer_result(&to, err);
}

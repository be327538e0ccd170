/* A heading has three lines: whose profile it is, of how much, and how much of that is shown. With
 * v->verbose, ProfileLabels and reportLabels of google/pprof's internal/report/report.go, line by
 * line, but for the comments of many runs and what the total of a wall profile is of. */
#include "pprof/report/heading.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "pprof/columns.h"
#include "pprof/few.h"
#include "pprof/graph/graph.h"
#include "pprof/graph/measure.h"
#include "pprof/graph/paths.h"
#include "base/printer.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/units.h"

enum {
	FILTER_MAX = 80, /* bytes of a filter that are shown */
	TIME_TEXT = 64
};

const char *heading_unit(const struct profile *p, const struct report_view *v)
{
	return strset_get(&p->strings, p->types[v->type].unit);
}

/* Adds "WORD: TEXT", or nothing if the text is empty. */
static void heading_add_line(struct printer *out, const char *word, const char *text, size_t len)
{
	if (!len)
		return;
	print_to(out, "%s", word);
	print_foreign_bytes(out, text, len);
	print_to(out, "\n");
}

static void heading_add_string(struct printer *out, const char *word, const struct profile *p,
			       uint32_t string)
{
	const struct strset_entry *e = &p->strings.entries[string];

	heading_add_line(out, word, e->text, e->len);
}

/* The first mapping is the program's. */
const char *heading_program_name(const struct profile *p, size_t *len)
{
	const struct strset_entry *file;

	*len = 0;
	if (!p->mapping_count)
		return "";
	file = &p->strings.entries[p->mappings[0].filename];
	return file->len ? path_base(file->text, file->len, len) : "";
}

void heading_program(const struct profile *p, struct printer *out)
{
	size_t len;
	const char *name = heading_program_name(p, &len);

	heading_add_line(out, "File: ", name, len);
	if (p->mapping_count)
		heading_add_string(out, "Build ID: ", p, p->mappings[0].build_id);
}

/* The comments of many runs. Each of our recordings adds some seven: its version, its command line,
 * its figures (sampler/profile/summary.h). A merge of 200 has them all, because google/pprof's
 * merge has, and they would hide what is shown below them. Ours are recognized by how they begin.
 * The number of runs is that of the figure that occurs most often, because a merge keeps equal
 * lines once. */

/* How the lines of figures begin; the one that differs most often has the number of runs. */
static const char *const figures[] = { "samples: ", "rate: ", "unwound: ", "held: ", "cpu: " };

enum { FIGURES = sizeof(figures) / sizeof(*figures) };

static const char *comment(const struct profile *p, size_t i)
{
	return strset_get(&p->strings, p->comments[i]);
}

static size_t count_runs(const struct profile *p)
{
	size_t counts[FIGURES] = { 0 }, most = 0;

	for (size_t i = 0; i < p->comment_count; i++)
		for (size_t j = 0; j < FIGURES; j++)
			counts[j] += !strncmp(comment(p, i), figures[j], strlen(figures[j]));
	for (size_t j = 0; j < FIGURES; j++)
		most = counts[j] > most ? counts[j] : most;
	return most;
}

/* "sampler 0.1.0", and no command line. */
static bool heading_is_version(const char *text)
{
	return !strncmp(text, "sampler ", 8) && isdigit((unsigned char)text[8]) &&
	       !strchr(text + 8, ' ');
}

/* Adds a line in place of the comments of many runs:
 * "sampler 0.1.0: 200 runs (report --raw has their comments)". */
static void heading_add_runs(const struct profile *p, size_t runs, struct printer *out)
{
	size_t versions = 0;

	for (size_t i = 0; i < p->comment_count; i++)
		if (heading_is_version(comment(p, i))) {
			print_to(out, versions++ ? ", " : "");
			print_foreign(out, comment(p, i));
		}
	print_to(out, "%s%zu runs (report --raw has their comments)\n", versions ? ": " : "", runs);
}

/* Comments that begin with '#' are for programs. */
static void heading_add_comments(const struct profile *p, struct printer *out)
{
	size_t runs = count_runs(p);

	if (runs > 1)
		heading_add_runs(p, runs, out);
	for (size_t i = 0; runs <= 1 && i < p->comment_count; i++) {
		const struct strset_entry *e = &p->strings.entries[p->comments[i]];

		if (e->len && e->text[0] == '#')
			continue;
		print_foreign_bytes(out, e->text, e->len);
		print_to(out, "\n");
	}
}

/* Returns the length of the text; 0: not known. */
static size_t time_text(const struct profile *p, char text[TIME_TEXT])
{
	/* Go's time.Unix() rounds down. */
	time_t t = p->time_nanos / 1000000000 - (p->time_nanos % 1000000000 < 0);
	struct tm tm;

	if (!p->time_nanos || !localtime_r(&t, &tm))
		return 0;
	return strftime(text, TIME_TEXT, "%Y-%m-%d %H:%M:%S %Z", &tm);
}

static int compare_threads(const void *a, const void *b)
{
	return memcmp(a, b, 2 * sizeof(int64_t));
}

/* The number of threads that the samples name by the labels pid and tid; *count 0: none. */
static int count_threads(const struct profile *p, size_t *count)
{
	int64_t(*threads)[2] = calloc(p->sample_count + 1, sizeof(*threads));
	size_t all = 0;

	if (!threads)
		return ERR_NOMEM;
	for (size_t i = 0; i < p->sample_count; i++) {
		threads[all][0] = threads[all][1] = 0;
		for (size_t j = 0; j < p->samples[i].labels; j++) {
			const struct profile_label *l = &p->labels[p->samples[i].first_label + j];
			const char *key = strset_get(&p->strings, l->key);

			if (!strcmp(key, "pid") || !strcmp(key, "tid"))
				threads[all][*key == 't'] = l->num;
		}
		all += threads[all][1] != 0;
	}
	qsort(threads, all, sizeof(*threads), compare_threads);
	*count = all != 0;
	for (size_t i = 1; i < all; i++)
		*count += compare_threads(threads[i - 1], threads[i]) != 0;
	free(threads);
	return 0;
}

/* The total of a wall profile grows with the number of threads, most of which may only wait. */
static void add_whose_time(const struct profile *p, const struct report_view *v,
			   struct printer *out)
{
	size_t count = 0;

	if (!strcmp(strset_get(&p->strings, p->types[v->type].type), "wall"))
		printer_fail(out, count_threads(p, &count));
	if (count)
		print_to(out, ", wall time of %zu thread%s", count, count > 1 ? "s" : "");
}

static void add_duration(const struct profile *p, const struct report_view *v, int64_t total,
			 const char *unit, struct printer *out)
{
	char duration[MEASURE_MAX], value[MEASURE_MAX], share[MEASURE_MAX] = "";
	const char *total_unit;
	double nanos;

	if (!p->duration_nanos)
		return;
	nanos = units_scale(total, heading_unit(p, v), "nanoseconds", &total_unit);
	if (!strcmp(total_unit, "ns") && nanos)
		measure_percent(measure_share(1, nanos), p->duration_nanos, share);
	print_to(out, "Duration: %s, Total samples = %s %s%s%s",
		 measure_label(p->duration_nanos, "nanoseconds", "auto", duration),
		 measure_label(total, heading_unit(p, v), unit, value), *share ? "(" : "", share,
		 *share ? ")" : "");
	add_whose_time(p, v, out);
	print_to(out, "\n");
}

static void add_whole(const struct profile *p, const struct report_view *v, struct printer *out)
{
	char when[TIME_TEXT];

	heading_program(p, out);
	heading_add_comments(p, out);
	heading_add_string(out, "Type: ", p, p->types[v->type].type);
	heading_add_string(out, "Doc: ", p, p->doc_url);
	heading_add_line(out, "Time: ", when, time_text(p, when));
}

/* Adds ", WORD: TEXT" to the line that begins at `start`, or nothing if the text is empty. */
static void heading_add_part(struct printer *out, size_t start, const char *word, const char *text,
			     size_t len)
{
	if (!len)
		return;
	print_to(out, "%s%s", out->out->len > start ? ", " : "", word);
	print_foreign_bytes(out, text, len);
}

/* "File: server, Type: cpu, Time: 2026-11-22 13:14:17 UTC" */
static void add_short(const struct profile *p, const struct report_view *v, struct printer *out)
{
	const struct strset_entry *type = &p->strings.entries[p->types[v->type].type];
	size_t start = out->out->len, len;
	const char *name = heading_program_name(p, &len);
	char when[TIME_TEXT];

	heading_add_part(out, start, "File: ", name, len);

	heading_add_part(out, start, "Type: ", type->text, type->len);
	heading_add_part(out, start, "Time: ", when, time_text(p, when));
	if (out->out->len > start)
		print_to(out, "\n");
}

int64_t heading_samples(const struct profile *p)
{
	size_t column = profile_column(p, "samples");

	if (column == p->type_count || profile_column(p, "wall") < p->type_count)
		return 0;
	return graph_total(p, column);
}

/* Shares of a few samples are chance. */
static void heading_add_few(const struct profile *p, const struct report_view *v,
			    struct printer *out)
{
	char text[FEW_TEXT];

	few_text(v->samples ? v->samples : heading_samples(p), text);
	if (*text)
		print_to(out, "%c%s\n", toupper(*text), text + 1);
}

void heading_profile(const struct profile *p, const struct report_view *v, int64_t total,
		     const char *unit, struct printer *out)
{
	if (v->verbose)
		add_whole(p, v, out);
	else
		add_short(p, v, out);
	add_duration(p, v, total, unit, out);
	heading_add_few(p, v, out);
}

void heading_filters(const struct report_view *v, struct printer *out)
{
	if (v->filters && v->filters[0])
		print_to(out, "Active filters:\n");
	for (size_t i = 0; v->filters && v->filters[i]; i++) {
		size_t len = strlen(v->filters[i]);

		print_to(out, "   ");
		print_foreign_bytes(out, v->filters[i], len < FILTER_MAX ? len : FILTER_MAX);
		print_to(out, len > FILTER_MAX ? "…\n" : "\n");
	}
}

static void add_left_out(const struct graph *g, const struct report_view *v, const char *unit,
			 struct printer *out)
{
	int64_t cutoff = measure_magnitude(measure_share(g->total, v->node_fraction));
	const char *from = heading_unit(g->nodes.p, v);
	char least[MEASURE_MAX];

	if (g->total && g->dropped_count)
		print_to(out, "Dropped %zu node%s (cum <= %s)\n", g->dropped_count,
			 g->dropped_count > 1 ? "s" : "", measure_label(cutoff, from, unit, least));
	if (g->total && g->shown_count && g->shown_count < g->all_count)
		print_to(out, "Showing top %zu nodes out of %zu\n", g->shown_count, g->all_count);
}

void heading_graph(const struct graph *g, const struct report_view *v, const char *unit,
		   struct printer *out)
{
	const char *from = heading_unit(g->nodes.p, v);
	char shown[MEASURE_MAX], share[MEASURE_MAX], total[MEASURE_MAX];
	int64_t sum = graph_shown_total(g);

	heading_profile(g->nodes.p, v, g->total, unit, out);

	heading_filters(v, out);
	measure_percent(sum, g->total, share);
	print_to(out, "Showing nodes accounting for %s, %s of %s total%s\n",
		 measure_label(sum, from, unit, shown), share + strspn(share, " "),
		 measure_label(g->total, from, unit, total), v->note ? v->note : "");
	if (v->verbose)
		add_left_out(g, v, unit, out);
}

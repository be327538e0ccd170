/*
 * A batch's line: its name, when it was, CPU, samples, memory, goroutines, and what is remarkable:
 * types that are missing, another process than before, a pause before it, an end before its time.
 * Columns of which nothing is known are left out.
 */
#include "cli/rounds/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "cli/common/cli.h"
#include "base/printer.h"
#include "cli/rounds/range.h"
#include "cli/rounds/spark.h"
#include "rounds/catalog/rows.h"

enum { WIDTH = 80, LABEL = 12, SPARK_LEAST = 8, NO_ROW = -1 };

enum rounds_table_metric { CPU, RSS, GOROUTINES, METRICS };

static const char *const labels[METRICS] = { "CPU", "RSS", "goroutines" };

struct rounds_table {
	struct printer p;
	const struct catalog *c;
	const struct table_view *view;
	double *values[METRICS]; /* of each row of the view */
	bool known[METRICS];
	/* Of each row of the view: the row before it of the same program, or NO_ROW. */
	long *before;
	uint32_t program; /* string: the first one; 0: none could be read */
	bool many_programs;
	size_t restarts, incomplete;
};

static const struct catalog_row *row_at(const struct rounds_table *t, long i)
{
	return &t->c->rows[t->view->rows[i]];
}

/* CPUs in use: of metrics.json, else what sampling has seen. */
static double cpus(const struct catalog_row *row)
{
	if (!isnan(row->cpu) || !row->is_sampled || !row->duration_ns)
		return row->cpu;
	return (double)row->target_cpu_ns / (double)row->duration_ns;
}

static const char *rounds_table_show(enum rounds_table_metric metric, double value,
				     char text[AMOUNT_ROOM])
{
	if (isnan(value))
		strcpy(text, "-");
	else if (metric == CPU)
		snprintf(text, AMOUNT_ROOM, "%.1f%%", value * 100);
	else if (metric == RSS)
		amount_bytes((uint64_t)value, text);
	else
		snprintf(text, AMOUNT_ROOM, "%.0f", value);
	return text;
}

/* Fills t->before; programs are strings of the catalog. */
static int find_before(struct rounds_table *t)
{
	long *last = malloc(t->c->strings.count * sizeof(*last));

	if (!last)
		return ERR_NOMEM;
	for (size_t i = 0; i < t->c->strings.count; i++)
		last[i] = NO_ROW;
	for (size_t i = 0; i < t->view->count; i++) {
		uint32_t series = row_at(t, (long)i)->series;

		t->before[i] = last[series];
		last[series] = (long)i;
		t->program = t->program ? t->program : series;
		t->many_programs |= series && series != t->program;
	}
	free(last);
	return 0;
}

static bool rounds_table_occurs(const struct rounds_table *t, size_t from, size_t to,
				const struct catalog_row *of)
{
	for (size_t i = from; i < to; i++)
		if (catalog_same_process(row_at(t, (long)i), of))
			return true;
	return false;
}

/* Is the row the first of its process, and is that of the row before over? Processes that run side
 * by side take turns in the list. */
static bool is_restart(const struct rounds_table *t, size_t i)
{
	const struct catalog_row *row = row_at(t, (long)i), *before;

	if (t->before[i] == NO_ROW || row->trouble)
		return false;
	before = row_at(t, t->before[i]);
	return !before->trouble && !catalog_same_process(before, row) &&
	       !rounds_table_occurs(t, 0, i, row) &&
	       !rounds_table_occurs(t, i + 1, t->view->count, before);
}

/* The pause before the row in ns, if rounds did not follow each other as they had before; else 0.
 * In seconds, as names have them: those of hostile names do not fit into ns. */
static uint64_t pause_before(const struct rounds_table *t, size_t i)
{
	long b = t->before[i], a = b == NO_ROW ? NO_ROW : t->before[b];
	int64_t step, earlier, pause;

	if (a == NO_ROW)
		return 0;
	step = row_at(t, (long)i)->name.start_s - row_at(t, b)->name.start_s;
	earlier = row_at(t, b)->name.start_s - row_at(t, a)->name.start_s;
	pause = step - (int64_t)(row_at(t, b)->duration_ns / NS_PER_S);
	if (pause <= 2 || step / 2 <= earlier)
		return 0;
	return (uint64_t)(pause < UINT32_MAX ? pause : UINT32_MAX) * NS_PER_S;
}

/* Where the text of the next remark goes, behind what separates it from the one before. */
static struct printer *remark(struct rounds_table *t, const char **before)
{
	print_to(&t->p, "%s", *before);
	*before = "; ";
	return &t->p;
}

static void add_remarks(struct rounds_table *t, size_t i)
{
	const struct catalog_row *row = row_at(t, (long)i);
	const struct catalog_item *skipped = NULL;
	const char *before = "  ", *ended = catalog_text(t->c, row->ended);
	uint64_t pause = pause_before(t, i);

	if (row->trouble)
		print_to(remark(t, &before), "cannot be read: %s",
			 catalog_text(t->c, row->trouble));
	if (is_restart(t, i)) {
		print_to(remark(t, &before), "restarted: process %lu", row->pid);
		t->restarts++;
	}
	if (pause)
		print_to(remark(t, &before), "%s without a batch before it", shown_duration(pause));
	if (*ended && strcmp(ended, "time") != 0)
		print_to(remark(t, &before), "ended: %s", ended);
	while ((skipped = catalog_next(t->c, row, CATALOG_SKIPPED, skipped)))
		print_to(remark(t, &before), "no %s (%s)", catalog_text(t->c, skipped->name),
			 catalog_text(t->c, skipped->text));
	t->incomplete += row->trouble || catalog_next(t->c, row, CATALOG_SKIPPED, NULL);
}

/* Ends the line that begins at `start`, cut at the terminal's width. */
static void rounds_table_end_line(struct rounds_table *t, size_t start)
{
	struct buffer *b = t->p.out;
	size_t at = start, cut = start, columns = 0, len;

	while (at < b->len) {
		utf8_next((char *)b->data + at, b->len - at, &len);
		at += len;
		columns++;
		if (columns + 1 == t->view->width)
			cut = at;
	}
	if (t->view->width && columns > t->view->width) {
		b->len = cut;
		print_to(&t->p, "%s", t->view->ascii ? "~" : "…");
	}
	print_to(&t->p, "\n");
}

static void rounds_table_add_head(struct rounds_table *t)
{
	size_t start = t->p.out->len;

	print_to(&t->p, "batch   start (UTC)                took  %6s  samples", "CPU");
	if (t->known[RSS])
		print_to(&t->p, "  %10s", labels[RSS]);
	if (t->known[GOROUTINES])
		print_to(&t->p, "  %10s", labels[GOROUTINES]);
	if (t->many_programs)
		print_to(&t->p, "  %-15s", "program");
	rounds_table_end_line(t, start);
}

static void rounds_table_add_row(struct rounds_table *t, size_t i)
{
	const struct catalog_row *row = row_at(t, (long)i);
	char when[24], text[AMOUNT_ROOM], samples[24] = "-";
	size_t start = t->p.out->len;

	if (row->is_sampled)
		snprintf(samples, sizeof(samples), "%lu", row->samples);
	print_to(&t->p, "%06lu  %s  %10s  %6s  %7s", row->name.sequence,
		 range_time(catalog_start(row), when),
		 row->trouble ? "-" : shown_duration(row->duration_ns),
		 rounds_table_show(CPU, t->values[CPU][i], text), samples);
	for (enum rounds_table_metric m = RSS; m < METRICS; m++)
		if (t->known[m])
			print_to(&t->p, "  %10s", rounds_table_show(m, t->values[m][i], text));
	if (t->many_programs)
		print_to(&t->p, "  %-15s", catalog_text(t->c, row->series));
	add_remarks(t, i);
	rounds_table_end_line(t, start);
}

static void rounds_table_add_sum(struct rounds_table *t)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	size_t start = t->p.out->len;
	char from[24], to[24];

	for (size_t i = 0; i < t->view->count; i++) {
		const struct catalog_row *row = row_at(t, (long)i);

		first = catalog_start(row) < first ? catalog_start(row) : first;
		last = catalog_end(row) > last ? catalog_end(row) : last;
	}
	print_to(&t->p, "%zu %s of %s%s, %s to %s (UTC)", t->view->count,
		 t->view->count == 1 ? "batch" : "batches",
		 t->program ? catalog_text(t->c, t->program) : "unknown programs",
		 t->many_programs ? " and others" : "", range_time(first, from),
		 range_time(last, to));
	if (t->restarts)
		print_to(&t->p, "; %zu restart%s", t->restarts, cli_plural(t->restarts));
	if (t->incomplete)
		print_to(&t->p, "; %zu with something missing", t->incomplete);
	rounds_table_end_line(t, start);
}

static void add_spark(struct rounds_table *t, enum rounds_table_metric m)
{
	size_t width = t->view->width ? t->view->width : WIDTH, taken;
	char least[AMOUNT_ROOM], most[AMOUNT_ROOM];
	double from, to;

	if (!spark_range(t->values[m], t->view->count, &from, &to))
		return;
	rounds_table_show(m, from, least);
	rounds_table_show(m, to, most);
	taken = LABEL + strlen(least) + strlen(most) + strlen("   to ");
	print_to(&t->p, "%-*s", LABEL, labels[m]);
	t->p.rc |= spark_add(t->p.out, t->values[m], t->view->count,
			     width > taken + SPARK_LEAST ? width - taken : SPARK_LEAST,
			     t->view->ascii);
	print_to(&t->p, "  %s to %s\n", least, most);
}

static int rounds_table_prepare(struct rounds_table *t)
{
	size_t count = t->view->count;

	t->before = malloc(count * sizeof(*t->before) + 1);
	t->p.rc = !t->before;
	for (enum rounds_table_metric m = 0; m < METRICS; m++) {
		t->values[m] = malloc(count * sizeof(double) + 1);
		t->p.rc |= !t->values[m];
	}
	for (size_t i = 0; !t->p.rc && i < count; i++) {
		const struct catalog_row *row = row_at(t, (long)i);

		t->values[CPU][i] = cpus(row);
		t->values[RSS][i] = row->rss;
		t->values[GOROUTINES][i] = row->goroutines;
		for (enum rounds_table_metric m = 0; m < METRICS; m++)
			t->known[m] |= !isnan(t->values[m][i]);
	}
	return t->p.rc || find_before(t) ? ERR_NOMEM : 0;
}

int table_add(struct buffer *b, const struct catalog *c, const struct table_view *view)
{
	struct rounds_table t = { .p = { b, 0 }, .c = c, .view = view };
	int rc = rounds_table_prepare(&t);

	if (!rc) {
		rounds_table_add_head(&t);
		for (size_t i = 0; i < view->count; i++)
			rounds_table_add_row(&t, i);
		print_to(&t.p, "\n");
		rounds_table_add_sum(&t);
		for (enum rounds_table_metric m = 0; m < METRICS; m++)
			add_spark(&t, m);
		rc = t.p.rc ? ERR_NOMEM : 0;
	}
	for (enum rounds_table_metric m = 0; m < METRICS; m++)
		free(t.values[m]);
	free(t.before);
	return rc;
}

/*
 * Designed for a screen of 80 by 24: first what waits, for how long, and where. On a terminal the
 * lists are shortened until all of them fit on the screen; elsewhere, and with whole stacks, they
 * have up to ten lines.
 *
 * Rejected: the goroutines that wait longest, one by one. In a stuck program a thousand of them
 * have the same stack, so each stack is listed once, with its longest waiter.
 */
#include "cli/goparse/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/common/cli.h"
#include "base/printer.h"
#include "goparse/excerpt.h"
#include "goparse/summary/census.h"
#include "goparse/summary/holder.h"
#include "pprof/graph/text.h"
#include "pprof/report/paint.h"
#include "pprof/view.h"
#include "cli/goparse/where.h"

enum {
	STACKS_MOST = 10,
	WIDE = 100,
	STATE_MAX = 30,
	STATE_NARROW = 24, /* columns of a state; NARROW: if width < WIDE */
	SCREEN_MIN = 12,   /* lines; on a smaller terminal nothing is shortened */
};

enum { HOLDERS_SHOWN = 4 }; /* if more goroutines may hold a lock, none is shown */

/* The tables, in the order in which they are printed. */
enum goparse_summary_table { STATES, STACKS, CREATORS, WAITERS, TABLES };

static const struct {
	enum census_kind kind;
	enum census_order order;
	size_t most, least; /* rows shown, if there are so many; least: when shortened */
} tables[TABLES] = {
	{ CENSUS_STATES, CENSUS_BY_COUNT, 6, 2 },
	{ CENSUS_STACKS, CENSUS_BY_COUNT, STACKS_MOST, 5 },
	{ CENSUS_CREATORS, CENSUS_BY_COUNT, 10, 2 },
	{ CENSUS_STACKS, CENSUS_BY_WAIT, 10, 2 },
};

struct goparse_summary_page {
	const struct goparse_summary *s;
	struct printer out, line; /* `line` is the one that is being written */
	struct report_view view;
	struct census_list lists[TABLES];
	size_t shown[TABLES];		    /* number of rows */
	struct holder holders[STACKS_MOST]; /* of the locks that the most common stacks wait for */
};

/* At most two units. */
const char *goparse_wait(uint64_t ns, char text[GOPARSE_WAIT_ROOM])
{
	uint64_t minutes = ns / 60000000000, hours = minutes / 60, days = hours / 24;

	if (!minutes)
		snprintf(text, GOPARSE_WAIT_ROOM, "<1m");
	else if (!hours)
		snprintf(text, GOPARSE_WAIT_ROOM, "%lum", minutes);
	else if (!days)
		snprintf(text, GOPARSE_WAIT_ROOM, "%luh%02lum", hours, minutes % 60);
	else
		snprintf(text, GOPARSE_WAIT_ROOM, "%lud%02luh", days, hours % 24);
	return text;
}

static bool compares(const struct goparse_summary_page *p)
{
	return p->s->several && !p->s->diff;
}

/* Appends the finished line to the output. */
static void goparse_summary_end_line(struct goparse_summary_page *p)
{
	print_to(&p->out, "%.*s\n", (int)p->line.out->len, (const char *)p->line.out->data);
	p->line.out->len = 0;
}

/* Appends the finished line, coloured if `count` is a large share of all goroutines. */
static void end_row(struct goparse_summary_page *p, uint64_t count)
{
	int64_t all = (int64_t)census_total(p->s->census)->count;

	paint_share(&p->out, &p->view, (int64_t)count, all);
	print_to(&p->out, "%.*s", (int)p->line.out->len, (const char *)p->line.out->data);
	paint_end_line(&p->out, &p->view, (int64_t)count, all);
	p->line.out->len = 0;
}

static void add_count(struct goparse_summary_page *p, uint64_t count)
{
	if (count)
		print_to(&p->line, "%7lu", count);
	else
		print_to(&p->line, "%7s", "-");
}

static void add_wait(struct goparse_summary_page *p, uint64_t ns)
{
	char text[GOPARSE_WAIT_ROOM];

	print_to(&p->line, "%9s", goparse_wait(ns, text));
}

/* The change of a count since the first dump. */
static void add_change(struct goparse_summary_page *p, const struct census_row *r)
{
	int64_t change = (int64_t)(r->count - r->first);

	if (compares(p) && change)
		print_to(&p->line, "%+8ld", change);
	else if (compares(p))
		print_to(&p->line, "%8s", "-");
}

static void add_common(struct goparse_summary_page *p, const struct census_row *r)
{
	add_count(p, r->count);
	add_change(p, r);
	add_wait(p, r->longest_ns);
	print_to(&p->line, "  ");
}

/* A text that does not fit loses its middle. */
static void add_fitting(struct goparse_summary_page *p, struct goparse_text text, size_t reserve)
{
	struct buffer bytes = { 0 };
	struct printer shown = { &bytes, 0 };

	goparse_put(&shown, text);
	goparse_fit(&p->line, &shown, p->s->width, reserve);
	buffer_release(&bytes);
}

static struct goparse_text goparse_summary_text_of(const char *s)
{
	return (struct goparse_text){ s, strlen(s) };
}

/* Writes the titles of the columns; p->line holds the first ones already. `what`, the last one, is
 * followed by ", 10 of 37" if not all rows are shown, and by the number of goroutines in rows that
 * were not kept. */
static void begin_table(struct goparse_summary_page *p, enum goparse_summary_table t,
			const char *what)
{
	const struct census_list *l = &p->lists[t];

	print_to(&p->line, "%s", what);
	if (p->shown[t] < l->count)
		print_to(&p->line, ", %zu of %zu", p->shown[t], l->count);
	if (l->beyond)
		print_to(&p->line, " (and %lu goroutines in more than are kept)", l->beyond);
	print_to(&p->line, "%c", 0); /* paint_title takes a C string */
	print_to(&p->out, "\n");
	if (!p->line.rc)
		paint_title(&p->out, &p->view, (const char *)p->line.out->data);
	p->line.out->len = 0;
}

/* A state, and how many of its goroutines have waited how long. */
static void add_state(struct goparse_summary_page *p, const struct census_row *r,
		      struct goparse_text name)
{
	add_count(p, r->count);
	add_change(p, r);
	for (int i = 0; i < CENSUS_SPANS; i++)
		add_count(p, r->spans[i]);
	add_wait(p, r->longest_ns);
	print_to(&p->line, "  ");
	add_fitting(p, name, 0);
	goparse_summary_end_line(p);
}

static void goparse_summary_add_states(struct goparse_summary_page *p)
{
	print_to(&p->line, "%7s%s%7s%7s%7s%7s%9s  ", "count", compares(p) ? "  change" : "", "<1m",
		 "<10m", "<1h", "1h+", "longest");
	begin_table(p, STATES, "state");
	add_state(p, census_total(p->s->census), goparse_summary_text_of("all"));
	for (size_t i = 0; i < p->shown[STATES]; i++)
		add_state(p, p->lists[STATES].rows[i], p->lists[STATES].rows[i]->state);
}

/* Columns for the states beside the stacks of a table. */
static int state_columns(const struct goparse_summary_page *p, enum goparse_summary_table t)
{
	size_t widest = 0, most = p->s->width && p->s->width < WIDE ? STATE_NARROW : STATE_MAX;

	for (size_t i = 0; i < p->shown[t]; i++) {
		size_t len = p->lists[t].rows[i]->state.len;

		widest = len > widest ? len : widest;
	}
	return (int)(widest < most ? widest : most);
}

static void add_padded_state(struct goparse_summary_page *p, const struct census_row *r,
			     int columns)
{
	size_t end = goparse_columns(p->line.out) + (size_t)columns + 2;
	char shown[STATE_MAX + 1];

	excerpt(r->state, shown, (size_t)columns + 1);
	print_to(&p->line, "%s", shown);
	print_to(&p->line, "%*s", (int)(end - goparse_columns(p->line.out)), "");
}

/* A frame on a line of its own, with nothing cut out of its names. */
static void goparse_summary_add_frame(struct goparse_summary_page *p, const char *before,
				      const struct goparse_frame *f)
{
	print_to(&p->out, "%20s%s", "", before);
	goparse_put(&p->out, f->function);
	if (f->file.len) {
		print_to(&p->out, "  ");
		goparse_put(&p->out, f->file);
		print_to(&p->out, ":%lu", f->line);
	}
	print_to(&p->out, "\n");
}

static void add_whole_stack(struct goparse_summary_page *p, const struct goparse_stack *s)
{
	for (size_t i = 0; i <= s->count; i++) {
		if (s->elided && i == s->elided_at)
			print_to(&p->out, "%20s...additional frames elided...\n", "");
		if (i < s->count)
			goparse_summary_add_frame(p, "", &s->frames[i]);
	}
	if (s->created_by.function.len)
		goparse_summary_add_frame(p, "go in ", &s->created_by);
}

/* The goroutine that may hold a lock (goparse/summary/holder.h). */
static void goparse_summary_add_holder(struct goparse_summary_page *p, const struct holder *h)
{
	print_to(&p->line, "%9sheld by ", "");
	if (h->count > 1)
		print_to(&p->line, "one of %lu, ", h->count);
	print_to(&p->line, "goroutine %lu? ", h->row->stack.id);
	goparse_put(&p->line, h->row->state);
	print_to(&p->line, ", ");
	goparse_where(&p->line, &h->row->stack, h->row->state, p->s->width);
	goparse_summary_end_line(p);
}

static void goparse_summary_add_stack(struct goparse_summary_page *p, size_t i, int columns)
{
	const struct census_row *r = p->lists[STACKS].rows[i];

	add_common(p, r);
	add_padded_state(p, r, columns);
	goparse_where(&p->line, &r->stack, r->state, p->s->width);
	end_row(p, r->count);
	if (p->holders[i].row && p->holders[i].count <= HOLDERS_SHOWN)
		goparse_summary_add_holder(p, &p->holders[i]);
	if (p->s->stacks)
		add_whole_stack(p, &r->stack);
}

/* Stacks by the number of their goroutines. */
static void goparse_summary_add_stacks(struct goparse_summary_page *p)
{
	int columns = state_columns(p, STACKS);

	print_to(&p->line, "%7s%s%9s  ", "count", compares(p) ? "  change" : "", "longest");
	begin_table(p, STACKS, "stack");
	for (size_t i = 0; i < p->shown[STACKS]; i++)
		goparse_summary_add_stack(p, i, columns);
}

/* Go statements by the number of their goroutines that still exist. */
static void add_creators(struct goparse_summary_page *p)
{
	print_to(&p->line, "%7s%s%9s  ", "count", compares(p) ? "  change" : "", "longest");
	begin_table(p, CREATORS, "created by");
	for (size_t i = 0; i < p->shown[CREATORS]; i++) {
		const struct census_row *r = p->lists[CREATORS].rows[i];

		add_common(p, r);
		goparse_place(&p->line, &r->stack.created_by, p->s->width);
		end_row(p, r->count);
	}
}

/* Stacks by their longest waiter, and how many goroutines have waited as long. */
static void add_waiters(struct goparse_summary_page *p)
{
	int columns = state_columns(p, WAITERS);

	print_to(&p->line, "%7s  %9s%8s  ", "longest", "goroutine", "as long");
	begin_table(p, WAITERS, "stack");
	for (size_t i = 0; i < p->shown[WAITERS]; i++) {
		const struct census_row *r = p->lists[WAITERS].rows[i];
		char text[GOPARSE_WAIT_ROOM];

		print_to(&p->line, "%7s  %9lu%8lu  ", goparse_wait(r->longest_ns, text),
			 r->stack.id, r->as_long);
		add_padded_state(p, r, columns);
		goparse_where(&p->line, &r->stack, r->state, p->s->width);
		goparse_summary_end_line(p);
	}
}

/* The name of a dump, the number of its goroutines, and its errors. */
static void add_dump(struct goparse_summary_page *p, size_t i)
{
	const struct goparse_dump *d = &p->s->dumps[i];
	char rest[160];
	int n = snprintf(rest, sizeof(rest), ": %lu goroutine%s", d->goroutines,
			 cli_plural(d->goroutines));

	if (d->dumps > 1)
		n += snprintf(rest + n, sizeof(rest) - (size_t)n, " in the last of %lu dumps",
			      d->dumps);
	if (p->s->diff && i)
		n += snprintf(rest + n, sizeof(rest) - (size_t)n, ", %lu of them as before",
			      d->as_before);
	if (d->errors)
		n += snprintf(rest + n, sizeof(rest) - (size_t)n, ", %lu error%s", d->errors,
			      cli_plural(d->errors));
	if (d->broken)
		n += snprintf(rest + n, sizeof(rest) - (size_t)n, ", incomplete");
	add_fitting(p, goparse_summary_text_of(d->name), (size_t)n);
	print_to(&p->line, "%s", rest);
	goparse_summary_end_line(p);
}

/* Which goroutines the tables count, and how many of them wait. */
static void add_meaning(struct goparse_summary_page *p)
{
	const struct census_row *all = census_total(p->s->census);
	uint64_t waiting = all->count - all->spans[CENSUS_LESS];

	if (p->s->diff)
		print_to(&p->out, "stuck in all %zu, in the same state at the same place: %lu\n",
			 p->s->count, all->count);
	else if (p->s->several)
		print_to(&p->out, "the last one, and the change since the first:\n");
	if (waiting)
		print_to(&p->out, "%lu", waiting);
	else
		print_to(&p->out, "none");
	print_to(&p->out,
		 " of them wait%s for a minute or longer (Go prints "
		 "waits in whole minutes)\n",
		 waiting <= 1 ? "s" : "");
}

static void goparse_summary_add_all(struct goparse_summary_page *p)
{
	for (size_t i = 0; i < p->s->count; i++)
		add_dump(p, i);
	add_meaning(p);
	goparse_summary_add_states(p);
	goparse_summary_add_stacks(p);
	if (p->shown[CREATORS])
		add_creators(p);
	if (p->shown[WAITERS])
		add_waiters(p);
}

/* Drops a row of the table that exceeds its least by most, of equals the last. False: none does. */
static bool shorten(struct goparse_summary_page *p)
{
	int longest = -1;

	for (int t = 0; t < TABLES; t++)
		if (p->shown[t] > tables[t].least &&
		    (longest < 0 ||
		     p->shown[t] - tables[t].least >= p->shown[longest] - tables[longest].least))
			longest = t;
	if (longest < 0)
		return false;
	p->shown[longest]--;
	return true;
}

/* The lines on the screen: one for each dump, one or two of add_meaning, one for all states
 * together, and the shell's prompt; for each table a blank line, a title and its rows; the
 * holders. */
static size_t lines_of(const struct goparse_summary_page *p)
{
	size_t lines = p->s->count + p->s->several + 2 + 1;

	for (int t = 0; t < TABLES; t++)
		lines += p->shown[t] ? 2 + p->shown[t] : 0;
	for (size_t i = 0; i < p->shown[STACKS]; i++)
		lines += p->holders[i].row != NULL;
	return lines;
}

static void fit(struct goparse_summary_page *p)
{
	if (p->s->height < SCREEN_MIN || p->s->stacks)
		return;
	while (lines_of(p) > p->s->height && shorten(p))
		;
}

/* Ranks the rows of all tables. Of WAITERS only rows with a wait are kept. */
static int rank_all(struct goparse_summary_page *p, struct error *err)
{
	int rc = 0;

	for (int t = 0; !rc && t < TABLES; t++) {
		struct census_list *l = &p->lists[t];

		rc = census_rank(p->s->census, tables[t].kind, tables[t].order, l, err);
		while (t == WAITERS && l->count && !l->rows[l->count - 1]->longest_ns)
			l->count--;
		p->shown[t] = l->count < tables[t].most ? l->count : tables[t].most;
	}
	return rc;
}

int goparse_summary(const struct goparse_summary *s, struct buffer *out, struct error *err)
{
	struct buffer line = { 0 };
	struct goparse_summary_page p = {
		.s = s, .out = { out, 0 }, .line = { &line, 0 }, .view = { .colour = s->colour }
	};
	int rc = rank_all(&p, err);

	for (size_t i = 0; !rc && i < p.shown[STACKS]; i++)
		p.holders[i] = holder_find(p.lists[STACKS].rows[i], &p.lists[STACKS]);
	if (!rc) {
		fit(&p);
		goparse_summary_add_all(&p);
		printer_fail(&p.out, p.line.rc);
		rc = printer_result(&p.out, err);
	}
	for (int t = 0; t < TABLES; t++)
		free(p.lists[t].rows);
	buffer_release(&line);
	return rc;
}

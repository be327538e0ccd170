/*
 * A look at all processes costs some microseconds for each thread (base/process/population.h). On
 * a screen, the next one waits for COST_FACTOR times that, as profiles do (top.c); the first
 * interval is short.
 *
 * To enter a process ends the screen, and the command goes on as `sampler top -p PID`. Rejected: to
 * come back from there. Privileges are dropped for the one process and its output.
 */
#include "cli/top/everyone.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/process/population.h"
#include "base/process/process.h"
#include "cli/common/byname.h"
#include "cli/common/cli.h"
#include "cli/common/signals.h"
#include "cli/top/everytext.h"
#include "cli/top/options.h"
#include "cli/top/screen.h"
#include "cli/top/text.h"
#include "sampler/child/privilege.h"

enum { EVERYONE_COST_FACTOR = 20, EVERYONE_HEAD = 3, EVERYONE_FIT = 6 };

static const uint64_t EVERYONE_FIRST_NS = 300 * NS_PER_MS;

struct everyone {
	struct topoptions *o;
	struct population all;
	uint64_t start_ns, due_ns, shown;
	pid_t marked; /* the selected process, which stays selected when rows move; 0: the row is */
	size_t first, selected, room, columns; /* columns: of the screen; 0: no limit */
	char message[600];		       /* about the last action */
	bool chosen, quits;
};

static volatile sig_atomic_t everyone_ended;

static void everyone_on_signal(int sig)
{
	everyone_ended = sig;
}

/* Looks, and says when the next look is due. */
static int everyone_look(struct everyone *e, bool on_screen, struct error *err)
{
	int rc = population_take(&e->all, err);
	uint64_t cost = on_screen ? e->all.cost_ns * EVERYONE_COST_FACTOR : 0;
	uint64_t interval = e->o->interval_ns;

	if (!e->all.interval_ns && on_screen && interval > EVERYONE_FIRST_NS)
		interval = EVERYONE_FIRST_NS;
	population_sort(&e->all);
	e->shown += e->all.interval_ns != 0;
	e->due_ns = monotonic_ns() + (cost > interval ? cost : interval);
	return rc;
}

static bool everyone_over(const struct everyone *e)
{
	uint64_t duration = e->o->sampling.recording.duration_ns;

	return everyone_ended || e->quits || e->chosen ||
	       (e->o->count && e->shown >= e->o->count) ||
	       (duration && monotonic_ns() - e->start_ns >= duration);
}

/* Tables. */

static void everyone_put(const struct everyone *e, char *line)
{
	if (e->columns)
		toptext_cut(line, e->columns);
	printable(line, EVERYTEXT_LINE);
	puts(line);
}

static void print_rows(const struct everyone *e, size_t first, size_t count)
{
	const struct population *all = &e->all;
	char line[EVERYTEXT_LINE];

	everytext_head(all, line);
	everyone_put(e, line);
	everytext_columns(line);
	everyone_put(e, line);
	for (size_t i = first; i < all->now.count && i < first + count; i++) {
		everytext_row(&all->now.processes[i], all->interval_ns, line);
		everyone_put(e, line);
	}
}

static int print_table(const struct everyone *e, struct error *err)
{
	print_rows(e, 0, e->o->lines ? e->o->lines : e->all.now.count);
	putchar('\n');
	return fflush(stdout) || ferror(stdout) ?
		       error_set(err, ERR_IO, "cannot write to the standard output") :
		       0;
}

/* Waits until the next look is due, or a signal comes. */
static void everyone_wait(const struct everyone *e)
{
	struct timespec until = to_timespec(e->due_ns);

	while (!everyone_ended &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

static int everyone_tables(struct everyone *e, struct error *err)
{
	int rc = everyone_look(e, false, err);

	while (!rc && !everyone_over(e)) {
		everyone_wait(e);
		if (everyone_ended)
			break;
		rc = everyone_look(e, false, err);
		rc = rc ? rc : print_table(e, err);
	}
	return rc;
}

/* The screen. */

static const struct population_process *everyone_row(const struct everyone *e)
{
	return e->selected < e->all.now.count ? &e->all.now.processes[e->selected] : NULL;
}

/* Limits what is selected to the rows that exist, and shows the part that it is in. */
static void everyone_keep_in_sight(struct everyone *e)
{
	size_t count = e->all.now.count;

	for (size_t i = 0; e->marked && i < count; i++)
		if (e->all.now.processes[i].of.pid == e->marked)
			e->selected = i;
	if (e->selected >= count)
		e->selected = count ? count - 1 : 0;
	if (e->first > e->selected)
		e->first = e->selected;
	if (e->room && e->first + e->room <= e->selected)
		e->first = e->selected + 1 - e->room;
	if (e->first + e->room > count)
		e->first = count > e->room ? count - e->room : 0;
}

static void draw_processes(struct everyone *e, int from)
{
	char line[EVERYTEXT_LINE];

	everyone_keep_in_sight(e);
	for (size_t i = e->first; i < e->all.now.count && i < e->first + e->room; i++) {
		everytext_row(&e->all.now.processes[i], e->all.interval_ns, line);
		screen_line(from++, i == e->selected ? SCREEN_SELECTED : SCREEN_PLAIN, line);
	}
}

/* On a small screen the head and the keys are left out, not rows. */
static void everyone_draw(struct everyone *e)
{
	int lines, columns, at = 0;
	char line[EVERYTEXT_LINE];

	screen_size(&lines, &columns);
	screen_clear();
	if (lines >= EVERYONE_FIT) {
		everytext_head(&e->all, line);
		screen_line(at++, SCREEN_HEAD, line);
		everytext_columns(line);
		screen_line(at++, SCREEN_TITLE, line);
		screen_line(--lines, SCREEN_HEAD,
			    *e->message ? e->message :
					  "up, down choose  Enter looks into it  q quit");
	}
	e->columns = columns > 0 ? (size_t)columns : 0;
	e->room = lines > at ? (size_t)(lines - at) : 0;
	draw_processes(e, at);
	screen_show(-1);
}

/* Holds the selected process, so that its number cannot come to mean another one. */
static void everyone_enter(struct everyone *e)
{
	const struct population_process *row = everyone_row(e);
	struct sampling *s = &e->o->sampling;
	struct error err;

	if (!row)
		return;
	if (byname_hold_chosen(&s->names, &row->of, &err) || process_may_trace(row->of.pid, &err)) {
		snprintf(e->message, sizeof(e->message), "%s", err.text);
		byname_release(&s->names);
		return;
	}
	s->pids[0] = row->of.pid;
	s->recording.pid_count = 1;
	e->chosen = true;
}

/* By how many rows a key moves. */
static long everyone_step(const struct everyone *e, int key)
{
	long page = e->room > 1 ? (long)e->room : 1, all = (long)e->all.now.count;

	switch (key) {
	case SCREEN_UP:
	case 'k':
		return -1;
	case SCREEN_DOWN:
	case 'j':
		return 1;
	case SCREEN_PAGE_UP:
		return -page;
	case SCREEN_PAGE_DOWN:
	case ' ':
		return page;
	case SCREEN_HOME:
		return -all;
	case SCREEN_END:
		return all;
	default:
		return 0;
	}
}

static void everyone_move(struct everyone *e, long step)
{
	long to = (long)e->selected + step, last = (long)e->all.now.count - 1;

	to = to > last ? last : to;
	e->selected = to > 0 ? (size_t)to : 0;
	e->marked = to > 0 ? everyone_row(e)->of.pid : 0;
}

static void everyone_key(struct everyone *e, int key)
{
	*e->message = '\0';
	switch (key) {
	case 'q':
	case 'Q':
	case SCREEN_GONE:
		e->quits = true;
		break;
	case SCREEN_ENTER:
		everyone_enter(e);
		break;
	case 'L' - '@':
		screen_redraw();
		break;
	default:
		if (everyone_step(e, key))
			everyone_move(e, everyone_step(e, key));
	}
}

/* Handles the keys that come until the next look is due. */
static void everyone_keys(struct everyone *e)
{
	while (!everyone_over(e)) {
		uint64_t now = monotonic_ns();
		int key;

		if (now >= e->due_ns)
			return;
		everyone_draw(e);
		key = screen_key((int)((e->due_ns - now) / NS_PER_MS) + 1);
		if (key != SCREEN_NO_KEY)
			everyone_key(e, key);
	}
}

static int everyone_screen(struct everyone *e, struct error *err)
{
	int rc = 0;

	while (!rc && !everyone_over(e)) {
		rc = everyone_look(e, true, err);
		if (!rc)
			everyone_keys(e);
	}
	screen_close();
	if (!rc && !e->chosen && e->all.interval_ns)
		print_rows(e, e->first, e->room);
	return rc;
}

/* Tables need no more than to read. Of a screen a process may be chosen, for which privileges are
 * dropped when its output is open. */
static int everyone_begin(struct everyone *e, struct error *err)
{
	struct privilege_needs needs = { .samples = true };
	int rc;

	if (screen_possible() && !screen_open(err))
		return everyone_screen(e, err);
	if (screen_possible())
		cli_say("no screen, tables only: %s", err->text);
	rc = privilege_drop(&needs, err);
	return rc ? rc : everyone_tables(e, err);
}

int everyone_run(struct topoptions *o)
{
	struct everyone e = { .o = o, .start_ns = monotonic_ns() };
	struct error err;
	int rc;

	if (o->output && !screen_possible())
		return cli_usage("-o is about one process: -p PID or -- COMMAND");
	signals_catch(everyone_on_signal, true);
	rc = everyone_begin(&e, &err);
	signals_release();
	population_release(&e.all);
	if (rc)
		return cli_fail(&err);
	return e.chosen ? CLI_GO_ON : EXIT_DONE;
}

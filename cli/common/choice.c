/* CPU time is that since a process began: a short look would have the user wait, and shows nothing
 * of a server that has its load in bursts. */
#include "cli/common/choice.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/named.h"
#include "cli/common/cli.h"
#include "cli/common/commandline.h"
#include "cli/common/similar.h"

enum { CHOICE_LINES = 20, NEAR_NAMES = 4 };

struct choice_near {
	const char *name;
	char text[NEAR_NAMES * 90];
	size_t len, count;
};

/* A comm that holds the name, or that it may have been meant as. */
static bool choice_is_near(const char *name, const char *comm)
{
	return strcasestr(comm, name) || similar_enough(name, comm, similar_distance(name, comm));
}

static void take_near(void *ctx, const struct named *n, int dir)
{
	struct choice_near *near = ctx;
	char one[90];

	(void)dir;
	snprintf(one, sizeof(one), "%s (%d)", n->comm, n->pid);
	if (!choice_is_near(near->name, n->comm) || near->count == NEAR_NAMES)
		return;
	near->len += (size_t)snprintf(near->text + near->len, sizeof(near->text) - near->len,
				      "%s%s", near->count ? ", " : "", one);
	near->count++;
}

int choice_none(const char *name, struct error *err)
{
	struct choice_near near = { .name = name };

	if (*name && !named_each(take_near, &near, err) && near.count)
		return error_set(err, ERR_GONE, "no process is named '%s'; near: %s", name,
				 near.text);
	return error_set(err, ERR_GONE, "no process is named '%s'", name);
}

/* CPU time of a process in percent of one CPU, since it began. */
static double choice_percent(const struct named *n)
{
	double hz = (double)sysconf(_SC_CLK_TCK);
	double age = (double)clock_ns(CLOCK_BOOTTIME) / NS_PER_S - (double)n->start_ticks / hz;

	return age > 0 ? 100 * (double)n->cpu_ticks / hz / age : 0;
}

static uint64_t choice_age_ns(const struct named *n)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK), now = clock_ns(CLOCK_BOOTTIME);
	uint64_t start = n->start_ticks / hz * NS_PER_S + n->start_ticks % hz * NS_PER_S / hz;

	return now > start ? now - start : 0;
}

struct choice_row {
	const struct named *of;
	double percent;
	size_t workers;
};

static int by_use(const void *a, const void *b)
{
	const struct choice_row *x = a, *y = b;

	if (x->percent != y->percent)
		return x->percent < y->percent ? 1 : -1;
	return x->of->pid < y->of->pid ? -1 : x->of->pid > y->of->pid;
}

static struct choice_row choice_row_of(const struct named_list *l, const struct named *master)
{
	struct choice_row row = { .of = master };

	for (size_t i = 0; i < l->count; i++)
		if (l->of[i].master == master->pid) {
			row.percent += choice_percent(&l->of[i]);
			row.workers += l->of[i].pid != master->pid;
		}
	return row;
}

static void choice_print(const struct choice_row *row)
{
	char line[COMMANDLINE_ROOM], workers[40] = "";

	commandline_read(row->of, line);
	if (row->workers)
		snprintf(workers, sizeof(workers), "  (and %zu below it)", row->workers);
	cli_line("%8d %6.1f%% %12s  %s%s", row->of->pid, row->percent,
		 shown_duration(choice_age_ns(row->of)), line, workers);
}

static void choice_print_all(struct choice_row *rows, size_t count, const char *name)
{
	qsort(rows, count, sizeof(*rows), by_use);
	cli_say("'%s' is the name of %zu processes that are not one server; none was sampled", name,
		count);
	cli_line("%8s %7s %12s  %s", "PID", "CPU", "age", "command line (CPU: since it began)");
	for (size_t i = 0; i < count && i < CHOICE_LINES; i++)
		choice_print(&rows[i]);
	if (count > CHOICE_LINES)
		cli_line("%8s and %zu more", "", count - CHOICE_LINES);
}

int choice_several(struct named_list *l, const char *name, struct error *err)
{
	struct choice_row *rows = calloc(l->count, sizeof(*rows));
	size_t count = 0;

	if (!rows)
		return error_nomem(err);
	for (size_t i = 0; i < l->count; i++)
		if (l->of[i].master == l->of[i].pid)
			rows[count++] = choice_row_of(l, &l->of[i]);
	choice_print_all(rows, count, name);
	error_set(err, ERR_USAGE, "choose by number, as -p %d", count ? rows[0].of->pid : 0);
	free(rows);
	return ERR_USAGE;
}

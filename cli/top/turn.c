/* Tables, saving, and when the next profile is requested. */
#include "cli/top/turn.h"

#include <stdio.h>

#include "base/error.h"
#include "base/printable.h"
#include "cli/common/cli.h"
#include "pprof/profile.h"

enum { COST_FACTOR = 20 };

/* Tables. */

void turn_put_line(char *line)
{
	printable(line, TOPTEXT_LINE);
	puts(line);
}

static void turn_print_table(struct top *t)
{
	static void (*const head[])(const struct topview *, char *) = {
		toptext_target,
		toptext_sampler,
		toptext_spans,
		toptext_columns,
	};
	const struct topview *v = &t->screen.view;
	size_t count = toptext_count(v), lines = t->o->lines;
	char line[TOPTEXT_LINE];

	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++) {
		head[i](v, line);
		turn_put_line(line);
	}
	for (size_t i = 0; i < count && (!lines || i < lines); i++) {
		toptext_row(v, i, line);
		turn_put_line(line);
	}
	putchar('\n');
	if (fflush(stdout) || ferror(stdout)) {
		t->failed = true; /* no process reads any more, or the disk is full */
		recording_stop(t->r);
	}
}

/* What is shown. */

void turn_refresh(struct top *t)
{
	const struct recording_interim *in = recording_interim(t->r);
	struct topview *v = &t->screen.view;
	bool wall = t->o->sampling.recording.wall && !t->cpu;
	struct error err;
	struct live live;

	if (!in->whole)
		return;
	if (live_fill(&live, in->window, in->whole, wall ? "wall" : "cpu", t->screen.path,
		      t->screen.path_count, &err)) {
		topscreen_say(&t->screen, "%s", err.text);
		return;
	}
	live_sort(&live, t->screen.order);
	live_release(&t->live);
	t->live = live;
	v->live = &t->live;
	v->wall = wall;
	v->window_ns = (uint64_t)in->window->duration_nanos;
	v->elapsed_ns = (uint64_t)in->whole->duration_nanos;
}

bool turn_all_shown(const struct top *t)
{
	return t->o->count && t->shown >= t->o->count;
}

/* Called when a requested profile is there or could not be made. */
static void take_new(struct top *t, const struct recording_stats *stats)
{
	const struct recording_interim *in = recording_interim(t->r);
	const char *warning = recording_warning(t->r, 0);

	if (warning && !*t->screen.message)
		topscreen_say(&t->screen, "%s", warning);
	if (in->failed)
		topscreen_say(&t->screen, "%s", in->error.text);
	if (in->failed && !t->on_screen)
		cli_say("%s", in->error.text);
	if (!t->screen.paused) {
		t->screen.view.recent = topfigures_since(stats, &t->before);
		t->stats = *stats;
		turn_refresh(t);
	}
	t->before = topfigures_since(stats, &(struct topfigures){ 0 });
	t->shown += !t->is_early;
	t->is_early = false;
	if (!t->on_screen && !in->failed)
		turn_print_table(t);
	if (turn_all_shown(t))
		recording_stop(t->r);
}

/* On a screen, the next profile waits for COST_FACTOR times the CPU time of the last one. */
static void plan_next(struct top *t, uint64_t now_ns)
{
	uint64_t cost = recording_interim(t->r)->cost_ns * COST_FACTOR;

	if (!t->on_screen)
		cost = 0; /* for tables the user's --interval decides */
	t->due_ns = now_ns + (cost > t->o->interval_ns ? cost : t->o->interval_ns);
	if (t->is_early)
		t->due_ns = t->o->interval_ns;
}

/* Saving. */

static void drop_save(struct top *t, const struct error *err)
{
	topscreen_say(&t->screen, "%s", err->text);
	outfile_abort(&t->file);
}

static void end_saving(struct top *t)
{
	const struct recording_interim *in = recording_interim(t->r);
	struct error err = in->error;
	uint64_t bytes = t->file.written;
	int rc = in->failed ? in->failed : outfile_commit(&t->file, &err);

	t->saving = false;
	if (rc)
		drop_save(t, &err);
	else
		topscreen_say(&t->screen, "wrote %s (%lu bytes)", t->screen.input, bytes);
}

void turn_begin_saving(struct top *t)
{
	struct error err;

	if (outfile_open(&t->file, t->screen.input, &err)) {
		topscreen_say(&t->screen, "%s", err.text);
		return;
	}
	t->save_due = true;
	topscreen_say(&t->screen, "saving…");
}

int turn_ask(struct top *t, struct outfile *file, struct error *err)
{
	return recording_ask_interim(t->r, t->o->sampling.symbolize,
				     (const char *)t->o->sampling.command_line.data, file, err);
}

void turn_take(struct top *t, const struct recording_stats *stats)
{
	const struct recording_interim *in = recording_interim(t->r);
	struct error err;

	if (in->busy)
		return;
	if (in->number != t->seen) {
		t->seen = in->number;
		if (t->saving)
			end_saving(t);
		else
			take_new(t, stats);
	}
	if (t->save_due) {
		t->save_due = false;
		t->saving = !turn_ask(t, &t->file, &err);
		if (!t->saving)
			drop_save(t, &err);
	} else if (stats->elapsed_ns >= t->due_ns && !turn_all_shown(t)) {
		plan_next(t, stats->elapsed_ns);
		turn_ask(t, NULL, &err);
	}
}

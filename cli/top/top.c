/*
 * sampler top: a live view of what a process does.
 *
 * Everything happens in the progress callback of a recording, ten times a second: keys are read,
 * the next profile is requested when it is due (turn.c; sampler/profile/interim.c makes it), the
 * last one is shown. Sampling waits for none of this.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/clock.h"
#include "base/error.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"
#include "cli/common/cli.h"
#include "cli/common/defaultname.h"
#include "cli/common/signals.h"
#include "cli/record/ending.h"
#include "cli/record/outcome.h"
#include "cli/record/sampling.h"
#include "cli/top/everyone.h"
#include "cli/top/options.h"
#include "cli/top/screen.h"
#include "cli/top/turn.h"

enum { KEY_WAIT_MS = 200 };

/* A screen's first profile comes early, so that there are names within a second. It has no share in
 * --count. */
static const uint64_t FIRST_NS = 300 * NS_PER_MS;

/* Signals. There is one recording at a time. */

static struct recording *running;
static volatile sig_atomic_t ended_by, stop_wanted, forward_pid;

/* The first signal ends the sampling, the second ends us. A SIGHUP never counts as the second: a
 * terminal that closes causes more than one, from the kernel to the foreground group and from the
 * shell to its jobs. */
static void top_on_signal(int sig)
{
	if (forward_pid && sig != SIGINT)
		kill(forward_pid, sig);
	if (ended_by && sig == SIGHUP)
		return;
	if (ended_by) {
		screen_abandon();
		signal(sig, SIG_DFL);
		raise(sig);
	}
	ended_by = sig;
	recording_stop(running);
}

static void top_on_terminal_stop(int sig)
{
	(void)sig;
	stop_wanted = 1;
}

static void catch_signals(const struct top *t)
{
	running = t->r;
	forward_pid = t->o->sampling.recording.command ? recording_process(t->r)->pid : 0;
	signals_catch(top_on_signal, true);
	if (t->on_screen && signal(SIGTSTP, top_on_terminal_stop) == SIG_IGN)
		signal(SIGTSTP, SIG_IGN);
}

/* Keys. */

static void grant(struct top *t, enum topscreen_wish wish)
{
	char name[256];

	switch (wish) {
	case TOPSCREEN_SORT:
		live_sort(&t->live, t->screen.order);
		break;
	case TOPSCREEN_TYPE:
		t->cpu = !t->cpu;
		turn_refresh(t);
		break;
	case TOPSCREEN_CALLERS:
		turn_refresh(t);
		break;
	case TOPSCREEN_RESUME:
		t->stats = *recording_stats(t->r);
		turn_refresh(t);
		break;
	case TOPSCREEN_ASK_NAME:
		default_name(recording_process(t->r), ".pb.gz", name, sizeof(name));
		if (t->saving || t->save_due)
			topscreen_say(&t->screen, "still saving…");
		else
			topscreen_prompt(&t->screen, 's', name);
		break;
	case TOPSCREEN_SAVE:
		turn_begin_saving(t);
		break;
	case TOPSCREEN_QUIT:
		ended_by = SIGINT;
		recording_stop(t->r);
		break;
	case TOPSCREEN_NOTHING:
		break;
	}
}

/* Ctrl-Z: restores the terminal, then suspends us. True until we are continued. */
static bool suspended(struct top *t)
{
	if (stop_wanted && !t->suspended) {
		t->suspended = true;
		screen_leave();
		recording_suspend(t->r);
	}
	if (!t->suspended)
		return false;
	if (recording_suspending(t->r))
		return true;
	stop_wanted = 0;
	t->suspended = false;
	screen_return();
	return false;
}

/* Handles all keys that are there, after waiting up to `timeout_ms` for the first, and draws. */
static void show_screen(struct top *t, int timeout_ms)
{
	int key;

	if (suspended(t))
		return;
	while (!ended_by && (key = screen_key(timeout_ms)) != SCREEN_NO_KEY) {
		grant(t, topscreen_key(&t->screen, key));
		timeout_ms = 0;
	}
	topscreen_draw(&t->screen);
}

static void progress(void *ctx, const struct recording_stats *stats)
{
	struct top *t = ctx;

	if (!t->screen.view.live)
		t->stats = *stats;
	turn_take(t, stats);
	if (t->on_screen)
		show_screen(t, 0);
}

/* The end. */

/* Waits for the profile that is being made, if any, and takes it over; then begins what is due. */
static void await_turn(struct top *t)
{
	recording_await_interim(t->r);
	turn_take(t, recording_stats(t->r));
}

/* Takes over the profile that is still being made, to be shown or saved. Then shows a last profile,
 * unless --count is reached. */
static void show_last(struct top *t)
{
	struct error err;

	await_turn(t);
	await_turn(t);
	if (turn_all_shown(t))
		return;
	t->due_ns = UINT64_MAX;
	turn_ask(t, NULL, &err);
	await_turn(t);
}

static void keep_last_view(struct top *t)
{
	const struct recording_stats *s = recording_stats(t->r);

	t->screen.paused = false;
	t->screen.prompt = 0;
	if (s->processes > 1)
		topscreen_say(&t->screen, "all %lu processes have ended", s->processes);
	else
		topscreen_say(&t->screen, "process %d has ended after %s; q quits",
			      recording_process(t->r)->pid, shown_duration(s->elapsed_ns));
	show_last(t);
	t->due_ns = UINT64_MAX;
	while (!ended_by) {
		turn_take(t, s);
		if (t->save_due || t->saving)
			recording_await_interim(t->r);
		turn_take(t, s);
		show_screen(t, KEY_WAIT_MS);
	}
}

static void say_end(const struct top *t)
{
	const struct recording_stats *s = recording_stats(t->r);
	const char *after = shown_duration(s->elapsed_ns);

	if (s->end == RECORDING_EXITED && s->processes > 1)
		cli_say("all %lu processes ended after %s", s->processes, after);
	else if (s->end == RECORDING_EXITED)
		cli_say("process %d ended after %s", recording_process(t->r)->pid, after);
	if (*s->interpreters)
		cli_say("%s", s->interpreters);
	if (s->samples && outcome_is_all_native(s, &t->o->sampling.recording))
		cli_say(OUTCOME_ALL_NATIVE);
}

/* One that is still due begins when the profile that is being made is done. */
static void finish_saving(struct top *t)
{
	t->due_ns = UINT64_MAX;
	while (t->saving || t->save_due)
		await_turn(t);
	cli_say("%s", t->screen.message);
}

static int write_output(struct top *t, struct outfile *file)
{
	const char *line = (const char *)t->o->sampling.command_line.data;
	struct error err;
	uint64_t bytes;
	int rc = recording_write(t->r, t->o->sampling.symbolize, line, file, &err);

	bytes = file->written;
	if (!rc)
		rc = outfile_commit(file, &err);
	ending_warnings(t->r);
	if (rc)
		return cli_fail(&err);
	cli_wrote(t->o->output, bytes, "");
	return EXIT_DONE;
}

/* Has our time ended, and the command has not? */
static bool top_outlives(const struct top *t)
{
	return (recording_stats(t->r)->end == RECORDING_TIME_UP || turn_all_shown(t)) &&
	       recording_command_runs(t->r);
}

static int top_run(struct top *t, struct outfile *output)
{
	struct error err = { 0 };
	int rc, status = EXIT_DONE;

	catch_signals(t);
	rc = recording_run(t->r, progress, t, &err);
	if (!rc && t->on_screen && recording_stats(t->r)->end == RECORDING_EXITED)
		keep_last_view(t);
	else if (!rc && !t->on_screen && !t->failed)
		show_last(t);
	screen_close();
	if (t->on_screen) {
		topscreen_leave(&t->screen, turn_put_line);
		fflush(stdout);
	}
	if (rc)
		status = cli_fail(&err);
	say_end(t);
	if (t->saving || t->save_due)
		finish_saving(t);
	if (t->o->output && recording_stats(t->r)->elapsed_ns && write_output(t, output))
		status = EXIT_FAILED;
	if (t->failed) {
		error_set(&err, ERR_IO, "cannot write to the standard output");
		status = cli_fail(&err);
	}
	if (!status && t->o->sampling.recording.command && !top_outlives(t))
		status = cli_command_status(recording_wait_command(t->r));
	return status;
}

/* Keeps the privileges that saving a profile in the current folder needs. */
static int drop_privileges(const struct topoptions *o, const struct outfile *output,
			   struct error *err)
{
	struct privilege_needs needs = { .output = output,
					 .command = o->sampling.recording.command,
					 .samples = true };
	struct outfile here = OUTFILE_NONE;
	int rc;

	if (!o->output && outfile_open(&here, "sampler.pb.gz", NULL) == 0)
		needs.output = &here;
	rc = privilege_drop(&needs, err);
	outfile_abort(&here);
	return rc;
}

static int open_and_run(struct recording *r, const struct topoptions *o, struct outfile *output)
{
	struct top t = { .r = r, .o = o, .file = OUTFILE_NONE };
	const struct process *p = recording_process(r);
	struct error err;
	int status;

	t.screen.order = o->order;
	t.screen.view = (struct topview){ .stats = &t.stats,
					  .target = t.target,
					  .rate = o->sampling.recording.rate,
					  .wall = o->sampling.recording.wall,
					  .threads = o->threads };
	snprintf(t.target, sizeof(t.target), "%s %d", p->comm, p->pid);
	if ((o->output && outfile_open(output, o->output, &err)) ||
	    drop_privileges(o, output, &err))
		return cli_fail(&err);
	t.on_screen = screen_possible() && screen_open(&err) == 0;
	if (screen_possible() && !t.on_screen)
		cli_say("no screen, tables only: %s", err.text);
	t.is_early = t.on_screen && o->interval_ns > FIRST_NS;
	t.due_ns = t.is_early ? FIRST_NS : o->interval_ns;
	status = top_run(&t, output);
	screen_close();
	topscreen_release(&t.screen);
	live_release(&t.live);
	outfile_abort(&t.file);
	return status;
}

int cli_top(int argc, char **argv)
{
	struct outfile output = OUTFILE_NONE;
	struct recording *r = NULL;
	struct topoptions o;
	int status;

	set_priority(PRIORITY_PROMPT);
	status = topoptions_parse(&o, argc, argv);
	if (status == CLI_GO_ON && o.everyone)
		status = everyone_run(&o);
	if (status == CLI_GO_ON)
		status = sampling_open(&o.sampling, &r);
	if (status == CLI_GO_ON)
		status = open_and_run(r, &o, &output);
	outfile_abort(&output);
	recording_free(r);
	sampling_release(&o.sampling);
	return status;
}

/* Each loss has a function that prints its line, or nothing if the loss is below a bound at the top
 * of the file. outcome_text has their order. */
#include "cli/record/outcome.h"

#include <stdio.h>
#include <string.h>

#include "base/amount.h"
#include "base/error.h"
#include "cli/common/cli.h"
#include "base/printer.h"
#include "pprof/few.h"
#include "sampler/account/budget.h"
#include "sampler/account/counted.h"
#include "sampler/gil.h"
#include "sampler/profile/summary.h"
#include "sampler/recording.h"

enum {
	WALKS_MIN = 50,
	CHILDREN_MIN_NS = 50000000,
	MISSED_MIN_NS = 20000000,
	STARVED_MIN_NS = 100000000,
	BRIEF_NS = 100000000,
	ONCE_LEAST_NS = 10000000,
};

/* Smaller losses do not change what a profile says. */
static const double UNSAMPLED_MIN = 0.03, LEFT_OUT_MIN = 0.1, WHOLE_MIN = 0.9, DENIED_MIN = 0.03,
		    IDLE_MAX = 0.01, CERTAIN_MIN = 0.99, MOVED_MIN = 0.02, STARVED_MIN = 0.2;

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

bool outcome_is_empty(const struct recording_stats *s)
{
	return !s->samples;
}

/* Losses mean nothing for a process that has used next to no CPU time. */
static bool was_idle(const struct recording_stats *s)
{
	return share_of(s->target_cpu_ns, s->elapsed_ns) < IDLE_MAX;
}

/* The budget does not cover the search for runtimes, unwind tables, and names at the end. Said when
 * our CPU time is more than --max-cpu allows. */
static void say_spent(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;
	uint64_t once = s->own_cpu_ns - s->ticking_cpu_ns;

	if (s->own_cpu_ns >= s->ticking_cpu_ns && once >= ONCE_LEAST_NS &&
	    share_of(s->own_cpu_ns, s->elapsed_ns) > o->options->max_cpu)
		print_to(p, "; sampler took %s of CPU, %s of it for tables and names",
			 shown_duration(s->own_cpu_ns), shown_duration(once));
}

static void say_headline(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;
	const struct counted *counted = o->options->counted;

	print_to(p, "%s", o->name);
	if (s->processes > 1)
		print_to(p, ", %lu processes", s->processes);
	if (counted)
		print_to(p, ": %lu %s", s->cpu_weight / BUDGET_ONE, counted->name);
	else
		print_to(p, ": %s of CPU", shown_duration(s->target_cpu_ns));
	print_to(p, " in %s, %lu sample%s, %lu thread%s", shown_duration(s->elapsed_ns), s->samples,
		 cli_plural(s->samples), s->threads_seen, cli_plural(s->threads_seen));
	if (s->held.count)
		print_to(p, "; longest pause %s", shown_duration(s->held.max));
	else
		print_to(p, "; no thread was stopped");
	say_spent(p, o);
	print_to(p, "\n");
}

/* The part of the samples that --max-pause-share has left out. */
static double held_enough(const struct recording_stats *s)
{
	return share_of(s->spared + s->over, s->samples + s->spared + s->over);
}

/* The shares of a few samples are chance. With --wall, one look at a thread that sleeps stands for
 * all of its sleep. */
static void say_chance(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;
	char text[FEW_TEXT];

	if (o->options->wall || !*few_text((int64_t)s->samples, text))
		return;
	if (!was_idle(s) || o->options->counted)
		print_to(p, "%s. A longer -d or a higher %s gives more\n", text,
			 held_enough(s) < LEFT_OUT_MIN ? "-r" : "--max-pause-share");
	else
		print_to(p, "%s was idle (%.1f %% of a CPU), %s. To see where it waits: --wall\n",
			 o->name, 100 * share_of(s->target_cpu_ns, s->elapsed_ns), text);
}

/* "; 1.2 s of 3 threads WHY", if there is such time. */
static void say_reason(struct printer *p, const char **before, uint64_t ns, uint64_t threads,
		       const char *why)
{
	if (!ns)
		return;
	print_to(p, "%s%s", *before, shown_duration(ns));
	if (threads)
		print_to(p, " of %lu thread%s", threads, cli_plural(threads));
	print_to(p, " %s", why);
	*before = "; ";
}

static const char *why_no_tick_came(const struct recording_stats *s)
{
	if (summary_left_out(s) > 0 || summary_fewer_threads(s))
		return "not looked at in time (--max-cpu)";
	return s->spared + s->over ? "held for long enough already (--max-pause-share)" :
				     "found on a CPU by no tick";
}

static void say_unsampled(struct printer *p, const struct outcome *o)
{
	const struct unsampled *u = &o->unsampled;
	const struct recording_stats *s = o->stats;
	uint64_t ns = unsampled_ns(u);
	const char *before = ": ";
	char traced[120], brief[80];

	if (o->options->counted || share_of(ns, s->target_cpu_ns) < UNSAMPLED_MIN ||
	    (o->options->wall && share_of(ns, s->elapsed_ns) < UNSAMPLED_MIN))
		return;
	snprintf(traced, sizeof(traced), "traced by %s",
		 *o->tracer ? o->tracer : "another program");
	snprintf(brief, sizeof(brief), "that ran for less than %.3g ms, the time of a tick",
		 1000.0 / o->options->rate);
	print_to(p, "[not sampled] is %.0f %% of its CPU time",
		 100 * share_of(ns, s->target_cpu_ns));
	say_reason(p, &before, u->traced_ns, u->traced, traced);
	say_reason(p, &before, u->brief_ns, u->brief, brief);
	say_reason(p, &before, u->missed_ns, 0,
		   "of threads that began and ended between two looks");
	say_reason(p, &before, u->spared_ns, 0, "in calls that a stop may cut short");
	say_reason(p, &before, u->other_ns, u->other, why_no_tick_came(s));
	print_to(p, "\n");
}

static void say_kernel(struct printer *p, const struct outcome *o)
{
	double share = share_of(o->unsampled.kernel_ns, o->stats->target_cpu_ns);

	if (share >= UNSAMPLED_MIN)
		print_to(p,
			 "[kernel] is %.0f %% of its CPU time: which functions called it is told "
			 "with CAP_PERFMON, or kernel.perf_event_paranoid below 2\n",
			 100 * share);
}

/* Of threads that have samples of other moments. */
static void say_denied(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;
	double denied = share_of(s->denied, s->denied + s->samples);

	if (!o->unsampled.traced_ns && denied >= DENIED_MIN)
		print_to(p,
			 "%.0f %% of the looks came while %s traced the thread: that time is "
			 "counted as the rest of the thread's\n",
			 100 * denied, *o->tracer ? o->tracer : "another program");
}

static void say_budget(struct printer *p, const struct outcome *o)
{
	double left_out = summary_left_out(o->stats);
	bool fewer = summary_fewer_threads(o->stats);

	if (left_out < LEFT_OUT_MIN && !fewer)
		return;
	print_to(p, "fewer samples than asked for: ");
	if (left_out >= LEFT_OUT_MIN)
		print_to(p, "%.0f %% of the ticks left out%s", 100 * left_out, fewer ? ", " : "");
	if (fewer)
		print_to(p, "%.0f %% of the threads looked at in each",
			 100 * o->stats->parts / (double)o->stats->ticks);
	print_to(p, ", to take no more than %g %% of a CPU (--max-cpu)\n",
		 100 * o->options->max_cpu);
}

static void say_held_enough(struct printer *p, const struct outcome *o)
{
	double left_out = held_enough(o->stats);

	if (left_out >= LEFT_OUT_MIN)
		print_to(p,
			 "fewer samples than asked for: %.0f %% left out, to hold no thread for "
			 "more than %g %% of its time (--max-pause-share)\n",
			 100 * left_out, 100 * o->options->pause_share);
}

static void say_few(struct printer *p, const struct outcome *o)
{
	uint64_t expected = summary_expected(o->stats, o->options->rate);

	if (expected && !o->options->counted)
		print_to(p,
			 "samples are few: its CPU time would give %lu. Threads that run for "
			 "microseconds at a time are seldom met on a CPU\n",
			 expected);
}

/* The kernel's records of other processes are among them. */
static void say_unserved(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;

	if (o->options->counted && share_of(s->unserved, s->samples + s->unserved) >= UNSAMPLED_MIN)
		print_to(p, "%lu records found no room: what is shown may be too low\n",
			 s->unserved);
}

/* Time in which other processes take the CPUs passes in no function of the process. */
static void say_starved(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;
	double part = share_of(s->starved_ns, s->starved_ns + s->target_cpu_ns);

	if (part >= STARVED_MIN && s->starved_ns >= STARVED_MIN_NS)
		print_to(p,
			 "its threads waited %s for a CPU, %.0f %% of the time in which they had "
			 "work\n",
			 shown_duration(s->starved_ns), 100 * part);
}

static const char *why_uncertain(const struct recording_stats *s, char *text, size_t room)
{
	if (s->no_realtime)
		return "sampler has no real-time priority (CAP_SYS_NICE)";
	if (s->realtime_target)
		return "their real-time priority keeps the CPU from sampler's ticks";
	if (!s->cpus_refused)
		return "threads were moved to another CPU amid the stop";
	snprintf(text, room, "sampler may not run on %u of their CPUs (cpuset)", s->cpus_refused);
	return text;
}

static void say_uncertain(struct printer *p, const struct outcome *o)
{
	double certain = summary_certain(o->stats);
	char text[80];

	if (certain < CERTAIN_MIN)
		print_to(p,
			 "%.0f %% of the CPU time may be shown some microseconds late, where its "
			 "threads wait next: %s\n",
			 100 * (1 - certain), why_uncertain(o->stats, text, sizeof(text)));
}

static void say_moved(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;
	uint64_t all = s->rests + s->moved;

	if (share_of(s->moved, all) >= MOVED_MIN)
		print_to(p,
			 "%lu of %lu samples left out: another CPU had taken the thread over "
			 "before it was read (--engine ptrace stops it)\n",
			 s->moved, all);
}

/* Stacks that are cut are said in a short recording, too: they are no chance. */
static void say_walks(struct printer *p, const struct outcome *o)
{
	const uint64_t *ends = o->stats->walks.ends;
	uint64_t all = 0, cut = 0, early;

	for (int i = 0; i < STACK_ENDS; i++) {
		all += ends[i];
		cut += stack_end_is_cut((enum stack_end)i) ? ends[i] : 0;
	}
	early = all - cut - ends[STACK_OUTERMOST];
	if (share_of(cut, all) > 1 - WHOLE_MIN)
		print_to(p,
			 "%lu of %lu stacks are deeper than what is read of them: their outer "
			 "frames are [cut]\n",
			 cut, all);
	if (all >= WALKS_MIN && share_of(early, all) > 1 - WHOLE_MIN)
		print_to(p, "%.0f %% of the stacks end before their outermost frame: -v says why\n",
			 100 * share_of(early, all));
}

static bool has_busy_children(const struct outcome *o)
{
	return o->children_ns >= CHILDREN_MIN_NS && o->children_ns >= o->stats->target_cpu_ns;
}

static void say_children(struct printer *p, const struct outcome *o, const char *end)
{
	if (!has_busy_children(o))
		return;
	print_to(p, "%s: %lu sample%s; its ", o->name, o->stats->samples,
		 cli_plural(o->stats->samples));
	if (o->children)
		print_to(p, "%zu child %s", o->children, cli_processes(o->children));
	else
		print_to(p, "child processes");
	print_to(p, " used %s of CPU: add --children%s", shown_duration(o->children_ns), end);
}

static void say_unfound(struct printer *p, const struct outcome *o)
{
	double missed = share_of(o->missed_ns, o->missed_ns + o->stats->target_cpu_ns);

	if (o->missed_ns >= MISSED_MIN_NS && missed >= UNSAMPLED_MIN)
		print_to(p,
			 "%s of CPU (%.0f %%) is in no sample: processes that ended before they "
			 "were found\n",
			 shown_duration(o->missed_ns), 100 * missed);
}

/* What could not be opened, traced or read. */
static void say_refused(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;
	uint64_t with = s->user_only ? 0 : s->by_event; /* the kernel's frames */

	if (s->refused)
		print_to(p, "%lu time%s a child was met that may not be traced\n", s->refused,
			 cli_plural(s->refused));
	if (s->gone)
		print_to(p, "%u %s ended before the sampling began\n", s->gone,
			 cli_processes(s->gone));
	if (s->lacking) {
		print_to(p, "%lu %s could not be opened: ", s->lacking, cli_processes(s->lacking));
		print_foreign(p, s->why_lacking);
		print_to(p, "\n");
	}
	if (s->narrow)
		print_to(p, "%lu %s left out: 32-bit code\n", s->narrow, cli_processes(s->narrow));
	if (s->cut)
		print_to(p, "%lu call%s of the process ended with EINTR because of a stop\n",
			 s->cut, cli_plural(s->cut));
	if (*s->interpreters) {
		print_foreign(p, s->interpreters);
		print_to(p, "\n");
	}
	if (o->options->kernel && !o->options->wall && s->samples > with)
		print_to(p,
			 "%lu of %lu samples without the kernel's frames: only perf events%s have "
			 "them\n",
			 s->samples - with, s->samples, s->user_only ? " with CAP_PERFMON" : "");
	if (s->kernel_refused)
		print_to(p, "kernel stacks left out: reading them needs CAP_SYS_ADMIN\n");
}

bool outcome_is_all_native(const struct recording_stats *s, const struct recording_options *o)
{
	for (int i = 0; i < INTERP_LANGUAGES; i++)
		if (s->interpreted[i].frames)
			return false;
	return o->no_native;
}

/* With one thread there is nothing to tell. */
static void say_gil(struct printer *p, const struct outcome *o)
{
	const struct gil_account *g = o->gil;
	double most;

	if (!g || g->threads < 2)
		return;
	most = 100 * share_of(g->held_most_ns, o->stats->elapsed_ns);
	if (g->locks > 1)
		print_to(p, "GILs: %zu, held for %s together, the busiest %.0f %% of the time",
			 g->locks, shown_duration(g->all.held_ns), most);
	else
		print_to(p, "GIL: held for %s (%.0f %% of the time)",
			 shown_duration(g->all.held_ns), most);
	if (g->all.waited_ns)
		print_to(p, ", waited for %s", shown_duration(g->all.waited_ns));
	for (int i = 0; i < GIL_THREADS && g->most[i].tid; i++) {
		const struct gil_thread *t = &g->most[i];

		print_to(p, "%s%s (%d) %s", i ? "; " : ": ", t->name, t->tid,
			 shown_duration(t->times.held_ns));
		if (t->times.waited_ns)
			print_to(p, ", waited %s", shown_duration(t->times.waited_ns));
	}
	if (g->threads > GIL_THREADS)
		print_to(p, "; %zu more", g->threads - GIL_THREADS);
	print_to(p, "\n");
}

/* In the order in which a cause explains the hold. */
static void say_cause(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;

	if (s->rescues)
		print_to(p,
			 "sampler got no CPU, or was stopped; its watchdog stepped in %lu time%s",
			 s->rescues, cli_plural(s->rescues));
	else if (s->longest_bytes >= 1 << 20)
		print_to(p, "%s of its stack were copied", shown_bytes(s->longest_bytes));
	else if (o->unaided)
		print_to(p, "sampler has no real-time priority here (CAP_SYS_NICE, "
			    "RLIMIT_RTPRIO) and waits for a CPU as others do");
	else
		print_to(p, "the cause is not known; a virtual machine may have stood still");
}

static void say_hold(struct printer *p, const struct outcome *o, bool colour)
{
	if (o->stats->held.max <= OUTCOME_HOLD_NS)
		return;
	print_to(p, "%sa thread was held for %s, longer than the promised %s: ",
		 colour ? "\033[1;31m" : "", shown_duration(o->stats->held.max),
		 shown_duration(OUTCOME_HOLD_NS));
	say_cause(p, o);
	print_to(p, "%s\n", colour ? "\033[0m" : "");
}

/* One line for why there is nothing. */
static void say_nothing(struct printer *p, const struct outcome *o)
{
	const struct recording_stats *s = o->stats;

	if (has_busy_children(o))
		say_children(p, o, "");
	else if (s->threads_stopped && s->threads_stopped == s->threads_alive)
		print_to(p,
			 "%s is stopped (state T): nothing to sample. kill -CONT %d "
			 "continues it; to see where it stands: --wall",
			 o->name, o->pid);
	else if (o->options->counted)
		print_to(p, "%s: no sample of its %s in %s: it makes few, or none", o->name,
			 o->options->counted->name, shown_duration(s->elapsed_ns));
	else if (s->end == RECORDING_LOST) /* why is said next */
		print_to(p, "%s: no sample in the %s until sampling failed", o->name,
			 shown_duration(s->elapsed_ns));
	else if (was_idle(s) && s->elapsed_ns > BRIEF_NS)
		print_to(p,
			 "%s was idle (%.1f %% of a CPU): nothing to sample. To see where "
			 "it waits: --wall",
			 o->name, 100 * share_of(s->target_cpu_ns, s->elapsed_ns));
	else
		print_to(
			p, "%s: %s of CPU in %s, and %s", o->name, shown_duration(s->target_cpu_ns),
			shown_duration(s->elapsed_ns),
			s->realtime_target ?
				"no sample: its threads' real-time priority keeps the CPU from "
				"sampler's ticks" :
				"no tick found it on a CPU: nothing to show. A longer -d, a higher -r "
				"or --max-cpu finds more");
	print_to(p, " (no file was written)\n");
}

/* What was found, and what changes its meaning. */
static void say_found(struct printer *p, const struct outcome *o)
{
	say_headline(p, o);
	say_children(p, o, "\n");
	say_chance(p, o);
	say_unserved(p, o);
	say_starved(p, o);
	say_few(p, o);
	say_uncertain(p, o);
	say_moved(p, o);
	say_budget(p, o);
	say_held_enough(p, o);
	say_unsampled(p, o);
	say_kernel(p, o);
	say_denied(p, o);
	say_unfound(p, o);
	say_walks(p, o);
	say_gil(p, o);
	say_refused(p, o);
	if (outcome_is_all_native(o->stats, o->options))
		print_to(p, "%s\n", OUTCOME_ALL_NATIVE);
}

int outcome_text(const struct outcome *o, bool colour, struct buffer *out)
{
	struct printer p = { out, 0 };

	if (outcome_is_empty(o->stats)) {
		say_nothing(&p, o);
		if (!was_idle(o->stats))
			say_unsampled(&p, o);
		say_kernel(&p, o);
		say_unfound(&p, o);
		say_refused(&p, o);
	} else {
		say_found(&p, o);
	}
	say_hold(&p, o, colour);
	return p.rc;
}

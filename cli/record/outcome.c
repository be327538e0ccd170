/* Each loss has a function that appends its line, or nothing if the loss is below a bound at the
 * top of the file. outcome_text has their order. */
#include "cli/record/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cli/common/cli.h"
#include "pprof/few.h"
#include "sampler/account/budget.h"
#include "sampler/account/counted.h"
#include "cli/common/formats.h"
#include "sampler/profile/summary.h"
#include "sampler/gil.h"
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

static const char RED[] = "\033[1;31m", PLAIN[] = "\033[0m";

/* Two digits below ten, whole numbers above. */
static void outcome_put(char *text, double value, const char *unit)
{
	bool decimal = value < 9.95 && (int)(value * 10 + 0.5) % 10;

	snprintf(text, OUTCOME_DURATION, "%.*f %s", decimal ? 1 : 0, value, unit);
}

const char *outcome_duration(uint64_t ns, char text[OUTCOME_DURATION])
{
	uint64_t s = ns / 1000000000;

	if (ns < 999500)
		outcome_put(text, (double)ns / 1e3, "µs");
	else if (ns < 999500000)
		outcome_put(text, (double)ns / 1e6, "ms");
	else if (s < 60)
		outcome_put(text, (double)ns / 1e9, "s");
	else if (s < 3600)
		snprintf(text, OUTCOME_DURATION, "%lu min %02lu s", s / 60, s % 60);
	else
		snprintf(text, OUTCOME_DURATION, "%lu h %02lu min", s / 3600, s / 60 % 60);
	return text;
}

static double outcome_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

bool outcome_is_empty(const struct recording_stats *s)
{
	return !s->samples;
}

/* What a process of no CPU time lost is nothing. */
static bool was_idle(const struct recording_stats *s)
{
	return outcome_share(s->target_cpu_ns, s->elapsed_ns) < IDLE_MAX;
}

/* What the budget does not pay for: the search for runtimes, tables, and names at the end. Said
 * where our CPU time is more than --max-cpu allows. */
static int add_spent(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;
	uint64_t once = s->own_cpu_ns - s->ticking_cpu_ns;
	char own[OUTCOME_DURATION], of_it[OUTCOME_DURATION];

	if (s->own_cpu_ns < s->ticking_cpu_ns || once < ONCE_LEAST_NS ||
	    outcome_share(s->own_cpu_ns, s->elapsed_ns) <= o->options->max_cpu)
		return buffer_addf(out, "\n");
	return buffer_addf(out, "; sampler took %s of CPU, %s of it for tables and names\n",
			   outcome_duration(s->own_cpu_ns, own), outcome_duration(once, of_it));
}

static int add_headline(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;
	const struct counted *counted = o->options->counted;
	char cpu[OUTCOME_DURATION], elapsed[OUTCOME_DURATION], longest[OUTCOME_DURATION];
	char amount[60], processes[40] = "";

	if (s->processes > 1)
		snprintf(processes, sizeof(processes), ", %lu processes", s->processes);
	outcome_duration(s->target_cpu_ns, cpu);
	if (counted)
		snprintf(amount, sizeof(amount), "%lu %s", s->cpu_weight / BUDGET_ONE,
			 counted->name);
	else
		snprintf(amount, sizeof(amount), "%s of CPU", cpu);
	if (buffer_addf(out, "%s%s: %s in %s, %lu sample%s, %lu thread%s", o->name, processes,
			amount, outcome_duration(s->elapsed_ns, elapsed), s->samples,
			cli_plural(s->samples), s->threads_seen, cli_plural(s->threads_seen)))
		return ERR_NOMEM;
	if (s->held.count ?
		    buffer_addf(out, "; longest pause %s", outcome_duration(s->held.max, longest)) :
		    buffer_addf(out, "; no thread was stopped"))
		return ERR_NOMEM;
	return add_spent(o, out);
}

/* The part of the samples that --max-pause-share has left out. */
static double held_enough(const struct recording_stats *s)
{
	return outcome_share(s->spared + s->over, s->samples + s->spared + s->over);
}

/* The shares of a few samples are chance. With --wall, one look at a thread that sleeps stands for
 * all of its sleep. */
static int add_chance(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;
	char text[FEW_TEXT];

	if (o->options->wall || !*few_text((int64_t)s->samples, text))
		return 0;
	if (!was_idle(s) || o->options->counted)
		return buffer_addf(out, "%s. A longer -d or a higher %s gives more\n", text,
				   held_enough(s) < LEFT_OUT_MIN ? "-r" : "--max-pause-share");
	return buffer_addf(out,
			   "%s was idle (%.1f %% of a CPU), %s. To see where it waits: --wall\n",
			   o->name, 100 * outcome_share(s->target_cpu_ns, s->elapsed_ns), text);
}

/* " of 3 threads that …", where there is such time. */
static int add_reason(struct buffer *out, uint64_t ns, uint64_t threads, const char *why,
		      const char **before)
{
	char time[OUTCOME_DURATION], of[40] = "";

	if (!ns)
		return 0;
	if (threads)
		snprintf(of, sizeof(of), " of %lu thread%s", threads, cli_plural(threads));
	if (buffer_addf(out, "%s%s%s %s", *before, outcome_duration(ns, time), of, why))
		return ERR_NOMEM;
	*before = "; ";
	return 0;
}

static const char *why_no_tick_came(const struct recording_stats *s)
{
	if (summary_left_out(s) > 0 || summary_fewer_threads(s))
		return "not looked at in time (--max-cpu)";
	return s->spared + s->over ? "held for long enough already (--max-pause-share)" :
				     "found on a CPU by no tick";
}

static int outcome_add_unsampled(const struct outcome *o, struct buffer *out)
{
	const struct unsampled *u = &o->unsampled;
	const struct recording_stats *s = o->stats;
	uint64_t ns = unsampled_ns(u);
	const char *before = ": ";
	char traced[120], brief[80];

	if (o->options->counted || outcome_share(ns, s->target_cpu_ns) < UNSAMPLED_MIN ||
	    (o->options->wall && outcome_share(ns, s->elapsed_ns) < UNSAMPLED_MIN))
		return 0;
	snprintf(traced, sizeof(traced), "traced by %s",
		 *o->tracer ? o->tracer : "another program");
	snprintf(brief, sizeof(brief), "that ran for less than %.3g ms, the time of a tick",
		 1000.0 / o->options->rate);
	return buffer_addf(out, "[not sampled] is %.0f %% of its CPU time",
			   100 * outcome_share(ns, s->target_cpu_ns)) ||
	       add_reason(out, u->traced_ns, u->traced, traced, &before) ||
	       add_reason(out, u->brief_ns, u->brief, brief, &before) ||
	       add_reason(out, u->missed_ns, 0, "of threads that began and ended between two looks",
			  &before) ||
	       add_reason(out, u->spared_ns, 0, "in calls that a stop may cut short", &before) ||
	       add_reason(out, u->other_ns, u->other, why_no_tick_came(s), &before) ||
	       buffer_addf(out, "\n");
}

static int add_kernel(const struct outcome *o, struct buffer *out)
{
	double share = outcome_share(o->unsampled.kernel_ns, o->stats->target_cpu_ns);

	if (share < UNSAMPLED_MIN)
		return 0;
	return buffer_addf(out,
			   "[kernel] is %.0f %% of its CPU time: which functions called it is told "
			   "with CAP_PERFMON, or kernel.perf_event_paranoid below 2\n",
			   100 * share);
}

/* Looks at threads that do have samples, of another time. */
static int add_denied(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;

	if (o->unsampled.traced_ns || outcome_share(s->denied, s->denied + s->samples) < DENIED_MIN)
		return 0;
	return buffer_addf(out,
			   "%.0f %% of the looks came while %s traced the thread: that time is "
			   "counted as the rest of the thread's\n",
			   100 * outcome_share(s->denied, s->denied + s->samples),
			   *o->tracer ? o->tracer : "another program");
}

static int add_budget(const struct outcome *o, struct buffer *out)
{
	double left_out = summary_left_out(o->stats);

	if (left_out < LEFT_OUT_MIN && !summary_fewer_threads(o->stats))
		return 0;
	if (buffer_addf(out, "fewer samples than asked for: "))
		return ERR_NOMEM;
	if (left_out >= LEFT_OUT_MIN &&
	    buffer_addf(out, "%.0f %% of the ticks left out%s", 100 * left_out,
			summary_fewer_threads(o->stats) ? ", " : ""))
		return ERR_NOMEM;
	if (summary_fewer_threads(o->stats) &&
	    buffer_addf(out, "%.0f %% of the threads looked at in each",
			100 * o->stats->parts / (double)o->stats->ticks))
		return ERR_NOMEM;
	return buffer_addf(out, ", to take no more than %g %% of a CPU (--max-cpu)\n",
			   100 * o->options->max_cpu);
}

static int add_held_enough(const struct outcome *o, struct buffer *out)
{
	double left_out = held_enough(o->stats);

	if (left_out < LEFT_OUT_MIN)
		return 0;
	return buffer_addf(out,
			   "fewer samples than asked for: %.0f %% left out, to hold no thread for "
			   "more than %g %% of its time (--max-pause-share)\n",
			   100 * left_out, 100 * o->options->pause_share);
}

static int outcome_add_few(const struct outcome *o, struct buffer *out)
{
	uint64_t expected = summary_expected(o->stats, o->options->rate);

	if (!expected || o->options->counted)
		return 0;
	return buffer_addf(out,
			   "samples are few: its CPU time would give %lu. Threads that run for "
			   "microseconds at a time are seldom met on a CPU\n",
			   expected);
}

/* Strangers' records among them. */
static int add_unserved(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;

	if (!o->options->counted ||
	    outcome_share(s->unserved, s->samples + s->unserved) < UNSAMPLED_MIN)
		return 0;
	return buffer_addf(out, "%lu records found no room: what is shown may be too low\n",
			   s->unserved);
}

/* Where others take the CPUs, time passes in no function of the process. */
static int add_starved(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;
	double part = outcome_share(s->starved_ns, s->starved_ns + s->target_cpu_ns);
	char waited[OUTCOME_DURATION];

	if (part < STARVED_MIN || s->starved_ns < STARVED_MIN_NS)
		return 0;
	return buffer_addf(out,
			   "its threads waited %s for a CPU, %.0f %% of the time in which they had "
			   "work\n",
			   outcome_duration(s->starved_ns, waited), 100 * part);
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

static int add_uncertain(const struct outcome *o, struct buffer *out)
{
	double certain = summary_certain(o->stats);
	char text[80];

	if (certain >= CERTAIN_MIN)
		return 0;
	return buffer_addf(out,
			   "%.0f %% of the CPU time may be shown some microseconds late, where its "
			   "threads wait next: %s\n",
			   100 * (1 - certain), why_uncertain(o->stats, text, sizeof(text)));
}

static int add_moved(const struct recording_stats *s, struct buffer *out)
{
	uint64_t all = s->rests + s->moved;

	if (outcome_share(s->moved, all) < MOVED_MIN)
		return 0;
	return buffer_addf(out,
			   "%lu of %lu samples left out: another CPU had taken the thread over "
			   "before it was read (--engine ptrace stops it)\n",
			   s->moved, all);
}

/* In a short recording, too: what is cut is no chance. */
static int add_cut(uint64_t cut, uint64_t all, struct buffer *out)
{
	if (outcome_share(cut, all) <= 1 - WHOLE_MIN)
		return 0;
	return buffer_addf(out,
			   "%lu of %lu stacks are deeper than what is read of them: their outer "
			   "frames are [cut]\n",
			   cut, all);
}

static int add_walks(const struct outcome *o, struct buffer *out)
{
	const uint64_t *ends = o->stats->walks.ends;
	uint64_t all = 0, cut = 0, early;

	for (int i = 0; i < STACK_ENDS; i++) {
		all += ends[i];
		cut += stack_end_is_cut((enum stack_end)i) ? ends[i] : 0;
	}
	early = all - cut - ends[STACK_OUTERMOST];
	if (add_cut(cut, all, out))
		return ERR_NOMEM;
	if (all < WALKS_MIN || outcome_share(early, all) <= 1 - WHOLE_MIN)
		return 0;
	return buffer_addf(out,
			   "%.0f %% of the stacks end before their outermost frame: -v says why\n",
			   100 * outcome_share(early, all));
}

static int outcome_add_children(const struct outcome *o, struct buffer *out)
{
	char used[OUTCOME_DURATION], count[40] = "child processes";

	if (o->children_ns < CHILDREN_MIN_NS || o->children_ns < o->stats->target_cpu_ns)
		return 0;
	if (o->children)
		snprintf(count, sizeof(count), "%zu child process%s", o->children,
			 o->children == 1 ? "" : "es");
	return buffer_addf(out, "%s: %lu sample%s; its %s used %s of CPU: add --children", o->name,
			   o->stats->samples, cli_plural(o->stats->samples), count,
			   outcome_duration(o->children_ns, used));
}

static int add_children_line(const struct outcome *o, struct buffer *out)
{
	size_t before = out->len;

	return outcome_add_children(o, out) || (out->len > before && buffer_addf(out, "\n"));
}

static int add_missed(const struct outcome *o, struct buffer *out)
{
	char missed[OUTCOME_DURATION];
	uint64_t all = o->missed_ns + o->stats->target_cpu_ns;

	if (o->missed_ns < MISSED_MIN_NS || outcome_share(o->missed_ns, all) < UNSAMPLED_MIN)
		return 0;
	return buffer_addf(out,
			   "%s of CPU (%.0f %%) is in no sample: processes that ended before they "
			   "were found\n",
			   outcome_duration(o->missed_ns, missed),
			   100 * outcome_share(o->missed_ns, all));
}

static int add_lacking(const struct recording_stats *s, struct buffer *out)
{
	return s->lacking && (buffer_addf(out, "%lu process%s could not be opened: ", s->lacking,
					  s->lacking == 1 ? "" : "es") ||
			      buffer_add_printable(out, s->why_lacking, strlen(s->why_lacking)) ||
			      buffer_addf(out, "\n"));
}

static int add_without_kernel(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;
	uint64_t with = s->user_only ? 0 : s->by_event;

	if (!o->options->kernel || o->options->wall || s->samples <= with)
		return 0;
	return buffer_addf(out,
			   "%lu of %lu samples without the kernel's frames: only perf events%s "
			   "have them\n",
			   s->samples - with, s->samples, s->user_only ? " with CAP_PERFMON" : "");
}

static int add_refused(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;

	if (s->refused && buffer_addf(out, "%lu time%s a child was met that may not be traced\n",
				      s->refused, cli_plural(s->refused)))
		return ERR_NOMEM;
	if (s->gone && buffer_addf(out, "%u process%s ended before the sampling began\n", s->gone,
				   s->gone == 1 ? "" : "es"))
		return ERR_NOMEM;
	if (add_lacking(s, out) ||
	    (s->narrow && buffer_addf(out, "%lu process%s left out: 32-bit code\n", s->narrow,
				      s->narrow == 1 ? "" : "es")))
		return ERR_NOMEM;
	if (s->cut && buffer_addf(out,
				  "%lu call%s of the process ended with EINTR because of a "
				  "stop\n",
				  s->cut, cli_plural(s->cut)))
		return ERR_NOMEM;
	if (*s->interpreters &&
	    (buffer_add_printable(out, s->interpreters, strlen(s->interpreters)) ||
	     buffer_addf(out, "\n")))
		return ERR_NOMEM;
	if (add_without_kernel(o, out))
		return ERR_NOMEM;
	return s->kernel_refused ?
		       buffer_addf(out,
				   "kernel stacks left out: reading them needs CAP_SYS_ADMIN\n") :
		       0;
}

bool outcome_is_all_native(const struct recording_stats *s, const struct recording_options *o)
{
	for (int i = 0; i < INTERP_LANGUAGES; i++)
		if (s->interpreted[i].frames)
			return false;
	return o->no_native;
}

static int add_all_native(const struct outcome *o, struct buffer *out)
{
	return outcome_is_all_native(o->stats, o->options) ?
		       buffer_addf(out, "no interpreted frames were found: with --no-native, all "
					"samples are [native]\n") :
		       0;
}

static int add_gil_thread(const struct gil_thread *t, const char *before, struct buffer *out)
{
	char held[OUTCOME_DURATION], waited[OUTCOME_DURATION];

	if (buffer_addf(out, "%s%s (%d) %s", before, t->name, t->tid,
			outcome_duration(t->times.held_ns, held)))
		return ERR_NOMEM;
	return t->times.waited_ns ? buffer_addf(out, ", waited %s",
						outcome_duration(t->times.waited_ns, waited)) :
				    0;
}

static int add_held(const struct outcome *o, struct buffer *out)
{
	const struct gil_account *g = o->gil;
	double most = 100 * outcome_share(g->held_most_ns, o->stats->elapsed_ns);
	char held[OUTCOME_DURATION];

	outcome_duration(g->all.held_ns, held);
	if (g->locks > 1)
		return buffer_addf(
			out, "GILs: %zu, held for %s together, the busiest %.0f %% of the time",
			g->locks, held, most);
	return buffer_addf(out, "GIL: held for %s (%.0f %% of the time)", held, most);
}

/* With one thread there is nothing to tell. */
static int add_gil(const struct outcome *o, struct buffer *out)
{
	const struct gil_account *g = o->gil;
	char waited[OUTCOME_DURATION];
	int rc;

	if (!g || g->threads < 2)
		return 0;
	rc = add_held(o, out);
	if (!rc && g->all.waited_ns)
		rc = buffer_addf(out, ", waited for %s",
				 outcome_duration(g->all.waited_ns, waited));
	for (int i = 0; !rc && i < GIL_THREADS && g->most[i].tid; i++)
		rc = add_gil_thread(&g->most[i], i ? "; " : ": ", out);
	if (!rc && g->threads > GIL_THREADS)
		rc = buffer_addf(out, "; %zu more", g->threads - GIL_THREADS);
	return rc ? rc : buffer_addf(out, "\n");
}

/* In the order in which a cause explains the hold. */
static int add_cause(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;

	if (s->rescues)
		return buffer_addf(out,
				   "sampler got no CPU, or was stopped; its watchdog stepped in "
				   "%lu time%s",
				   s->rescues, cli_plural(s->rescues));
	if (s->longest_bytes >= 1 << 20)
		return buffer_addf(out, "%.1f MiB of its stack were copied",
				   (double)s->longest_bytes / 1048576);
	if (o->unaided)
		return buffer_addf(out, "sampler has no real-time priority here (CAP_SYS_NICE, "
					"RLIMIT_RTPRIO) and waits for a CPU as others do");
	return buffer_addf(out, "the cause is not known; a virtual machine may have stood still");
}

static int add_hold(const struct outcome *o, bool colour, struct buffer *out)
{
	char held[OUTCOME_DURATION], promised[OUTCOME_DURATION];

	if (o->stats->held.max <= OUTCOME_HOLD_NS)
		return 0;
	return buffer_addf(out, "%sa thread was held for %s, longer than the promised %s: ",
			   colour ? RED : "", outcome_duration(o->stats->held.max, held),
			   outcome_duration(OUTCOME_HOLD_NS, promised)) ||
	       add_cause(o, out) || buffer_addf(out, "%s\n", colour ? PLAIN : "");
}

static int add_nothing(const struct outcome *o, struct buffer *out)
{
	const struct recording_stats *s = o->stats;
	double cpu = outcome_share(s->target_cpu_ns, s->elapsed_ns);
	char used[OUTCOME_DURATION], elapsed[OUTCOME_DURATION];

	if (s->threads_stopped && s->threads_stopped == s->threads_alive)
		return buffer_addf(out,
				   "%s is stopped (state T): nothing to sample. kill -CONT %d "
				   "continues it; to see where it stands: --wall",
				   o->name, o->pid);
	if (o->options->counted)
		return buffer_addf(out, "%s: no sample of its %s in %s: it makes few, or none",
				   o->name, o->options->counted->name,
				   outcome_duration(s->elapsed_ns, elapsed));
	if (s->end == RECORDING_LOST) /* why is said next */
		return buffer_addf(out, "%s: no sample in the %s until sampling failed", o->name,
				   outcome_duration(s->elapsed_ns, elapsed));
	if (was_idle(s) && s->elapsed_ns > BRIEF_NS)
		return buffer_addf(
			out,
			"%s was idle (%.1f %% of a CPU): nothing to sample. To see where "
			"it waits: --wall",
			o->name, 100 * cpu);
	if (s->realtime_target)
		return buffer_addf(out,
				   "%s: %s of CPU in %s, and no sample: its threads' real-time "
				   "priority keeps the CPU from sampler's ticks",
				   o->name, outcome_duration(s->target_cpu_ns, used),
				   outcome_duration(s->elapsed_ns, elapsed));
	return buffer_addf(
		out,
		"%s: %s of CPU in %s, and no tick found it on a CPU: nothing to show. A longer "
		"-d, a higher -r or --max-cpu finds more",
		o->name, outcome_duration(s->target_cpu_ns, used),
		outcome_duration(s->elapsed_ns, elapsed));
}

/* One line for why there is nothing. */
static int add_empty(const struct outcome *o, struct buffer *out)
{
	size_t before = out->len;
	int rc = outcome_add_children(o, out);

	if (!rc && out->len == before)
		rc = add_nothing(o, out);
	return rc || buffer_addf(out, " (no file was written)\n");
}

int outcome_text(const struct outcome *o, bool colour, struct buffer *out)
{
	int rc;

	if (outcome_is_empty(o->stats))
		rc = add_empty(o, out) || (!was_idle(o->stats) && outcome_add_unsampled(o, out)) ||
		     add_kernel(o, out) || add_missed(o, out) || add_refused(o, out) ||
		     add_hold(o, colour, out);
	else
		rc = add_headline(o, out) || add_children_line(o, out) || add_chance(o, out) ||
		     add_unserved(o, out) || add_starved(o, out) || outcome_add_few(o, out) ||
		     add_uncertain(o, out) || add_moved(o->stats, out) || add_budget(o, out) ||
		     add_held_enough(o, out) || outcome_add_unsampled(o, out) ||
		     add_kernel(o, out) || add_denied(o, out) || add_missed(o, out) ||
		     add_walks(o, out) || add_gil(o, out) || add_refused(o, out) ||
		     add_all_native(o, out) || add_hold(o, colour, out);
	return rc ? ERR_NOMEM : 0;
}

/* Appends a path as a shell reads it. */
static int outcome_add_quoted(const char *path, struct buffer *out)
{
	if (!path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			       "-_./+,:@%=")])
		return buffer_addf(out, "%s", path);
	if (buffer_addf(out, "'"))
		return ERR_NOMEM;
	for (const char *c = path; *c; c++)
		if (buffer_addf(out, *c == '\'' ? "'\\''" : "%c", *c))
			return ERR_NOMEM;
	return buffer_addf(out, "'");
}

int outcome_next_step(const char *path, struct buffer *out)
{
	bool page = format_ends_in(path, ".svg") || format_ends_in(path, ".html");
	const char *tool = "sampler report ";
	struct stat st;
	char *whole;
	int rc;

	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return 0;
	if (format_ends_in(path, ".txt") || format_ends_in(path, ".folded"))
		tool = "less ";
	else if (format_ends_in(path, ".json"))
		tool = "https://www.speedscope.app with ";
	else if (format_ends_in(path, ".otlp"))
		return 0;
	whole = page ? realpath(path, NULL) : NULL;
	rc = buffer_addf(out, "look: %s", page ? "" : tool) ||
	     (whole ? buffer_addf(out, "%s", whole) : outcome_add_quoted(path, out)) ||
	     buffer_addf(out, "\n");
	free(whole);
	return rc ? ERR_NOMEM : 0;
}

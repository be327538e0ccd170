/* Each line has a function that appends to it in a room of SUMMARY_WIDTH bytes. What is too small
 * to change what a profile says is left out. */
#include "sampler/profile/summary.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sampler/recorded/options.h"
#include "sampler/recorded/stats.h"

enum { EXPECTED_MIN = 50 }; /* a smaller number may be low by chance */

/* A smaller part is left out once in a while and means nothing. */
static const double LEFT_OUT_MIN = 0.01, PART_MAX = 0.995;

const char *summary_duration(uint64_t ns, char *text, size_t room)
{
	double s = (double)ns / 1e9;

	if (ns < 100000)
		snprintf(text, room, "%.1fus", (double)ns / 1e3);
	else if (ns < 10000000)
		snprintf(text, room, "%.2fms", (double)ns / 1e6);
	else if (ns < 1000000000)
		snprintf(text, room, "%.0fms", (double)ns / 1e6);
	else if (ns < 60000000000)
		snprintf(text, room, "%.1fs", s);
	else if (ns < 3600000000000)
		snprintf(text, room, "%lum%02lus", ns / 60000000000, ns / 1000000000 % 60);
	else
		snprintf(text, room, "%luh%02lum", ns / 3600000000000, ns / 60000000000 % 60);
	return text;
}

static void profile_summary_append(char *line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void profile_summary_append(char *line, const char *fmt, ...)
{
	size_t len = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + len, SUMMARY_WIDTH - len, fmt, ap);
	va_end(ap);
}

static double profile_summary_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Of the ticks that the rate asked for, the part that was made. */
static double profile_summary_kept(const struct recording_stats *s)
{
	return s->ticks_due ? (double)s->ticks / (double)s->ticks_due : 0;
}

/* The part that was left out to keep the CPU budget. `withheld` counts ticks before their time has
 * come, so the last ones may lie behind the end. */
double summary_left_out(const struct recording_stats *s)
{
	uint64_t missing = s->ticks_due > s->ticks ? s->ticks_due - s->ticks : 0;
	uint64_t withheld = s->withheld < missing ? s->withheld : missing;

	return s->ticks_due ? (double)withheld / (double)s->ticks_due : 0;
}

static bool fewer_ticks(const struct recording_stats *s)
{
	return summary_left_out(s) > LEFT_OUT_MIN;
}

/* Did ticks look at only a part of the threads? The last tick's part may not be counted yet. */
bool summary_fewer_threads(const struct recording_stats *s)
{
	return s->parts + 1 < PART_MAX * (double)s->ticks;
}

/* A thread that runs for less time than we need to wake up and look is found on a CPU less often
 * than it is there. Budgets leave out most when the target is busiest, so the expected number is
 * not known then. */
uint64_t summary_expected(const struct recording_stats *s, unsigned rate)
{
	uint64_t expected = (uint64_t)((double)s->target_cpu_ns / 1e9 * rate *
				       profile_summary_kept(s));
	bool spared = (s->user_only && s->by_event) || s->spared + s->over || fewer_ticks(s) ||
		      summary_fewer_threads(s);

	return !spared && expected >= EXPECTED_MIN && s->samples < expected / 2 ? expected : 0;
}

static void samples_line(const struct recording_stats *s, unsigned rate, char *line)
{
	uint64_t expected = summary_expected(s, rate);
	char elapsed[24];

	profile_summary_append(line, "samples: %lu in %s, %lu distinct stacks, %lu threads",
			       s->samples,
			       summary_duration(s->elapsed_ns, elapsed, sizeof(elapsed)), s->stacks,
			       s->threads_seen);
	if (s->processes > 1)
		profile_summary_append(line, " of %lu processes", s->processes);
	if (s->glances)
		profile_summary_append(line, ", %lu read without a stop", s->glances);
	if (s->by_event)
		profile_summary_append(line, ", %lu copied by the kernel's timer%s", s->by_event,
				       s->user_only ? ", in user space only" : "");
	if (s->rests)
		profile_summary_append(line, ", %lu of threads at rest, %lu of such left out",
				       s->rests, s->moved);
	if (*s->no_events)
		profile_summary_append(line, ", without perf events: %s", s->no_events);
	if (*s->no_rest)
		profile_summary_append(line, ", with stops: %s", s->no_rest);
	if (s->labels_lost)
		profile_summary_append(line, ", %lu without labels that their goroutines gave up",
				       s->labels_lost);
	if (s->labels_unknown)
		profile_summary_append(line, ", %lu without labels, since this Go's are not known",
				       s->labels_unknown);
	if (expected)
		profile_summary_append(line, ", few: its CPU time at this rate would give %lu",
				       expected);
	if (s->execs)
		profile_summary_append(line, ", %lu exec%s", s->execs, s->execs > 1 ? "s" : "");
}

/* A share below 1 % or above 99 % gets a decimal: a whole number would say none or all. */
static void append_share(char *line, double share)
{
	double p = 100 * share;

	profile_summary_append(line, ", %.*f%% of the ", p < 1 || p > 99 ? 1 : 0, p);
}

static void append_budget(const struct recording_stats *s, double max_cpu, char *line)
{
	bool fewer = fewer_ticks(s);
	char limit[80];

	snprintf(limit, sizeof(limit), " to take no more than %g%% of a CPU (--max-cpu)",
		 max_cpu * 100);
	if (fewer) {
		append_share(line, summary_left_out(s));
		profile_summary_append(line, "ticks left out%s", limit);
	}
	if (summary_fewer_threads(s)) {
		append_share(line, s->parts / (double)s->ticks);
		profile_summary_append(line, "threads looked at in each%s, at random",
				       fewer ? "" : " tick");
		if (!fewer)
			profile_summary_append(line, ",%s", limit);
	}
}

double summary_certain(const struct recording_stats *s)
{
	return s->cpu_weight ? 1 - (double)s->uncertain / (double)s->cpu_weight : 1;
}

/* After the rate, the first are calls that failed because of us, which should never happen. */
static void rate_line(const struct recording_stats *s, const struct recording_options *options,
		      char *line)
{
	if (options->counted)
		profile_summary_append(line, "rate: up to %u samples a second on each CPU",
				       options->rate);
	else
		profile_summary_append(line, "rate: %.1f of %u Hz kept (%.1f%%)",
				       options->rate * profile_summary_kept(s), options->rate,
				       100 * profile_summary_kept(s));
	if (s->cut)
		profile_summary_append(line, ", %lu call%s ended by a stop with EINTR", s->cut,
				       s->cut > 1 ? "s" : "");
	append_budget(s, options->max_cpu, line);
	if (s->uncertain)
		profile_summary_append(line, ", %.1f%% of the CPU samples certain",
				       100 * summary_certain(s));
	if (s->late_ticks)
		profile_summary_append(line, ", %lu ticks came late", s->late_ticks);
	if (s->kept_out)
		profile_summary_append(line, ", %lu while threads were listed", s->kept_out);
	if (s->spared + s->over)
		profile_summary_append(
			line,
			", %lu samples left out to hold no thread for more than %g%% of its time",
			s->spared + s->over, options->pause_share * 100);
	if (s->transfers)
		profile_summary_append(line, ", %lu left out in calls that a stop may cut short",
				       s->transfers);
	if (s->exposed)
		profile_summary_append(line, ", %lu of threads that have children", s->exposed);
	if (s->waiting)
		profile_summary_append(line, ", %lu met a thread that did not wait any more",
				       s->waiting);
	if (s->ran_on)
		profile_summary_append(line, ", %lu ran on before they were stopped", s->ran_on);
	if (s->signalled)
		profile_summary_append(line, ", %lu met a signal", s->signalled);
	if (s->late + s->unserved)
		profile_summary_append(line, ", %lu could not be served", s->late + s->unserved);
	if (s->dropped)
		profile_summary_append(line, ", %lu lost to an exec or exit", s->dropped);
	if (s->overdue)
		profile_summary_append(line, ", %lu did not stop within a second", s->overdue);
	if (s->stuck + s->own_stuck)
		profile_summary_append(line, ", %lu reads did not come back",
				       s->stuck + s->own_stuck);
	if (s->avoided + s->unread)
		profile_summary_append(line, ", %lu left out meanwhile", s->avoided + s->unread);
	if (s->repaired)
		profile_summary_append(line, ", %lu interrupted calls entered again", s->repaired);
}

/* Where CFI did not cover the code: "; frames found without CFI: 12 by reading code, 3 by frame
 * pointer (in node 10, [anon] 5)". */
static void append_guesses(const struct recording_stats *s, char *line)
{
	static const struct {
		enum frame_source source;
		const char *words;
	} kinds[] = {
		{ FRAME_BY_CODE, "by reading code" },
		{ FRAME_BY_FRAME_POINTER, "by frame pointer" },
		{ FRAME_BY_SCAN, "by a scan" },
	};
	const char *before = "; frames found without CFI: ";

	if (!ledger_guessed(&s->walks))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		uint64_t frames = s->walks.found[kinds[i].source];

		if (!frames)
			continue;
		profile_summary_append(line, "%s%lu %s", before, frames, kinds[i].words);
		before = ", ";
	}
	for (int i = 0; i < LEDGER_NAMES && s->guesses.frames[i]; i++)
		profile_summary_append(line, "%s%s %lu", i ? ", " : " (in ", s->guesses.name[i],
				       s->guesses.frames[i]);
	profile_summary_append(line, "%s", s->guesses.frames[0] ? ")" : "");
}

static void ledger_line(const struct recording_stats *s, char *line)
{
	const uint64_t *ends = s->walks.ends;
	uint64_t all = 0;

	for (int i = 0; i < STACK_ENDS; i++)
		all += ends[i];
	profile_summary_append(line, "unwound: %.1f%% to the outermost frame",
			       profile_summary_percent(ends[STACK_OUTERMOST], all));
	for (int i = 0; i < STACK_ENDS; i++)
		if (i != STACK_OUTERMOST && ends[i])
			profile_summary_append(line, ", %lu ended with %s", ends[i],
					       stack_end_name((enum stack_end)i));
	append_guesses(s, line);
}

static void append_count(char *line, uint64_t count, const char *what)
{
	if (count)
		profile_summary_append(line, ", %lu %s", count, what);
}

static void runtimes_line(const struct recording_stats *s, char *line)
{
	for (int i = 0; i < INTERP_LANGUAGES; i++) {
		const struct interp_counts *c = &s->interpreted[i];

		if (!c->stacks)
			continue;
		profile_summary_append(line, "%s%s in %lu stacks, %lu frames",
				       *line ? "; " : "runtimes: ", c->version, c->stacks,
				       c->frames);
		append_count(line, c->on_top, "not merged");
		append_count(line, c->behind, "behind a native stack that ended early");
		append_count(line, c->nameless, "without a proven name");
		append_count(line, c->lineless, "without a certain line");
		append_count(line, c->dropped, "under construction left out");
		append_count(line, c->cut, "stacks not copied whole");
		append_count(line, c->broken, "stacks with a broken chain");
	}
	if (*s->interpreters)
		profile_summary_append(line, "%s%s", *line ? "; " : "runtimes: ", s->interpreters);
}

/* Our CPU time that the target would have had. */
static void append_displaced(const struct heldtime *h, char *line)
{
	char p50[24], p99[24], max[24];

	if (h->count)
		profile_summary_append(
			line, "; took a CPU from it %lu time%s, p50 %s, p99 %s, max %s", h->count,
			h->count > 1 ? "s" : "",
			summary_duration(heldtime_percentile(h, 50), p50, sizeof(p50)),
			summary_duration(heldtime_percentile(h, 99), p99, sizeof(p99)),
			summary_duration(h->max, max, sizeof(max)));
}

static void held_line(const struct recording_stats *s, char *line)
{
	char p50[24], p99[24], max[24], sum[24];
	const struct heldtime *h = &s->held;

	profile_summary_append(line, "held: %lu stops", h->count);
	if (h->count)
		profile_summary_append(
			line,
			", p50 %s, p99 %s, max %s, in all %s (%.2f%% of the target's CPU time)",
			summary_duration(heldtime_percentile(h, 50), p50, sizeof(p50)),
			summary_duration(heldtime_percentile(h, 99), p99, sizeof(p99)),
			summary_duration(h->max, max, sizeof(max)),
			summary_duration(h->sum, sum, sizeof(sum)),
			profile_summary_percent(h->sum, s->target_cpu_ns));
	append_displaced(&s->displaced, line);
	if (s->rescues)
		profile_summary_append(line, "; our watchdog stepped in %lu time%s", s->rescues,
				       s->rescues > 1 ? "s" : "");
}

static void cpu_line(const struct recording_stats *s, char *line)
{
	char target[24], own[24];

	profile_summary_append(line,
			       "cpu: target %s, sampler %s (%.2f%% of one CPU), peak %.1f MiB",
			       summary_duration(s->target_cpu_ns, target, sizeof(target)),
			       summary_duration(s->own_cpu_ns, own, sizeof(own)),
			       profile_summary_percent(s->own_cpu_ns, s->elapsed_ns),
			       (double)s->own_peak_bytes / 1048576.0);
}

void summary_lines(const struct recording_stats *stats, const struct recording_options *options,
		   char lines[SUMMARY_LINES][SUMMARY_WIDTH])
{
	for (int i = 0; i < SUMMARY_LINES; i++)
		lines[i][0] = '\0';
	samples_line(stats, options->rate, lines[0]);
	rate_line(stats, options, lines[1]);
	ledger_line(stats, lines[2]);
	runtimes_line(stats, lines[3]);
	held_line(stats, lines[4]);
	cpu_line(stats, lines[5]);
}

/* Each line has a function that appends to it in a room of SUMMARY_WIDTH bytes. What is too small
 * to change what a profile says is left out. */
#include "sampler/profile/summary.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/amount.h"
#include "sampler/recorded/options.h"
#include "sampler/recorded/stats.h"

enum { EXPECTED_MIN = 50 }; /* a smaller number may be low by chance */

/* A smaller part is left out once in a while and means nothing. */
static const double LEFT_OUT_MIN = 0.01, PART_MAX = 0.995;

static void __attribute__((format(printf, 2, 3))) append(char *line, const char *fmt, ...)
{
	size_t len = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + len, SUMMARY_WIDTH - len, fmt, ap);
	va_end(ap);
}

static void append_count(char *line, uint64_t count, const char *what)
{
	if (count)
		append(line, ", %lu %s", count, what);
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Of the ticks that the rate asked for, the part that was made. */
static double ticks_kept(const struct recording_stats *s)
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
	uint64_t expected = (uint64_t)((double)s->target_cpu_ns / 1e9 * rate * ticks_kept(s));
	bool spared = (s->user_only && s->by_event) || s->spared + s->over || fewer_ticks(s) ||
		      summary_fewer_threads(s);

	return !spared && expected >= EXPECTED_MIN && s->samples < expected / 2 ? expected : 0;
}

static void samples_line(const struct recording_stats *s, unsigned rate, char *line)
{
	uint64_t expected = summary_expected(s, rate);

	append(line, "samples: %lu in %s, %lu distinct stacks, %lu threads", s->samples,
	       shown_duration(s->elapsed_ns), s->stacks, s->threads_seen);
	if (s->processes > 1)
		append(line, " of %lu processes", s->processes);
	append_count(line, s->glances, "read without a stop");
	append_count(line, s->by_event,
		     s->user_only ? "copied by the kernel's timer, in user space only" :
				    "copied by the kernel's timer");
	if (s->rests)
		append(line, ", %lu of threads at rest, %lu of such left out", s->rests, s->moved);
	if (*s->no_events)
		append(line, ", without perf events: %s", s->no_events);
	if (*s->no_rest)
		append(line, ", with stops: %s", s->no_rest);
	append_count(line, s->labels_lost, "without labels that their goroutines gave up");
	append_count(line, s->labels_unknown, "without labels, since this Go's are not known");
	if (expected)
		append(line, ", few: its CPU time at this rate would give %lu", expected);
	if (s->execs)
		append(line, ", %lu exec%s", s->execs, s->execs > 1 ? "s" : "");
}

/* A share below 1 % or above 99 % gets a decimal: a whole number would say none or all. */
static void append_share(char *line, double share)
{
	double p = 100 * share;

	append(line, ", %.*f%% of the ", p < 1 || p > 99 ? 1 : 0, p);
}

static void append_budget(const struct recording_stats *s, double max_cpu, char *line)
{
	bool fewer = fewer_ticks(s);
	char limit[80];

	snprintf(limit, sizeof(limit), " to take no more than %g%% of a CPU (--max-cpu)",
		 max_cpu * 100);
	if (fewer) {
		append_share(line, summary_left_out(s));
		append(line, "ticks left out%s", limit);
	}
	if (summary_fewer_threads(s)) {
		append_share(line, s->parts / (double)s->ticks);
		append(line, "threads looked at in each%s, at random", fewer ? "" : " tick");
		if (!fewer)
			append(line, ",%s", limit);
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
		append(line, "rate: up to %u samples a second on each CPU", options->rate);
	else
		append(line, "rate: %.1f of %u Hz kept (%.1f%%)", options->rate * ticks_kept(s),
		       options->rate, 100 * ticks_kept(s));
	if (s->cut)
		append(line, ", %lu call%s ended by a stop with EINTR", s->cut,
		       s->cut > 1 ? "s" : "");
	append_budget(s, options->max_cpu, line);
	if (s->uncertain)
		append(line, ", %.1f%% of the CPU samples certain", 100 * summary_certain(s));
	append_count(line, s->late_ticks, "ticks came late");
	append_count(line, s->kept_out, "while threads were listed");
	if (s->spared + s->over)
		append(line,
		       ", %lu samples left out to hold no thread for more than %g%% of its time",
		       s->spared + s->over, options->pause_share * 100);
	append_count(line, s->transfers, "left out in calls that a stop may cut short");
	append_count(line, s->exposed, "of threads that have children");
	append_count(line, s->waiting, "met a thread that did not wait any more");
	append_count(line, s->ran_on, "ran on before they were stopped");
	append_count(line, s->signalled, "met a signal");
	append_count(line, s->late + s->unserved, "could not be served");
	append_count(line, s->dropped, "lost to an exec or exit");
	append_count(line, s->overdue, "did not stop within a second");
	append_count(line, s->stuck + s->own_stuck, "reads did not come back");
	append_count(line, s->avoided + s->unread, "left out meanwhile");
	append_count(line, s->repaired, "interrupted calls entered again");
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
		append(line, "%s%lu %s", before, frames, kinds[i].words);
		before = ", ";
	}
	for (int i = 0; i < LEDGER_NAMES && s->guesses.frames[i]; i++)
		append(line, "%s%s %lu", i ? ", " : " (in ", s->guesses.name[i],
		       s->guesses.frames[i]);
	append(line, "%s", s->guesses.frames[0] ? ")" : "");
}

static void ledger_line(const struct recording_stats *s, char *line)
{
	const uint64_t *ends = s->walks.ends;
	uint64_t all = 0;

	for (int i = 0; i < STACK_ENDS; i++)
		all += ends[i];
	append(line, "unwound: %.1f%% to the outermost frame",
	       percent_of(ends[STACK_OUTERMOST], all));
	for (int i = 0; i < STACK_ENDS; i++)
		if (i != STACK_OUTERMOST && ends[i])
			append(line, ", %lu ended with %s", ends[i],
			       stack_end_name((enum stack_end)i));
	append_guesses(s, line);
}

static void runtimes_line(const struct recording_stats *s, char *line)
{
	for (int i = 0; i < INTERP_LANGUAGES; i++) {
		const struct interp_counts *c = &s->interpreted[i];

		if (!c->stacks)
			continue;
		append(line, "%s%s in %lu stacks, %lu frames",
		       *line ? "; " : "runtimes: ", c->version, c->stacks, c->frames);
		append_count(line, c->on_top, "not merged");
		append_count(line, c->behind, "behind a native stack that ended early");
		append_count(line, c->nameless, "without a proven name");
		append_count(line, c->lineless, "without a certain line");
		append_count(line, c->dropped, "under construction left out");
		append_count(line, c->cut, "stacks not copied whole");
		append_count(line, c->broken, "stacks with a broken chain");
	}
	if (*s->interpreters)
		append(line, "%s%s", *line ? "; " : "runtimes: ", s->interpreters);
}

/* Our CPU time that the target would have had. */
static void append_displaced(const struct heldtime *h, char *line)
{
	if (h->count)
		append(line, "; took a CPU from it %lu time%s, p50 %s, p99 %s, max %s", h->count,
		       h->count > 1 ? "s" : "", shown_duration(heldtime_percentile(h, 50)),
		       shown_duration(heldtime_percentile(h, 99)), shown_duration(h->max));
}

static void held_line(const struct recording_stats *s, char *line)
{
	const struct heldtime *h = &s->held;

	append(line, "held: %lu stops", h->count);
	if (h->count)
		append(line,
		       ", p50 %s, p99 %s, max %s, in all %s (%.2f%% of the target's CPU time)",
		       shown_duration(heldtime_percentile(h, 50)),
		       shown_duration(heldtime_percentile(h, 99)), shown_duration(h->max),
		       shown_duration(h->sum), percent_of(h->sum, s->target_cpu_ns));
	append_displaced(&s->displaced, line);
	if (s->rescues)
		append(line, "; our watchdog stepped in %lu time%s", s->rescues,
		       s->rescues > 1 ? "s" : "");
}

static void cpu_line(const struct recording_stats *s, char *line)
{
	append(line, "cpu: target %s, sampler %s (%.2f%% of one CPU), peak %s",
	       shown_duration(s->target_cpu_ns), shown_duration(s->own_cpu_ns),
	       percent_of(s->own_cpu_ns, s->elapsed_ns), shown_bytes(s->own_peak_bytes));
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

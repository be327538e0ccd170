#include "sampler/summary.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sampler/recording.h"

enum { EXPECTED_MIN = 50 }; /* fewer are few by chance, too */

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
	else
		snprintf(text, room, "%lum%02lus", ns / 60000000000, ns / 1000000000 % 60);
	return text;
}

static void append(char *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void append(char *line, const char *fmt, ...)
{
	size_t len = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + len, SUMMARY_WIDTH - len, fmt, ap);
	va_end(ap);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* A thread that runs for less time than we need to wake up and look is met on a CPU
 * more seldom than it is there. */
static void samples_line(const struct recording_stats *s, unsigned rate, char *line)
{
	uint64_t expected = (uint64_t)((double)s->target_cpu_ns / 1e9 * rate);
	char elapsed[24];

	append(line, "samples: %lu in %s, %lu distinct stacks, %lu threads", s->samples,
	       summary_duration(s->elapsed_ns, elapsed, sizeof(elapsed)), s->stacks,
	       s->threads_seen);
	if (s->processes > 1)
		append(line, " of %lu processes", s->processes);
	if (s->glances)
		append(line, ", %lu read without a stop", s->glances);
	if (s->labels_lost)
		append(line, ", %lu without labels that their goroutines gave up", s->labels_lost);
	if (s->labels_unknown)
		append(line, ", %lu without labels, since this Go's are not known", s->labels_unknown);
	if (!s->spared && expected >= EXPECTED_MIN && s->samples < expected / 2)
		append(line, ", few: its CPU time at this rate would give %lu", expected);
	if (s->execs)
		append(line, ", %lu exec%s", s->execs, s->execs > 1 ? "s" : "");
}

static void rate_line(const struct recording_stats *s, const struct recording_options *options,
		      char *line)
{
	double kept = percent(s->ticks, s->ticks_due);

	append(line, "rate: %.1f of %u Hz kept (%.1f%%)", options->rate * kept / 100.0,
	       options->rate, kept);
	if (s->spared)
		append(line, ", %lu looks left out to hold no thread for more than %g%% of its time",
		       s->spared, options->pause_share * 100);
	if (s->waiting)
		append(line, ", %lu looks met a thread waiting, for a CPU or in a call", s->waiting);
	if (s->signalled)
		append(line, ", %lu met a signal", s->signalled);
	if (s->late)
		append(line, ", %lu could not be served", s->late);
	if (s->dropped)
		append(line, ", %lu lost to an exec or exit", s->dropped);
	if (s->overdue)
		append(line, ", %lu did not stop within a second", s->overdue);
	if (s->repaired)
		append(line, ", %lu interrupted calls entered again", s->repaired);
}

/* Where CFI did not cover the code: "; 12 frames found by their code, 3 by frame
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
		append(line, "%s%s %lu", i ? ", " : " (in ", s->guesses.name[i], s->guesses.frames[i]);
	append(line, "%s", s->guesses.frames[0] ? ")" : "");
}

static void ledger_line(const struct recording_stats *s, char *line)
{
	const uint64_t *ends = s->walks.ends;
	uint64_t all = 0;

	for (int i = 0; i < STACK_ENDS; i++)
		all += ends[i];
	append(line, "unwound: %.1f%% to the outermost frame", percent(ends[STACK_OUTERMOST], all));
	for (int i = 0; i < STACK_ENDS; i++)
		if (i != STACK_OUTERMOST && ends[i])
			append(line, ", %lu ended with %s", ends[i], stack_end_name((enum stack_end)i));
	append_guesses(s, line);
}

static void held_line(const struct recording_stats *s, char *line)
{
	char p50[24], p99[24], max[24], sum[24];
	const struct heldtime *h = &s->held;

	append(line, "held: %lu stops, p50 %s, p99 %s, max %s, in all %s (%.2f%% of the target's CPU "
	       "time)", h->count,
	       summary_duration(heldtime_percentile(h, 50), p50, sizeof(p50)),
	       summary_duration(heldtime_percentile(h, 99), p99, sizeof(p99)),
	       summary_duration(h->max, max, sizeof(max)),
	       summary_duration(h->sum, sum, sizeof(sum)), percent(h->sum, s->target_cpu_ns));
}

static void cpu_line(const struct recording_stats *s, char *line)
{
	char target[24], own[24];

	append(line, "cpu: target %s, sampler %s (%.2f%% of one CPU), peak %.1f MiB",
	       summary_duration(s->target_cpu_ns, target, sizeof(target)),
	       summary_duration(s->own_cpu_ns, own, sizeof(own)),
	       percent(s->own_cpu_ns, s->elapsed_ns), (double)s->own_peak_bytes / 1048576.0);
}

void summary_lines(const struct recording_stats *stats, const struct recording_options *options,
		   char lines[SUMMARY_LINES][SUMMARY_WIDTH])
{
	for (int i = 0; i < SUMMARY_LINES; i++)
		lines[i][0] = '\0';
	samples_line(stats, options->rate, lines[0]);
	rate_line(stats, options, lines[1]);
	ledger_line(stats, lines[2]);
	held_line(stats, lines[3]);
	cpu_line(stats, lines[4]);
}

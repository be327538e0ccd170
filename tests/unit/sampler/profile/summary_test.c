// links: sampler
/* The last lines of output, which the profile's comments have, too. */
#include <criterion/criterion.h>
#include <string.h>

#include "sampler/profile/summary.h"
#include "sampler/recording.h"

static const struct recording_options at_99 = { .rate = 99, .pause_share = 0.01, .max_cpu = 0.05 };
static char lines[SUMMARY_LINES][SUMMARY_WIDTH];

static struct recording_stats some(void)
{
	return (struct recording_stats){
		.elapsed_ns = 10000000000,
		.ticks_due = 990,
		.ticks = 990,
		.parts = 990,
		.threads_seen = 3,
		.samples = 400,
		.stacks = 7,
		.target_cpu_ns = 5000000000,
		.walks.ends = { [STACK_OUTERMOST] = 399, [STACK_NO_UNWIND_INFO] = 1 },
	};
}

Test(summary, figures_in_words)
{
	struct recording_stats s = some();

	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[0], "samples: 400 in 10 s, 7 distinct stacks, 3 threads");
	cr_assert_str_eq(lines[1], "rate: 99.0 of 99 Hz kept (100.0%)");
	cr_assert_str_eq(lines[2], "unwound: 99.8% to the outermost frame, "
				   "1 ended with no unwind information");
}

Test(summary, says_when_samples_are_few_for_the_cpu_time)
{
	struct recording_stats s = some();

	s.samples = 240;
	summary_lines(&s, &at_99, lines);
	cr_assert(strstr(lines[0], "3 threads, few: its CPU time at this rate would give 495"));
	s.target_cpu_ns = 500000000; /* 49 expected: the difference may be chance */
	s.samples = 20;
	summary_lines(&s, &at_99, lines);
	cr_assert(!strstr(lines[0], "few"));
}

Test(summary, samples_are_not_few_where_ticks_were)
{
	struct recording_stats s = some();

	s.samples = 150;
	s.ticks = 396; /* they came late, so there are fewer */
	s.parts = 396;
	summary_lines(&s, &at_99, lines);
	cr_assert(!strstr(lines[0], "few"), "%s", lines[0]);
	s.samples = 90;
	summary_lines(&s, &at_99, lines);
	cr_assert(strstr(lines[0], "few: its CPU time at this rate would give 198"), "%s",
		  lines[0]);
	s.withheld = 594; /* left out; it may have used its CPU time then */
	summary_lines(&s, &at_99, lines);
	cr_assert(!strstr(lines[0], "few"), "%s", lines[0]);
	s = some();
	s.samples = 240;
	s.parts = 900;
	summary_lines(&s, &at_99, lines);
	cr_assert(!strstr(lines[0], "few"), "%s", lines[0]);
}

Test(summary, says_what_the_cpu_budget_left_out)
{
	struct recording_stats s = some();

	s.ticks = 346;
	s.parts = 346;
	s.withheld = 644;
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[1], "rate: 34.6 of 99 Hz kept (34.9%), 65% of the ticks left out to "
				   "take no more than 5% of a CPU (--max-cpu)");
	s.ticks = 99;
	s.parts = 11.9;
	s.withheld = 900; /* nine of them after the recording's end */
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[1], "rate: 9.9 of 99 Hz kept (10.0%), 90% of the ticks left out to "
				   "take no more than 5% of a CPU (--max-cpu), 12% of the threads "
				   "looked at in each, at random");
	s.ticks_due = 99; /* at 10 Hz no ticks are left out */
	s.withheld = 0;
	s.parts = 0.396;
	summary_lines(&s, &(struct recording_options){ .rate = 10, .max_cpu = 0.001 }, lines);
	cr_assert_str_eq(lines[1],
			 "rate: 10.0 of 10 Hz kept (100.0%), 0.4% of the threads looked at "
			 "in each tick, at random, to take no more than 0.1% of a CPU "
			 "(--max-cpu)");
}

Test(summary, says_nothing_of_a_budget_that_was_hardly_reached)
{
	struct recording_stats s = some();

	s.ticks = 981;
	s.withheld = 9;
	s.parts = 980; /* the last tick's is not counted yet */
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[1], "rate: 98.1 of 99 Hz kept (99.1%)");
	s = some();
	s.withheld = 400; /* after the recording's end */
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[1], "rate: 99.0 of 99 Hz kept (100.0%)");
	s.ticks = s.ticks_due = 1;
	s.parts = 0;
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[1], "rate: 99.0 of 99 Hz kept (100.0%)");
}

Test(summary, says_what_a_stop_did_to_the_target)
{
	struct recording_stats s = some();

	heldtime_add(&s.held, 10000000);
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[4], "held: 1 stops, p50 10 ms, p99 10 ms, max 10 ms, in all 10 ms "
				   "(0.20% of the target's CPU time)");
	heldtime_add(&s.displaced, 40000);
	summary_lines(&s, &at_99, lines);
	cr_assert(strstr(lines[4],
			 "CPU time); took a CPU from it 1 time, p50 40 µs, p99 40 µs, max "
			 "40 µs"),
		  "%s", lines[4]);
	for (int i = 0; i < 199; i++)
		heldtime_add(&s.displaced, 40000);
	heldtime_add(&s.displaced, 1200000);
	s.repaired = 7;
	s.spared = 3;
	s.transfers = 4;
	s.cut = 1;
	summary_lines(&s, &at_99, lines);
	cr_assert(strstr(lines[4], "; took a CPU from it 201 times, p50 41 µs, p99 41 µs, max "
				   "1.2 ms"),
		  "%s", lines[4]);
	cr_assert_str_eq(lines[1],
			 "rate: 99.0 of 99 Hz kept (100.0%), 1 call ended by a stop with "
			 "EINTR, 3 samples left out to hold no thread for more than 1% of its "
			 "time, 4 left out in calls that a stop may cut short, 7 interrupted "
			 "calls entered again");
	s.cut = 2;
	summary_lines(&s, &at_99, lines);
	cr_assert(strstr(lines[1], "kept (100.0%), 2 calls ended by a stop with EINTR, "), "%s",
		  lines[1]);
	s.rescues = 1;
	summary_lines(&s, &at_99, lines);
	cr_assert(strstr(lines[4], "max 1.2 ms; our watchdog stepped in 1 time"), "%s", lines[4]);
}

Test(summary, says_what_was_left_out)
{
	struct recording_stats s = some();

	s.spared = 7;
	s.glances = 31;
	s.overdue = 1;
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[0], "samples: 400 in 10 s, 7 distinct stacks, 3 threads, "
				   "31 read without a stop");
	cr_assert_str_eq(lines[1],
			 "rate: 99.0 of 99 Hz kept (100.0%), 7 samples left out to hold no "
			 "thread for more than 1% of its time, 1 did not stop within a "
			 "second");
	s.glances = 0;
	s.labels_lost = 2;
	s.labels_unknown = 3;
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[0], "samples: 400 in 10 s, 7 distinct stacks, 3 threads, "
				   "2 without labels that their goroutines gave up, "
				   "3 without labels, since this Go's are not known");
}

Test(summary, says_what_was_found_without_cfi)
{
	struct recording_stats s = some();

	s.walks.found[FRAME_BY_CFI] = 5000;
	s.walks.found[FRAME_BY_CODE] = 12;
	s.walks.found[FRAME_BY_SCAN] = 3;
	strcpy(s.guesses.name[0], "node");
	strcpy(s.guesses.name[1], "[anon]");
	s.guesses.frames[0] = 10;
	s.guesses.frames[1] = 5;
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[2], "unwound: 99.8% to the outermost frame, 1 ended with no unwind "
				   "information; frames found without CFI: 12 by reading code, "
				   "3 by a scan (in node 10, [anon] 5)");
}

/* Gives each part of each line, with longer numbers than real ones. */
static struct recording_stats all(void)
{
	const uint64_t max = UINT64_MAX / 4;
	struct recording_stats s = {
		.elapsed_ns = max,
		.ticks_due = max,
		.ticks = max / 2,
		.withheld = max / 2,
		.parts = (double)max / 4,
		.processes = max,
		.threads_seen = max,
		.samples = max / 64,
		.stacks = max,
		.glances = max,
		.labels_lost = max,
		.labels_unknown = max,
		.execs = max,
		.spared = max,
		.transfers = max,
		.cut = max,
		.waiting = max,
		.signalled = max,
		.late = max,
		.dropped = max,
		.overdue = max,
		.repaired = max,
		.target_cpu_ns = 1,
		.own_cpu_ns = max,
		.own_peak_bytes = max,
		.rescues = max,
	};

	for (int i = 0; i < STACK_ENDS; i++)
		s.walks.ends[i] = max / STACK_ENDS;
	for (size_t i = 0; i < sizeof(s.walks.found) / sizeof(*s.walks.found); i++)
		s.walks.found[i] = max;
	for (int i = 0; i < LEDGER_NAMES; i++) {
		memset(s.guesses.name[i], 'x', LEDGER_NAME_LEN - 1);
		s.guesses.frames[i] = max;
	}
	heldtime_add(&s.held, max);
	s.held.count = s.displaced.count = max;
	heldtime_add(&s.displaced, max);
	return s;
}

static void fill_interpreted(struct recording_stats *s)
{
	const uint64_t max = UINT64_MAX / 4;

	for (int i = 0; i < INTERP_LANGUAGES; i++) {
		s->interpreted[i] = (struct interp_counts){ .stacks = max,
							    .frames = max,
							    .behind = max,
							    .on_top = max,
							    .nameless = max,
							    .dropped = max,
							    .lineless = max,
							    .cut = max,
							    .broken = max };
		memset(s->interpreted[i].version, 'v', sizeof(s->interpreted[i].version) - 1);
	}
}

Test(summary, lines_are_wide_enough)
{
	const struct recording_options o = { .rate = 10000,
					     .pause_share = 0.0123456,
					     .max_cpu = 0.0123456 };
	static const char *const last[SUMMARY_LINES] = {
		" execs", " interrupted calls entered again", ")", " a broken chain", " times",
		" EiB"
	};
	struct recording_stats s = all();

	fill_interpreted(&s);
	summary_lines(&s, &o, lines);
	for (int i = 0; i < SUMMARY_LINES; i++) {
		size_t len = strlen(lines[i]), end = strlen(last[i]);

		cr_assert(len > end && !strcmp(lines[i] + len - end, last[i]), "%zu: %s", len,
			  lines[i]);
	}
}

Test(summary, of_nothing)
{
	struct recording_stats s = { .elapsed_ns = 1 };

	summary_lines(&s, &at_99, lines);
	for (int i = 0; i < SUMMARY_LINES; i++)
		cr_assert(!strstr(lines[i], "nan") && !strstr(lines[i], "inf"), "%s", lines[i]);
}

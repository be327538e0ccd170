/* The last lines, as people and the profile's comments get them. */
#include <criterion/criterion.h>
#include <string.h>

#include "sampler/recording.h"
#include "sampler/summary.h"

static const char *duration(uint64_t ns)
{
	static char text[24];

	return summary_duration(ns, text, sizeof(text));
}

Test(summary, durations_for_people)
{
	cr_assert_str_eq(duration(0), "0.0us");
	cr_assert_str_eq(duration(2549), "2.5us");
	cr_assert_str_eq(duration(1234567), "1.23ms");
	cr_assert_str_eq(duration(380000000), "380ms");
	cr_assert_str_eq(duration(59900000000), "59.9s");
	cr_assert_str_eq(duration(62000000000), "1m02s");
}

static const struct recording_options at_99 = { .rate = 99, .pause_share = 0.01 };
static char lines[SUMMARY_LINES][SUMMARY_WIDTH];

static struct recording_stats some(void)
{
	return (struct recording_stats){
		.elapsed_ns = 10000000000, .ticks_due = 990, .ticks = 990, .threads_seen = 3,
		.samples = 400, .stacks = 7, .target_cpu_ns = 5000000000,
		.walks.ends = { [STACK_OUTERMOST] = 399, [STACK_NO_UNWIND_INFO] = 1 },
	};
}

Test(summary, figures_in_words)
{
	struct recording_stats s = some();

	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[0], "samples: 400 in 10.0s, 7 distinct stacks, 3 threads");
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
	s.target_cpu_ns = 500000000; /* 49 expected: chance may do that */
	s.samples = 20;
	summary_lines(&s, &at_99, lines);
	cr_assert(!strstr(lines[0], "few"));
}

Test(summary, says_what_was_left_out)
{
	struct recording_stats s = some();

	s.spared = 7;
	s.glances = 31;
	s.overdue = 1;
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[0], "samples: 400 in 10.0s, 7 distinct stacks, 3 threads, "
				   "31 read without a stop");
	cr_assert_str_eq(lines[1], "rate: 99.0 of 99 Hz kept (100.0%), 7 looks left out to hold no "
				   "thread for more than 1% of its time, 1 did not stop within a "
				   "second");
	s.glances = 0;
	s.labels_lost = 2;
	s.labels_unknown = 3;
	summary_lines(&s, &at_99, lines);
	cr_assert_str_eq(lines[0], "samples: 400 in 10.0s, 7 distinct stacks, 3 threads, "
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

Test(summary, of_nothing)
{
	struct recording_stats s = { .elapsed_ns = 1 };

	summary_lines(&s, &at_99, lines);
	for (int i = 0; i < SUMMARY_LINES; i++)
		cr_assert(!strstr(lines[i], "nan") && !strstr(lines[i], "inf"), "%s", lines[i]);
}

// links: cli/record
/* What is said after a recording, for figures that a real one seldom has. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/record/outcome.h"
#include "sampler/gil.h"
#include "sampler/recording.h"

static const struct recording_options at_99 = { .rate = 99, .pause_share = 0.01, .max_cpu = 0.05 };

static struct recording_stats some(void)
{
	struct recording_stats s = {
		.end = RECORDING_TIME_UP,
		.elapsed_ns = 10000000000,
		.ticks_due = 990,
		.ticks = 990,
		.parts = 990,
		.processes = 1,
		.threads_alive = 5,
		.threads_seen = 5,
		.samples = 149,
		.target_cpu_ns = 1800000000,
		.walks.ends = { [STACK_OUTERMOST] = 149 },
	};

	heldtime_add(&s.held, 36000);
	return s;
}

static const char *text_of(const struct outcome *o, bool colour)
{
	static struct buffer text;

	text.len = 0;
	cr_assert_eq(outcome_text(o, colour, &text), 0);
	cr_assert_eq(buffer_add(&text, "", 1), 0);
	return (char *)text.data;
}

static struct outcome of(const struct recording_stats *s)
{
	return (struct outcome){
		.name = "redis-server", .pid = 12, .stats = s, .options = &at_99, .tracer = ""
	};
}

static const char *said(const struct recording_stats *s)
{
	struct outcome o = of(s);

	return text_of(&o, false);
}

#define FOUND "redis-server: 1.8 s of CPU in 10 s, 149 samples, 5 threads; longest pause 36 µs\n"

/* Beyond the budget, if it is for more than samples. */
Test(outcome, says_what_tables_and_names_have_cost)
{
	struct recording_stats s = some();

	s.own_cpu_ns = 900000000;
	s.ticking_cpu_ns = 400000000;
	cr_assert_str_eq(said(&s),
			 "redis-server: 1.8 s of CPU in 10 s, 149 samples, 5 threads; longest "
			 "pause 36 µs; sampler took 900 ms of CPU, 500 ms of it for tables "
			 "and names\n");
	s.ticking_cpu_ns = 895000000;
	cr_assert_str_eq(said(&s), FOUND);
	s.own_cpu_ns = 500000000;
	s.ticking_cpu_ns = 200000000;
	cr_assert_str_eq(said(&s), FOUND);
}

Test(outcome, says_what_is_not_certain)
{
	struct recording_stats s = some();

	s.cpu_weight = 1000;
	s.uncertain = 5;
	cr_assert_str_eq(said(&s), FOUND);
	s.uncertain = 300;
	cr_assert_str_eq(said(&s), FOUND
			 "30 % of the CPU time may be shown some microseconds late, "
			 "where its threads wait next: threads were moved to another CPU amid "
			 "the stop\n");
	s.cpus_refused = 2;
	cr_assert(strstr(said(&s), "sampler may not run on 2 of their CPUs (cpuset)\n"));
	s.no_realtime = true;
	cr_assert(strstr(said(&s), "sampler has no real-time priority (CAP_SYS_NICE)\n"));
}

Test(outcome, one_line_when_all_went_well)
{
	struct recording_stats s = some();

	cr_assert_str_eq(said(&s), FOUND);
	s.processes = 3;
	cr_assert(!strncmp(said(&s), "redis-server, 3 processes: 1.8 s", 32), "%s", said(&s));
	s.held.count = 0;
	cr_assert(strstr(said(&s), "5 threads; no thread was stopped\n"), "%s", said(&s));
}

Test(outcome, no_interpreted_frames_to_show)
{
	struct recording_options alone = at_99;
	struct recording_stats s = some();
	struct outcome o = of(&s);

	alone.no_native = true;
	o.options = &alone;
	cr_assert_str_eq(text_of(&o, false), FOUND "no interpreted frames were found: with "
						   "--no-native, all samples are [native]\n");
	s.interpreted[1].frames = 1;
	cr_assert_str_eq(text_of(&o, false), FOUND);
}

Test(outcome, an_idle_target_is_one_line)
{
	struct recording_stats s = some();

	s.samples = 0;
	s.target_cpu_ns = 20000000;
	cr_assert(outcome_is_empty(&s));
	cr_assert_str_eq(said(&s), "redis-server was idle (0.2 % of a CPU): nothing to sample. To "
				   "see where it waits: --wall (no file was written)\n");
	s.threads_stopped = 5;
	cr_assert_str_eq(said(&s),
			 "redis-server is stopped (state T): nothing to sample. kill -CONT "
			 "12 continues it; to see where it stands: --wall (no file was "
			 "written)\n");
	s.threads_stopped = 4;
	cr_assert(strstr(said(&s), " was idle "));
}

Test(outcome, few_samples_of_an_idle_target_are_no_finding)
{
	struct recording_stats s = some();

	s.samples = 2;
	s.target_cpu_ns = 20000000;
	cr_assert(strstr(said(&s),
			 "longest pause 36 µs\nredis-server was idle (0.2 % of a CPU), few samples "
			 "(2): what is shown as 50 % may be 9 to 91 %. To see where it waits: "
			 "--wall\n"),
		  "%s", said(&s));
	s.target_cpu_ns = 200000000; /* 2 % */
	cr_assert(!strstr(said(&s), "idle"));
	s.samples = 30;
	cr_assert(strstr(said(&s), "\nfew samples (30): what is shown as 50 % may be 33 to 67 %. A "
				   "longer -d or a higher -r gives more\n"),
		  "%s", said(&s));
	s.samples = 93;
	cr_assert(!strstr(said(&s), "few samples"), "%s", said(&s));
}

Test(outcome, no_advice_where_sampling_failed)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	s.end = RECORDING_LOST;
	s.samples = 0;
	s.elapsed_ns = 11000000;
	cr_assert_str_eq(text_of(&o, false), "redis-server: no sample in the 11 ms until sampling "
					     "failed (no file was written)\n");
}

Test(outcome, a_target_too_short_lived_is_not_called_idle)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	s.end = RECORDING_EXITED;
	s.samples = 0;
	s.elapsed_ns = 8000000;
	s.target_cpu_ns = 6000000;
	o.unsampled = (struct unsampled){ .brief_ns = 6000000, .brief = 1 };
	cr_assert_str_eq(
		text_of(&o, false),
		"redis-server: 6 ms of CPU in 8 ms, and no tick found it on a CPU: nothing "
		"to show. A longer -d, a higher -r or --max-cpu finds more (no file was written)\n"
		"[not sampled] is 100 % of its CPU time: 6 ms of 1 thread that ran for "
		"less than 10.1 ms, the time of a tick\n");
}

Test(outcome, children_that_did_the_work)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	o.children = 4;
	o.children_ns = 3900000000;
	cr_assert_str_eq(text_of(&o, false), FOUND
			 "redis-server: 149 samples; its 4 child processes used 3.9 s of CPU: "
			 "add --children\n");
	s.samples = 0;
	s.target_cpu_ns = 0;
	cr_assert_str_eq(text_of(&o, false),
			 "redis-server: 0 samples; its 4 child processes used 3.9 s of CPU: add "
			 "--children (no file was written)\n");
	o.children = 0; /* all of them have ended */
	cr_assert(strstr(text_of(&o, false), "its child processes used 3.9 s"));
	o.children_ns = 10000000; /* one tick of the kernel's clock */
	cr_assert(strstr(text_of(&o, false), "was idle"));
	s = some();
	o.children_ns = 1700000000; /* less than its own */
	cr_assert_str_eq(text_of(&o, false), FOUND);
}

Test(outcome, says_why_time_was_not_sampled)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	o.unsampled.brief_ns = 50000000;
	cr_assert_str_eq(text_of(&o, false), FOUND); /* less than 3 % */
	o.tracer = "strace (PID 4711)";
	o.unsampled = (struct unsampled){ .traced_ns = 300000000,
					  .traced = 3,
					  .brief_ns = 50000000,
					  .brief = 40,
					  .missed_ns = 20000000,
					  .spared_ns = 10000000,
					  .other_ns = 160000000,
					  .other = 2 };
	cr_assert_str_eq(
		text_of(&o, false), FOUND
		"[not sampled] is 30 % of its CPU time: 300 ms of 3 threads traced by "
		"strace (PID 4711); 50 ms of 40 threads that ran for less than 10.1 ms, "
		"the time of a tick; 20 ms of threads that began and ended between two "
		"looks; 10 ms in calls that a stop may cut short; 160 ms of 2 threads found on a CPU by no tick\n");
	o.unsampled = (struct unsampled){ .other_ns = 160000000, .other = 1 };
	s.withheld = 50;
	s.ticks -= 50;
	s.parts -= 50;
	cr_assert(
		strstr(text_of(&o, false), "160 ms of 1 thread not looked at in time (--max-cpu)"),
		"%s", text_of(&o, false));
	s = some();
	s.spared = 1;
	cr_assert(strstr(text_of(&o, false), "held for long enough already (--max-pause-share)"));
}

Test(outcome, says_what_would_show_the_callers_of_the_kernel)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	o.unsampled.kernel_ns = 20000000;
	cr_assert_str_eq(text_of(&o, false), FOUND); /* less than 3 % */
	o.unsampled.kernel_ns = 500000000;
	cr_assert_str_eq(text_of(&o, false), FOUND
			 "[kernel] is 28 % of its CPU time: which functions called it is told with "
			 "CAP_PERFMON, or kernel.perf_event_paranoid below 2\n");
}

Test(outcome, looks_that_met_another_tracer)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	s.denied = 4; /* 149 + 4 looks */
	cr_assert_str_eq(text_of(&o, false), FOUND);
	s.denied = 149;
	o.tracer = "gdb (PID 8)";
	cr_assert_str_eq(text_of(&o, false),
			 FOUND "50 % of the looks came while gdb (PID 8) traced the thread: that "
			       "time is counted as the rest of the thread's\n");
}

Test(outcome, says_what_the_cpu_budget_left_out)
{
	struct recording_stats s = some();

	s.ticks = s.ticks_due / 10 * 9 + 30; /* less than a tenth is left out */
	s.parts = (double)s.ticks;
	s.withheld = s.ticks_due - s.ticks;
	cr_assert_str_eq(said(&s), FOUND);
	s.ticks = 346;
	s.parts = 346;
	s.withheld = 644;
	cr_assert_str_eq(said(&s),
			 FOUND "fewer samples than asked for: 65 % of the ticks left out, "
			       "to take no more than 5 % of a CPU (--max-cpu)\n");
	s.parts = 86.5;
	cr_assert_str_eq(said(&s),
			 FOUND "fewer samples than asked for: 65 % of the ticks left out, "
			       "25 % of the threads looked at in each, to take no more "
			       "than 5 % of a CPU (--max-cpu)\n");
}

Test(outcome, says_what_else_changes_the_result)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	s.samples = 40;
	cr_assert(strstr(said(&s), "samples are few: its CPU time would give 178."), "%s",
		  said(&s));
	s = some();
	s.walks.ends[STACK_NO_UNWIND_INFO] = 51;
	cr_assert_str_eq(said(&s), FOUND "26 % of the stacks end before their outermost frame: -v "
					 "says why\n");
	s = some();
	s.starved_ns = 3 * s.target_cpu_ns;
	cr_assert(strstr(said(&s), " for a CPU, 75 % of the time in which they had work\n"), "%s",
		  said(&s));
	s.starved_ns = s.target_cpu_ns / 5;
	cr_assert_str_eq(said(&s), FOUND);
	s = some();
	s.walks = (struct ledger_entry){
		.ends = { [STACK_COPY_EXHAUSTED] = 3, [STACK_OUTERMOST] = 8 }
	};
	cr_assert_str_eq(said(&s), FOUND "3 of 11 stacks are deeper than what is read of them: "
					 "their outer frames are [cut]\n");
	s = some();
	s.refused = 1;
	s.cut = 2;
	s.narrow = 1;
	s.lacking = 2;
	snprintf(s.why_lacking, sizeof(s.why_lacking), "cannot look at process 7");
	s.kernel_refused = true;
	cr_assert_str_eq(said(&s),
			 FOUND "1 time a child was met that may not be traced\n"
			       "2 processes could not be opened: cannot look at process 7\n"
			       "1 process left out: 32-bit code\n"
			       "2 calls of the process ended with EINTR because of a stop\n"
			       "kernel stacks left out: reading them needs CAP_SYS_ADMIN\n");
	s = some();
	o.missed_ns = 600000000;
	cr_assert_str_eq(text_of(&o, false), FOUND
			 "600 ms of CPU (25 %) is in no sample: processes that ended before they "
			 "were found\n");
}

Test(outcome, says_how_threads_shared_the_gil)
{
	struct recording_stats s = some();
	struct gil_account gil = { .all = { s.elapsed_ns / 2, 3000000000 },
				   .threads = 1,
				   .locks = 1,
				   .held_most_ns = s.elapsed_ns / 2,
				   .most = { { 12, "worker-1", { 900000000, 2000000000 } },
					     { 11, "main", { 250000000, 0 } } } };
	struct outcome o = of(&s);

	o.gil = &gil;
	cr_assert_not(strstr(text_of(&o, false), "GIL"), "one thread shares it with none");
	gil.threads = 5;
	cr_assert(strstr(text_of(&o, false), " (50 % of the time), waited for 3 s: worker-1 (12) "
					     "900 ms, waited 2 s; main (11) 250 ms; 2 more\n"),
		  "%s", text_of(&o, false));
	gil.locks = 4;
	gil.held_most_ns = s.elapsed_ns / 5;
	cr_assert(strstr(text_of(&o, false), "GILs: 4, held for "), "%s", text_of(&o, false));
	cr_assert(strstr(text_of(&o, false),
			 " together, the busiest 20 % of the time, waited for 3 s: "),
		  "%s", text_of(&o, false));
}

Test(outcome, has_the_remark_about_interpreters)
{
	struct recording_stats s = some();

	snprintf(s.interpreters, sizeof(s.interpreters), "CPython 3.99 is newer");
	cr_assert_str_eq(said(&s), FOUND "CPython 3.99 is newer\n");
}

Test(outcome, a_hold_longer_than_promised_has_a_line_of_its_own)
{
	struct recording_stats s = some();
	struct outcome o = of(&s);

	heldtime_add(&s.held, OUTCOME_HOLD_NS);
	cr_assert(!strstr(text_of(&o, false), "promised"));
	heldtime_add(&s.held, 25000000);
	cr_assert(strstr(text_of(&o, false),
			 "longest pause 25 ms\na thread was held for 25 ms, longer than the "
			 "promised 10 ms: the cause is not known; a virtual machine may have stood "
			 "still\n"),
		  "%s", text_of(&o, false));
	cr_assert(strstr(text_of(&o, true), "\n\033[1;31ma thread was held for 25 ms"));
	cr_assert(strstr(text_of(&o, true), "stood still\033[0m\n"));
	o.unaided = true;
	cr_assert(strstr(text_of(&o, false), ": sampler has no real-time priority here"));
	s.longest_bytes = 5 << 20;
	cr_assert(strstr(text_of(&o, false), ": 5 MiB of its stack were copied\n"));
	s.rescues = 1;
	cr_assert(strstr(text_of(&o, false), ": sampler got no CPU, or was stopped; its watchdog "
					     "stepped in 1 time\n"));
}

Test(outcome, tells_of_samples_left_out_to_hold_no_thread_for_long)
{
	struct recording_stats s = some();

	s.samples = 21;
	s.walks.ends[STACK_OUTERMOST] = 21;
	s.over = 115;
	cr_expect(strstr(said(&s), "A longer -d or a higher --max-pause-share gives more\n"));
	cr_expect(strstr(said(&s), "fewer samples than asked for: 85 % left out, to hold no thread "
				   "for more than 1 % of its time (--max-pause-share)\n"));
	s.over = 1;
	cr_expect(strstr(said(&s), "A longer -d or a higher -r gives more\n"));
	cr_expect_not(strstr(said(&s), "fewer samples than asked for"));
}

/* The few that differ: what is compared, how a place is named, and what is no finding. */
#include "cli/dump/merge/outliers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printer.h"
#include "cli/dump/merge/merged.h"

static struct merged m;
static struct buffer text;

/* A thread of the last process; frames outermost first, separated by ';': "py:" is interpreted,
 * "libc:" of the C library. */
static void thread(int tid, const char *name, const char *state, const char *stack)
{
	char copy[256], *frames[16], *rest = copy;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", stack);
	merged_begin_thread(&m);
	while (*copy && (frames[count] = strsep(&rest, ";")))
		count++;
	while (count-- > 0) {
		const char *name_of = frames[count];
		bool py = !strncmp(name_of, "py:", 3), libc = !strncmp(name_of, "libc:", 5);
		struct merged_frame f = { .function = name_of + (py   ? 3 :
								 libc ? 5 :
									0),
					  .module = libc ? "/lib/libc.so.6" : "/bin/x",
					  .interpreted = py };

		merged_add_frame(&m, &f);
	}
	merged_end_thread(&m, &(struct merged_doing){ tid, name, state, NULL, NULL });
}

static void process(int pid, const char *host, const char *stack)
{
	merged_begin_process(&m, host);
	thread(pid, "x", "sleeping", stack);
	merged_end_process(&m, pid, "x", "");
}

static const char *found(void)
{
	struct printer p = { &text, 0 };

	cr_assert_eq(merged_finish(&m), 0);
	outliers_print(&m, &p);
	cr_assert_eq(p.rc, 0);
	cr_assert_eq(buffer_add(&text, "", 1), 0);
	merged_release(&m);
	return (const char *)text.data;
}

static void begin(void)
{
	text.len = 0;
	cr_assert_eq(merged_init(&m), 0);
}

static void assert_found(const char *want)
{
	const char *got = found();

	cr_assert_str_eq(got, want, "%s", got);
	buffer_release(&text);
}

Test(dump_outliers, one_of_eight_is_named)
{
	begin();
	for (int i = 1; i <= 8; i++)
		process(i, NULL,
			i == 5 ? "main;py:train;py:next;libc:read" :
				 "main;py:train;py:all_reduce;nccl;libc:poll");
	assert_found("7 of 8 in all_reduce in x; 1 in next in x (process 5 \"x\")\n");
}

Test(dump_outliers, a_host_is_named_before_its_process)
{
	begin();
	for (int i = 1; i <= 3; i++)
		process(77,
			i == 1 ? "node1" :
			i == 2 ? "node2" :
				 "node3",
			i == 2 ? "main;work" : "main;libc:poll");
	assert_found("2 of 3 in poll in libc.so.6; 1 in work in x (node2: process 77 \"x\")\n");
}

Test(dump_outliers, all_alike_are_told_by_their_place)
{
	begin();
	for (int i = 1; i <= 3; i++)
		process(i, NULL, "main;py:serve;libc:accept");
	assert_found("3 of 3 in serve in x\n");
}

Test(dump_outliers, an_even_split_of_main_threads_is_told)
{
	begin();
	for (int i = 1; i <= 4; i++)
		process(i, NULL, i % 2 ? "main;a" : "main;b");
	assert_found("2 of 4 in a in x (process 1 \"x\", process 3 \"x\"); "
		     "2 in b in x (process 2 \"x\", process 4 \"x\")\n");
}

Test(dump_outliers, few_within_the_many_are_told_after_it)
{
	begin();
	for (int i = 1; i <= 10; i++)
		process(i, NULL,
			i == 3 ? "main;idle" :
			i == 4 ? "main;serve;log" :
				 "main;serve;db");
	assert_found("9 of 10 in serve in x; 1 in idle in x (process 3 \"x\")\n"
		     "in serve in x: 8 of 9 in db in x; 1 in log in x (process 4 \"x\")\n");
}

Test(dump_outliers, calls_that_lead_to_one_place_are_told_by_where_they_part)
{
	begin();
	for (int i = 1; i <= 4; i++)
		process(i, NULL,
			i == 1 ? "main;second;barrier;libc:futex" :
				 "main;first;barrier;libc:futex");
	assert_found("3 of 4 in first in x; 1 in second in x (process 1 \"x\")\n");
}

Test(dump_outliers, threads_that_end_where_others_go_on_differ)
{
	begin();
	for (int i = 1; i <= 4; i++)
		process(i, NULL, i == 2 ? "main;loop" : "main;loop;work");
	assert_found("3 of 4 in work in x; 1 in loop in x (process 2 \"x\")\n");
}

Test(dump_outliers, workers_of_one_name_are_compared_and_others_are_not)
{
	char name[24];

	begin();
	merged_begin_process(&m, NULL);
	thread(1, "x", "sleeping", "main;join");
	thread(2, "gc", "sleeping", "start;collect");
	for (int i = 10; i < 110; i++) {
		snprintf(name, sizeof(name), "worker-%d", i);
		thread(i, name, "sleeping", i == 42 ? "start;parse" : "start;take");
	}
	merged_end_process(&m, 1, "x", "");
	assert_found("\"x\", threads \"worker-*\": 99 of 100 threads in take in x; "
		     "1 in parse in x (thread 42 \"worker-42\")\n");
}

Test(dump_outliers, few_threads_of_a_process_are_no_crowd)
{
	begin();
	merged_begin_process(&m, NULL);
	for (int i = 2; i < 6; i++)
		thread(i, "t", "sleeping", i == 2 ? "start;a" : "start;b");
	merged_end_process(&m, 1, "x", "");
	assert_found("");
}

Test(dump_outliers, what_each_process_has_is_other_work)
{
	begin();
	for (int i = 1; i <= 8; i++) {
		merged_begin_process(&m, NULL);
		thread(i, "x", "sleeping", "main;wait");
		for (int k = 1; k <= 5; k++)
			thread(100 * i + k, "x", "sleeping",
			       k > 1  ? "start;pool;take" :
			       i == 6 ? "start;watch;log" :
					"start;watch;sleep");
		merged_end_process(&m, i, "x", "");
	}
	assert_found("\"x\", threads \"x\": in watch in x: 7 of 8 in sleep in x; "
		     "1 in log in x (thread 601 \"x\" of process 6 \"x\")\n"
		     "8 of 8 in wait in x\n");
}

Test(dump_outliers, main_threads_come_first)
{
	begin();
	for (int i = 1; i <= 5; i++) {
		merged_begin_process(&m, NULL);
		thread(i, "x", "sleeping", i == 2 ? "main;a" : "main;b");
		for (int k = 1; k <= 4; k++)
			thread(100 * i + k, "io", "sleeping",
			       i == 3 && k == 3 ? "start;c" : "start;d");
		merged_end_process(&m, i, "x", "");
	}
	assert_found("4 of 5 in b in x; 1 in a in x (process 2 \"x\")\n"
		     "\"x\", threads \"io\": 19 of 20 threads in d in x; "
		     "1 in c in x (thread 303 \"io\" of process 3 \"x\")\n");
}

Test(dump_outliers, threads_that_run_move_on)
{
	begin();
	for (int i = 1; i <= 8; i++) {
		merged_begin_process(&m, NULL);
		thread(i, "x", "running", i == 1 ? "main;work;a" : "main;work;b");
		merged_end_process(&m, i, "x", "");
	}
	merged_begin_process(&m, NULL);
	thread(9, "x", "sleeping", "main;wait");
	merged_end_process(&m, 9, "x", "");
	assert_found("8 of 9 in work in x; 1 in wait in x (process 9 \"x\")\n");
}

Test(dump_outliers, commands_are_named_where_there_are_several)
{
	begin();
	for (int i = 1; i <= 6; i++) {
		merged_begin_process(&m, NULL);
		thread(i, "m", "sleeping", i == 6 ? "main;b" : "main;a");
		merged_end_process(&m, i, i < 4 ? "one" : "two", "");
	}
	assert_found("\"two\": 2 of 3 in a in x; 1 in b in x (process 6 \"two\")\n"
		     "\"one\": 3 of 3 in a in x\n");
}

Test(dump_outliers, few_in_many_places_are_counted)
{
	char stack[32];

	begin();
	for (int i = 1; i <= 40; i++) {
		snprintf(stack, sizeof(stack), "main;f%d", i);
		process(i, NULL, i <= 6 ? stack : "main;wait");
	}
	assert_found("34 of 40 in wait in x; 1 in f1 in x (process 1 \"x\"), "
		     "1 in f2 in x (process 2 \"x\"), 1 in f3 in x (process 3 \"x\"), "
		     "1 in f4 in x (process 4 \"x\"), 2 elsewhere\n");
}

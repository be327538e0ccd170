/* The threads of this process, and such as have ended before they were listed. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "sampler/thread/taskfiles.h"
#include "sampler/thread/brieftime.h"
#include "sampler/thread/threads.h"

static struct process self;
static struct threads *threads;

static void begin(void)
{
	struct error err;

	cr_assert_eq(process_open(&self, getpid(), &err), 0, "%s", err.text);
	cr_assert_eq(threads_new(&threads, &self, true, &err), 0, "%s", err.text);
}

static void end(void)
{
	threads_free(threads);
	process_close(&self);
}

TestSuite(threads, .init = begin, .fini = end);

Test(threads, brief_ones_share_an_entry_by_name)
{
	size_t count, alive = threads_alive(threads);
	struct thread *one = threads_brief(threads, "one");

	cr_assert_str_eq(one->name, "one");
	cr_assert(one->ended && !one->tid);
	cr_assert_eq(threads_brief(threads, "two")->index, one->index + 1);
	cr_assert_eq(threads_brief(threads, "one")->index, one->index);
	cr_assert_eq(threads_alive(threads), alive);
	threads_get(threads, &count);
	cr_assert_eq(count, alive + 2);
}

Test(threads, brief_ones_of_too_many_names_have_none)
{
	char name[16];
	size_t count;

	for (int i = 0; i < 3 * THREADS_BRIEF; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		cr_assert_str_eq(threads_brief(threads, name)->name, i < THREADS_BRIEF ? name : "");
	}
	cr_assert_str_eq(threads_brief(threads, "n7")->name, "n7");
	threads_get(threads, &count);
	cr_assert_eq(count, threads_alive(threads) + THREADS_BRIEF + 1);
}

static uint64_t listed_ns(void)
{
	uint64_t sum = 0;
	size_t count;
	const struct thread *all = threads_get(threads, &count);

	for (size_t i = 0; i < count; i++)
		sum += all[i].tid ? thread_cpu_here_ns(&all[i]) : 0;
	return sum;
}

/* Two names with 300 and 100 of 400 ms in 100 samples: by chance there may be 30 % more. */
static void expect_settled(uint64_t left_ns, uint64_t one_ns, uint64_t two_ns)
{
	struct thread *one, *two;

	threads_brief(threads, "one");
	two = threads_brief(threads, "two");
	one = threads_brief(threads, "one");
	one->cpu_ns = 300000000;
	one->samples.count = 75;
	two->cpu_ns = 100000000;
	two->samples.count = 25;
	brieftime_settle(threads, listed_ns() + left_ns);
	cr_assert_eq(one->cpu_ns, one_ns, "%lu", one->cpu_ns);
	cr_assert_eq(two->cpu_ns, two_ns, "%lu", two->cpu_ns);
}

Test(threads, brief_ones_have_what_is_left)
{
	expect_settled(440000000, 330000000, 110000000);
}

Test(threads, brief_ones_have_no_more_than_is_left)
{
	expect_settled(200000000, 150000000, 50000000);
}

Test(threads, brief_ones_do_not_have_what_no_sample_explains)
{
	expect_settled(600000000, 300000000, 100000000);
}

static pthread_barrier_t told, listed;

static void *tell_tid(void *tid)
{
	*(pid_t *)tid = gettid();
	pthread_barrier_wait(&told);
	pthread_barrier_wait(&listed);
	return tid;
}

Test(threads, one_that_has_ended_is_found_at_a_time_before)
{
	uint64_t before_ns = monotonic_ns();
	pthread_t thread;
	pid_t tid = 0;

	pthread_barrier_init(&told, NULL, 2);
	pthread_barrier_init(&listed, NULL, 2);
	pthread_create(&thread, NULL, tell_tid, &tid);
	pthread_barrier_wait(&told);
	cr_assert_eq(threads_list(threads, NULL), 0);
	cr_assert_eq(threads_find(threads, tid)->tid, tid);
	pthread_barrier_wait(&listed);
	pthread_join(thread, NULL);
	while (threads_find(threads, tid))
		cr_assert_eq(threads_list(threads, NULL), 0);
	cr_assert_eq(threads_find_at(threads, tid, before_ns)->tid, tid);
	cr_assert_not(threads_find_at(threads, tid, monotonic_ns()));
	cr_assert_not(threads_find_at(threads, 1, before_ns));
}

/* The fields that proc_pid_stat(5) numbers 2, 3, 9, 14, 15, 39 and 40. */
Test(threads, stat_tells_where_a_thread_ran)
{
	char text[] =
		"7 (a ) b) R 4 5 6 7 8 9 10 11 12 13 1234 56 16 17 18 19 20 21 22 23 24 25 26 27 28 "
		"29 30 31 32 33 34 35 36 37 38 3 1 41\n";
	char broken[] = "7 (a";
	struct thread_stat stat;

	cr_assert(thread_stat_parse(text, &stat));
	cr_assert_str_eq(stat.name, "a ) b");
	cr_assert(stat.state == 'R' && stat.flags == 9 && stat.cpu == 3 && stat.realtime);
	cr_assert(stat.user == 1234 && stat.system == 56);
	cr_assert(!thread_stat_parse(broken, &stat));
}

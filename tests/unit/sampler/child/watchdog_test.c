/* The watchdog's judgement, and the watchdog at work on a child of the test that
 * plays sampler. */
#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/child/watch.h"
#include "sampler/child/watchdog.h"

enum { POLLS_A_SECOND = 1000 / WATCH_POLL_MS, HELD = 7, FREE = 8 };

static enum watch_verdict poll_with(struct watch *w, uint64_t word, struct sight s)
{
	return watch_poll(w, word) ? watch_judge(w, &s) : WATCH_ON;
}

/* All threads of sampler are in that state and get no CPU. */
static enum watch_verdict poll_once(struct watch *w, uint64_t word, char state)
{
	return poll_with(w, word, (struct sight){ .tracer = state, .sampler = state });
}

Test(watch, without_a_held_thread_nothing_is_done)
{
	struct watch w = { 0 };

	for (int i = 0; i < 1000; i++)
		cr_assert_not(watch_poll(&w, i % 2 ? FREE : 0));
}

Test(watch, a_tracer_that_gets_on_is_left_alone)
{
	struct watch w = { 0 };

	for (uint64_t word = 1; word < 3000; word += 2)
		cr_assert_eq(poll_once(&w, word, 'R'), WATCH_ON);
}

Test(watch, a_wait_in_the_kernel_is_left_alone)
{
	struct watch w = { 0 };

	for (int i = 0; i < POLLS_A_SECOND; i++)
		cr_assert_eq(poll_once(&w, HELD, i % 2 ? 'S' : 'D'), WATCH_ON);
}

Test(watch, quiet_is_when_none_was_held_for_a_while)
{
	struct watch w = { 0 };
	int polls = WATCH_QUIET_MAX / WATCH_POLL_MS;

	for (int i = 0; i < polls; i++)
		watch_poll(&w, 0);
	cr_assert_eq(w.quiet_ms, polls * WATCH_POLL_MS);
	watch_poll(&w, HELD);
	cr_assert_eq(w.quiet_ms, 0);
	watch_poll(&w, FREE);
	cr_assert_eq(w.quiet_ms, 0, "it was held since the last poll");
	watch_poll(&w, FREE + 2);
	cr_assert_eq(w.quiet_ms, 0, "here, too, between two polls");
	watch_poll(&w, FREE + 2);
	cr_assert_eq(w.quiet_ms, WATCH_POLL_MS);
}

Test(watch, continues_at_once_and_kills_when_that_does_not_help)
{
	struct watch w = { 0 };

	for (int i = 0; i < POLLS_A_SECOND; i++)
		cr_assert_eq(poll_once(&w, HELD, 'T'), WATCH_CONTINUE);
	cr_assert_eq(poll_once(&w, HELD, 'T'), WATCH_KILL);
}

Test(watch, the_main_thread_s_stop_counts_when_the_word_stands)
{
	struct watch w = { 0 };
	struct sight s = { .tracer = 'S', .sampler = 'T' };

	cr_assert_eq(poll_with(&w, HELD, s), WATCH_ON, "the tracer may still let go");
	cr_assert_eq(poll_with(&w, HELD, s), WATCH_CONTINUE);
}

Test(watch, a_debugger_is_given_time)
{
	struct watch w = { 0 };

	for (int i = 0; i < WATCH_TRACED_MAX / WATCH_POLL_MS; i++)
		cr_assert_eq(poll_once(&w, HELD, 't'), WATCH_ON);
	for (int i = WATCH_TRACED_MAX / WATCH_POLL_MS; i < POLLS_A_SECOND; i++)
		cr_assert_eq(poll_once(&w, HELD, 't'), WATCH_CONTINUE);
	cr_assert_eq(poll_once(&w, HELD, 't'), WATCH_KILL);
}

Test(watch, a_debugger_that_lets_us_get_on_is_no_stop)
{
	struct watch w = { 0 };

	for (uint64_t word = 1; word < 3000; word += 2)
		for (int i = 0; i < 5; i++)
			cr_assert_eq(poll_once(&w, word, 't'), WATCH_ON);
}

Test(watch, a_long_hold_before_the_stop_does_not_count)
{
	struct watch w = { 0 };

	for (int i = 0; i < 9 * POLLS_A_SECOND; i++)
		cr_assert_eq(poll_once(&w, HELD, 'S'), WATCH_ON);
	cr_assert_eq(poll_once(&w, HELD, 'T'), WATCH_CONTINUE);
	for (int i = 0; i < POLLS_A_SECOND; i++)
		cr_assert_eq(poll_once(&w, HELD + 2, 'T'), WATCH_CONTINUE, "it has got on");
}

Test(watch, kills_the_hung)
{
	struct watch w = { 0 };
	int polls = 0;

	while (poll_once(&w, HELD, 'D') == WATCH_ON)
		polls++;
	cr_assert_eq(polls, WATCH_HUNG_MAX / WATCH_POLL_MS + 1);
}

static enum watch_verdict poll_runnable(struct watch *w, bool realtime, uint64_t cpu_ns,
					uint64_t slices)
{
	return poll_with(w, HELD,
			 (struct sight){ .tracer = 'R',
					 .sampler = 'S',
					 .realtime = realtime,
					 .cpu_ns = cpu_ns,
					 .slices = slices });
}

Test(watch, an_ordinary_thread_without_a_cpu_becomes_a_real_time_one)
{
	struct watch w = { 0 };

	cr_assert_eq(poll_runnable(&w, false, 1000000000, 1), WATCH_ON);
	cr_assert_eq(watch_period_ms(&w), WATCH_POLL_MS);
	cr_assert_eq(poll_runnable(&w, false, 1000000000, 1), WATCH_REALTIME);
	cr_assert_eq(watch_period_ms(&w), WATCH_AGAIN_MS);
}

Test(watch, a_real_time_thread_without_a_cpu_becomes_an_ordinary_one_and_so_on)
{
	struct watch w = { 0 };

	cr_assert_eq(poll_runnable(&w, true, 5, 1), WATCH_ON);
	cr_assert_eq(poll_runnable(&w, true, 5, 1), WATCH_ORDINARY);
	cr_assert_eq(poll_runnable(&w, false, 5, 1), WATCH_REALTIME);
	cr_assert_eq(poll_runnable(&w, true, 5, 1), WATCH_ORDINARY);
	cr_assert_leq(w.stands_ms, 10, "all that within the bound");
}

Test(watch, a_holder_with_a_cpu_does_not_starve)
{
	struct watch w = { 0 };

	for (uint64_t cpu_ms = 0; cpu_ms < 1000; cpu_ms += WATCH_POLL_MS)
		cr_assert_eq(poll_runnable(&w, false, cpu_ms * 1000000, 1), WATCH_ON);
}

/* /proc shows the CPU time up to the kernel's last tick, perhaps none yet. */
Test(watch, a_holder_with_a_cpu_after_the_change_keeps_its_class)
{
	struct watch w = { 0 };

	poll_runnable(&w, false, 5, 1);
	cr_assert_eq(poll_runnable(&w, false, 5, 1), WATCH_REALTIME);
	cr_assert_eq(poll_runnable(&w, true, 5, 2), WATCH_ON);
	cr_assert_eq(watch_period_ms(&w), WATCH_POLL_MS);
	cr_assert_eq(poll_runnable(&w, true, 4000005, 2), WATCH_ON);
	cr_assert_eq(poll_runnable(&w, true, 4000005, 2), WATCH_ORDINARY, "it has lost it again");
}

Test(watch, a_continued_holder_without_cpu_is_helped)
{
	struct watch w = { 0 };

	cr_assert_eq(poll_once(&w, HELD, 'T'), WATCH_CONTINUE);
	cr_assert_eq(poll_once(&w, HELD, 'R'), WATCH_REALTIME);
}

Test(watch, a_holder_that_must_stop_without_cpu_is_helped)
{
	struct watch w = { 0 };
	struct sight s = { .tracer = 'R', .sampler = 'T' };

	poll_with(&w, HELD, s);
	cr_assert_eq(poll_with(&w, HELD, s), WATCH_CONTINUE | WATCH_REALTIME);
}

Test(watch, without_a_permission_to_help_it_is_killed_when_it_hangs_no_sooner)
{
	struct watch w = { 0 };
	unsigned passed = 0;

	while (poll_runnable(&w, false, 5, 1) != WATCH_KILL)
		passed += watch_period_ms(&w);
	cr_assert_geq(passed, WATCH_HUNG_MAX);
}

/* Shared with the child that plays sampler. */
struct shared {
	atomic_int hold, was_continued, watchdog, boosted;
	atomic_uint rescues;
	atomic_bool spin; /* it is always runnable */
	atomic_int deaf;  /* 1: it is to block SIGCONT; 2: it does so, until this is 0 */
};

static struct shared *shared;

static void make_shared(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void obey(struct watchdog *w)
{
	watchdog_none_held(w, 0);
	shared->hold = 0;
	shared->rescues = watchdog_rescues(w);
	shared->was_continued++;
	watchdog_obey(w);
}

static void be_deaf(struct watchdog *w)
{
	sigset_t cont;

	sigemptyset(&cont);
	sigaddset(&cont, SIGCONT);
	sigprocmask(SIG_BLOCK, &cont, NULL);
	shared->deaf = 2;
	while (shared->deaf) {
		shared->rescues = watchdog_rescues(w);
		usleep(1000);
	}
	sigprocmask(SIG_UNBLOCK, &cont, NULL);
}

static void play_sampler(void)
{
	struct watchdog *w;
	int held = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (watchdog_start(&w, NULL))
		_exit(1);
	watchdog_tracer(w, 0, getpid());
	shared->watchdog = watchdog_pid(w);
	for (;;) {
		if (held != shared->hold && shared->hold)
			watchdog_held(w, 0);
		held = shared->hold;
		if (shared->deaf)
			be_deaf(w);
		if (watchdog_wants_stop(w))
			obey(w);
		shared->boosted += watchdog_has_boosted(w, 0);
		if (!shared->spin)
			usleep(1000);
	}
}

/* A watchdog takes its name when it has its priority. */
static void wait_until_realtime(pid_t pid)
{
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	for (int i = 0; i < 3000 && strcmp(name, "spl-watchdog\n") != 0; i++) {
		FILE *f = fopen(path, "r");

		if (f && !fgets(name, sizeof(name), f))
			name[0] = '\0';
		if (f)
			fclose(f);
		usleep(10000);
	}
	cr_assert_str_eq(name, "spl-watchdog\n");
}

static pid_t start_sampler(bool held)
{
	pid_t pid;

	make_shared();
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that we can wait for the watchdog's end */
	shared->hold = held;
	pid = fork();
	if (!pid)
		play_sampler();
	while (!shared->watchdog)
		usleep(1000);
	wait_until_realtime(shared->watchdog);
	return pid;
}

static char state_of(pid_t pid)
{
	char path[64], text[512] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && !fread(text, 1, sizeof(text) - 1, f))
		text[0] = '\0';
	if (f)
		fclose(f);
	return strrchr(text, ')') ? strrchr(text, ')')[2] : '?';
}

static void end_sampler(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_assert_eq(waitpid(shared->watchdog, NULL, 0), shared->watchdog);
}

Test(watchdog, leaves_a_stop_alone_when_no_thread_is_held)
{
	pid_t pid = start_sampler(false);

	kill(pid, SIGSTOP);
	for (int i = 0; i < 3000 && state_of(pid) != 'T'; i++)
		usleep(10000);
	usleep(500000);
	cr_assert_eq(state_of(pid), 'T');
	cr_assert_eq(shared->was_continued, 0);
	end_sampler(pid);
}

Test(watchdog, continues_a_holder_which_obeys)
{
	pid_t pid = start_sampler(true);

	kill(pid, SIGSTOP);
	for (int i = 0; i < 3000 && !shared->was_continued; i++)
		usleep(10000);
	cr_assert_eq(shared->was_continued, 1);
	usleep(300000);
	cr_assert_eq(state_of(pid), 'T', "it has stopped itself again");
	kill(pid, SIGCONT);
	usleep(100000);
	cr_assert_neq(state_of(pid), 'T', "its owner's word counts");
	cr_assert_eq(shared->was_continued, 1);
	end_sampler(pid);
}

Test(watchdog, its_signal_does_not_hide_the_owner_s)
{
	pid_t pid = start_sampler(true);

	shared->deaf = 1;
	while (shared->deaf != 2)
		usleep(1000);
	kill(pid, SIGSTOP);
	for (int i = 0; i < 3000 && !shared->rescues; i++)
		usleep(10000);
	kill(pid, SIGCONT);
	shared->deaf = 0;
	usleep(300000);
	cr_assert_neq(state_of(pid), 'T', "its owner's word counts");
	cr_assert_eq(shared->was_continued, 0);
	end_sampler(pid);
}

/* How often the process was given a CPU. */
static unsigned long slices_of(pid_t pid)
{
	unsigned long slices = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*u %*u %lu", &slices) != 1)
		slices = 0;
	if (f)
		fclose(f);
	return slices;
}

static unsigned long slices_in_half_a_second(pid_t pid)
{
	unsigned long before = slices_of(pid);

	usleep(500000);
	return slices_of(pid) - before;
}

/* True when the watchdog has not run for half a second. Before that it may have to wait long for a
 * CPU. */
static bool is_asleep(pid_t watchdog)
{
	for (int i = 0; i < 20; i++)
		if (!slices_in_half_a_second(watchdog))
			return true;
	return false;
}

Test(watchdog, sleeps_while_none_is_held_and_wakes_at_the_next_hold)
{
	pid_t pid = start_sampler(false);

	if (!slices_of(shared->watchdog))
		cr_skip_test("this kernel does not count");
	for (int i = 0; i < 3; i++) {
		cr_assert(is_asleep(shared->watchdog));
		shared->hold = 1;
		for (int n = 0; n < 100 && slices_in_half_a_second(shared->watchdog) < 50; n++)
			;
		kill(pid, SIGSTOP);
		for (int n = 0; n < 1000 && shared->was_continued <= i; n++)
			usleep(10000);
		cr_assert_eq(shared->was_continued, i + 1);
		cr_assert_geq(shared->rescues, (unsigned)i + 1);
		while (state_of(pid) != 'T')
			usleep(1000);
		kill(pid, SIGCONT);
	}
	end_sampler(pid);
}

static bool may_be_realtime(void)
{
	struct sched_param fifo = { .sched_priority = 1 }, other = { 0 };
	bool may = !sched_setscheduler(0, SCHED_FIFO, &fifo);

	sched_setscheduler(0, SCHED_OTHER, &other);
	return may;
}

static void pin(pid_t pid)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(pid, sizeof(set), &set);
}

/* A child that has its CPU to itself for 300 ms, unless the machine stands still meanwhile. */
static pid_t hog_the_cpu(void)
{
	struct sched_param fifo = { .sched_priority = 1 };
	struct timespec begun, now;
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sched_setscheduler(0, SCHED_FIFO, &fifo);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < 300);
	_exit(0);
}

/* The hog runs on the only CPU that the process that holds may use. */
Test(watchdog, gives_a_cpu_to_a_holder_without_one)
{
	pid_t pid;

	if (!may_be_realtime())
		cr_skip_test("needs real-time priority");
	pid = start_sampler(true);
	shared->spin = true;
	pin(pid);
	pin(0);
	for (int i = 0; i < 3 && !shared->boosted; i++) {
		waitpid(hog_the_cpu(), NULL, 0);
		usleep(20000);
	}
	cr_assert_geq(shared->boosted, 1);
	cr_assert_eq(shared->was_continued, 0);
	end_sampler(pid);
}

Test(watchdog, ends_when_told_and_leaves_no_child)
{
	struct watchdog *w;

	cr_assert_eq(watchdog_start(&w, NULL), 0);
	watchdog_held(w, 0);
	watchdog_none_held(w, 0);
	cr_assert_not(watchdog_wants_stop(w));
	watchdog_stop(w);
	cr_assert_eq(waitpid(-1, NULL, __WALL), -1);
	watchdog_tracer(NULL, 0, 1);
	watchdog_held(NULL, 0);
	watchdog_none_held(NULL, 0);
	watchdog_stop(NULL);
	cr_assert_eq(watchdog_rescues(NULL), 0);
	cr_assert_not(watchdog_has_boosted(NULL, 0));
}

/* The watchdog's judgement, and the watchdog at work on a child of the test that
 * plays sampler. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/watchdog.h"

static enum watch_verdict poll_once(struct watch *w, uint64_t held, char state)
{
	return watch_poll(w, held) ? watch_judge(w, state) : WATCH_ON;
}

Test(watch, nobody_held_is_nobodys_business)
{
	struct watch w = { 0 };

	for (int i = 0; i < 1000; i++)
		cr_assert_not(watch_poll(&w, 0));
}

Test(watch, a_tracer_that_gets_on_is_left_alone)
{
	struct watch w = { 0 };

	for (uint64_t i = 1; i < 1000; i++)
		cr_assert_not(watch_poll(&w, i));
}

Test(watch, continues_at_the_second_poll_and_kills_when_that_does_not_help)
{
	struct watch w = { 0 };

	cr_assert_eq(poll_once(&w, 7, 'T'), WATCH_ON);
	for (int i = 0; i < WATCH_STOPPED_MAX; i++)
		cr_assert_eq(poll_once(&w, 7, i % 2 ? 't' : 'T'), WATCH_CONTINUE);
	cr_assert_eq(poll_once(&w, 7, 'T'), WATCH_KILL);
}

Test(watch, a_long_tick_before_the_stop_does_not_count)
{
	struct watch w = { 0 };

	for (int i = 0; i < WATCH_HUNG_MAX - WATCH_STOPPED_MAX; i++)
		cr_assert_eq(poll_once(&w, 7, 'R'), WATCH_ON);
	cr_assert_eq(poll_once(&w, 7, 'T'), WATCH_CONTINUE);
	cr_assert_eq(poll_once(&w, 8, 'T'), WATCH_ON, "it has got on");
	cr_assert_eq(poll_once(&w, 8, 'T'), WATCH_CONTINUE);
}

Test(watch, kills_the_hung)
{
	struct watch w = { 0 };
	int polls = 0;

	while (poll_once(&w, 7, 'D') == WATCH_ON)
		polls++;
	cr_assert_eq(polls, WATCH_HUNG_MAX + 1);
}

/* Shared with the child that plays sampler. */
struct shared {
	atomic_int held, was_continued, watchdog;
};

static struct shared *shared;

static void make_shared(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void play_sampler(void)
{
	struct watchdog *w;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (watchdog_start(&w, NULL))
		_exit(1);
	if (shared->held)
		watchdog_held(w);
	shared->watchdog = watchdog_pid(w);
	for (;;) {
		if (watchdog_wants_stop(w)) {
			watchdog_free(w);
			shared->was_continued++;
			watchdog_obey(w);
		}
		usleep(1000);
	}
}

static pid_t start_sampler(bool held)
{
	pid_t pid;

	make_shared();
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* the watchdog's end is for us to see */
	shared->held = held;
	pid = fork();
	if (!pid)
		play_sampler();
	while (!shared->watchdog)
		usleep(1000);
	usleep(20000);
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

Test(watchdog, lets_a_stop_be_when_nobody_is_held)
{
	pid_t pid = start_sampler(false);

	kill(pid, SIGSTOP);
	usleep(500000);
	cr_assert_eq(state_of(pid), 'T');
	cr_assert_eq(shared->was_continued, 0);
	end_sampler(pid);
}

Test(watchdog, continues_who_holds_and_is_obeyed)
{
	pid_t pid = start_sampler(true);

	kill(pid, SIGSTOP);
	for (int i = 0; i < 100 && !shared->was_continued; i++)
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

Test(watchdog, ends_when_told_and_leaves_no_child)
{
	struct watchdog *w;

	cr_assert_eq(watchdog_start(&w, NULL), 0);
	watchdog_held(w);
	watchdog_free(w);
	cr_assert_not(watchdog_wants_stop(w));
	watchdog_stop(w);
	cr_assert_eq(waitpid(-1, NULL, __WALL), -1);
	watchdog_held(NULL);
	watchdog_free(NULL);
	watchdog_stop(NULL);
}

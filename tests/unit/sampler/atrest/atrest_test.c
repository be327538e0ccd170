/* Threads at rest, beside what ptrace(2) shows of them. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/atrest/atrest.h"
#include "sampler/thread/registers.h"

static struct atrest rest;

static void must_be_open(void)
{
	struct error why;

	if (atrest_open(&rest, 2, &why))
		cr_skip_test("%s", why.text);
}

/* A process that waits for a signal. */
static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	for (struct atrest_thread t = { .state = 'R' };
	     t.state != 'S' || t.regs.user.orig_rax != SYS_pause;)
		cr_assert(atrest_read(&rest, 1, pid, &t));
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(atrest, registers_are_those_of_a_stop)
{
	struct user_regs_struct stopped;
	struct atrest_thread t;
	pid_t pid;

	must_be_open();
	pid = sleeper();
	cr_assert(atrest_read(&rest, 1, pid, &t));
	cr_assert_eq(ptrace(PTRACE_ATTACH, pid, 0, 0), 0);
	waitpid(pid, NULL, __WALL);
	cr_assert_eq(ptrace(PTRACE_GETREGS, pid, 0, &stopped), 0);
	stopped.rax = t.regs.user.rax; /* the result of the call that the stop has cut short */
	cr_assert_eq(memcmp(&t.regs.user, &stopped, REGISTERS_AT_REST), 0);
	cr_assert_eq(registers_tp(&t.regs), stopped.fs_base);
	end(pid);
	atrest_close(&rest);
}

Test(atrest, counters_are_those_of_schedstat)
{
	struct atrest_thread t, again;
	struct schedstat now;
	char path[64], text[96];
	FILE *file;
	pid_t pid;

	must_be_open();
	pid = sleeper();
	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	cr_assert(file = fopen(path, "re"));
	cr_assert(atrest_read(&rest, 1, pid, &t));
	cr_assert(fgets(text, sizeof(text), file));
	cr_assert(schedstat_parse(text, strlen(text), &now));
	cr_assert_eq(t.counters.cpu_ns, now.cpu_ns);
	cr_assert_eq(t.counters.wait_ns, now.wait_ns);
	cr_assert_eq(t.counters.slices, now.slices);
	kill(pid, SIGSTOP);
	kill(pid, SIGCONT); /* it waits again */
	for (again = t; again.counters.slices == t.counters.slices;)
		cr_assert(atrest_read(&rest, 1, pid, &again));
	fclose(file);
	end(pid);
	cr_assert_not(atrest_read(&rest, 1, pid, &t));
	atrest_close(&rest);
}

Test(atrest, one_that_sleeps_was_not_displaced)
{
	pid_t tids[ATREST_MOST];
	struct atrest_thread t;
	int found = -1;
	pid_t pid;

	must_be_open();
	pid = sleeper();
	usleep(1000); /* it may have left its CPU to us, which is the same moment */
	for (size_t i = 0; i < ATREST_MOST; i++)
		tids[i] = pid;
	cr_assert_eq(atrest_find_displaced(&rest, 0, tids, ATREST_MOST, &t), -1);
	tids[ATREST_MOST - 1] = (pid_t)syscall(SYS_gettid); /* ours is not before us */
	/* The scheduler's tick writes a new time there, perhaps just then. */
	for (int i = 0; i < 1000 && found != ATREST_MOST - 1; i++)
		found = atrest_find_displaced(&rest, 0, tids, ATREST_MOST, &t);
	cr_assert_eq(found, ATREST_MOST - 1);
	end(pid);
	atrest_close(&rest);
}

Test(atrest, what_is_zero_is_not_open)
{
	struct atrest none = { 0 };

	cr_assert_not(atrest_is_open(&none));
	atrest_close(&none);
	cr_assert_geq(fcntl(0, F_GETFD), 0);
}

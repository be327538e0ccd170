/*
 * Ticks must come on time. A thread of ordinary priority gets a busy CPU when another thread leaves
 * it, and then the other thread is not running: on an overloaded machine we would look when there
 * is little to see. (With 11 runnable threads on two cores, redis was caught 175 times of the 199
 * expected; an ordinary thread caught it 15 to 116 times.)
 *
 * So only the tickers (sampler/capture/ticker.c) have real-time priority; they sleep except for the
 * microseconds of a search and of a copy. Work that takes milliseconds (walks, when they meet a
 * large library) is done by the round's thread, an ordinary one with a slice of 0.1 ms where the
 * kernel takes one (EEVDF, Linux 6.12: the shorter the slice, the sooner it is its turn).
 *
 * The round's thread has the nice value with which the user started us. Among the threads of one
 * session (autogroup) one of -20 weighs as much as 87 of value 0, and a group's weight is divided
 * among the CPUs by the weight of its threads there (calc_group_shares in kernel/sched/fair.c):
 * while our thread is busy on one CPU, a target of our session hardly gets another one that threads
 * of other sessions use, too. Only where the thread starves is it made prompt for some seconds
 * (sampler/starving.h).
 *
 * The main thread of a recording or a dump is prompt. It uses some 20 ms, begins and ends all, and
 * looks whether the round's thread starves: among a thousand threads of its session each ms of it
 * would take a second. Where it reads and merges profiles itself (between rounds, without a
 * sandbox), it is ordinary.
 *
 * The process that decodes is heavy, and the user waits for it. Its nice value counts in its own
 * session only, so it has one of its own, and that has the nice value (/proc/PID/autogroup).
 *
 * Rejected: a session of its own for all of sampler, with a process that stays in the user's
 * session and hands on the terminal's signals. The user's command would have another parent, `top`
 * another terminal, and figures do not show a need (docs/transparency.md, "In the target's own
 * session"). Changing the nice value of the user's session: it is not ours.
 *
 * Rejected: real-time priority for whole ticks. With a thousand threads a tick lasts for
 * milliseconds, in which the target's threads do not get that CPU; and a thread that takes 95 % of
 * a second is throttled (sched_rt_runtime_us), while the threads that it holds stay stopped.
 */
#include "sampler/child/priority.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { PROMPT_NICE = -20, PROMPT_SLICE_NS = 100000, HURRY_NS = 500000000 };

/* sched_setattr(2), first version of its structure; glibc has it since 2.41 only. */
struct priority_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static bool set_attributes_of(pid_t thread, uint32_t policy, int nice, uint32_t priority,
			      uint64_t slice)
{
	struct priority_attributes a = { .size = sizeof(a),
					 .policy = policy,
					 .nice = nice,
					 .priority = priority,
					 .runtime = slice };

	return !syscall(SYS_sched_setattr, thread, &a, 0);
}

static int first_nice;

static void read_nice(void)
{
	first_nice = getpriority(PRIO_PROCESS, (id_t)getpid());
}

/* As the user started us. Two threads may be the first to ask. */
static int own_nice(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_nice);
	return first_nice;
}

void set_priority_of(pid_t thread, enum priority priority)
{
	int nice = own_nice();

	if (priority == PRIORITY_ORDINARY ||
	    !set_attributes_of(thread, SCHED_OTHER, PROMPT_NICE, 0, PROMPT_SLICE_NS))
		set_attributes_of(thread, SCHED_OTHER, nice, 0, PROMPT_SLICE_NS);
}

void set_priority(enum priority priority)
{
	static _Thread_local enum priority now = PRIORITY_ORDINARY;

	if (priority == now)
		return;
	now = priority;
	if (priority == PRIORITY_HOLDING)
		set_attributes_of(0, SCHED_FIFO, 0, 1, 0);
	else
		set_priority_of(0, priority);
}

void set_holding_priority(pid_t thread, int level)
{
	struct sched_param param = { .sched_priority = level };

	sched_setscheduler(thread, level ? SCHED_FIFO : SCHED_OTHER, &param);
}

bool has_realtime_class(pid_t thread)
{
	int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR;
}

void calm(pid_t process)
{
	set_attributes_of(process, SCHED_OTHER, own_nice(), 0, 0);
}

/* Best effort: the kernel may have no autogroups. */
static void set_session_nice(pid_t process, int nice)
{
	char path[48];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/autogroup", process);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	dprintf(fd, "%d", nice);
	close(fd);
}

void take_own_session(void)
{
	if (setsid() >= 0)
		set_session_nice(getpid(), PROMPT_NICE);
}

void calm_session(pid_t process)
{
	calm(process);
	if (getsid(process) == process)
		set_session_nice(process, own_nice());
}

bool has_hurried(pid_t process)
{
	clockid_t clock;

	return !clock_getcpuclockid(process, &clock) && clock_ns(clock) > HURRY_NS;
}

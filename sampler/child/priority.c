/*
 * Ticks must come on time. A thread of ordinary priority gets a busy CPU when another thread leaves
 * it, and then the other thread is not running: on an overloaded machine we would look when there
 * is little to see. (With 11 runnable threads on two cores, redis was caught 175 times of the 199
 * expected; an ordinary thread caught it 15 to 116 times.)
 *
 * So the thread that waits for the next tick and looks is an ordinary one of the lowest nice value,
 * with a slice of 0.1 ms where the kernel takes one (EEVDF, Linux 6.12: the shorter the slice, the
 * sooner it is its turn). It shares the CPU by the scheduler's rules. Only the tracing thread
 * (sampler/tick/tracing.c) has real-time priority in a tick; it sleeps except for the microseconds
 * in which a requested thread may be stopped. Work that takes milliseconds (walks, when they meet a
 * large library) is done by an ordinary thread.
 *
 * Rejected: real-time priority for whole ticks. With a thousand threads a tick lasts for
 * milliseconds, in which the target's threads do not get that CPU; and a thread that takes 95 % of
 * a second is throttled (sched_rt_runtime_us), while the threads that it holds stay stopped.
 */
#include "sampler/child/priority.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { PROMPT_NICE = -20, PROMPT_SLICE_NS = 100000, HURRY_NS = 500000000 };

/* sched_setattr(2), first version of its structure; glibc has it since 2.41 only. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static bool set_attributes_of(pid_t thread, uint32_t policy, int nice, uint32_t priority,
			      uint64_t slice)
{
	struct attributes a = { .size = sizeof(a),
				.policy = policy,
				.nice = nice,
				.priority = priority,
				.runtime = slice };

	return !syscall(SYS_sched_setattr, thread, &a, 0);
}

static bool set_attributes(uint32_t policy, int nice, uint32_t priority, uint64_t slice)
{
	return set_attributes_of(0, policy, nice, priority, slice);
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

void set_priority(enum priority priority)
{
	static _Thread_local enum priority now = PRIORITY_ORDINARY;
	int nice = own_nice();

	if (priority == now)
		return;
	now = priority;
	if (priority == PRIORITY_HOLDING)
		set_attributes(SCHED_FIFO, 0, 1, 0);
	else if (priority == PRIORITY_ORDINARY ||
		 !set_attributes(SCHED_OTHER, PROMPT_NICE, 0, PROMPT_SLICE_NS))
		set_attributes(SCHED_OTHER, nice, 0, PROMPT_SLICE_NS);
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

bool has_hurried(pid_t process)
{
	clockid_t clock;

	return !clock_getcpuclockid(process, &clock) && clock_ns(clock) > HURRY_NS;
}

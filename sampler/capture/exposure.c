/*
 * A child may end while the thread that made it is stopped. That cannot be ruled out: a stop lasts
 * some 20 microseconds, and on a busy machine the stop itself gives the child the CPU on which it
 * ends. So the number of stops is bounded.
 *
 * Not covered here: ignored signals that kill(2), a terminal or a timer sends to the process while
 * its leader is stopped. Nothing announces them (docs/transparency.md says how often they do harm).
 */
#include "sampler/capture/exposure.h"

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "sampler/member/member.h"
#include "sampler/thread/dispositions.h"
#include "sampler/thread/threads.h"

enum { ASK_AGAIN_NS = 500000000, LOOK_AGAIN_NS = 1000000000, LOOK_COST_FACTOR = 500 };

/* Calls that the kernel makes again or continues when it finds no signal to deliver: those that
 * return ERESTARTSYS, ERESTARTNOHAND or ERESTART_RESTARTBLOCK. */
static bool is_made_again(long number)
{
	switch (number) {
	case SYS_futex:
	case SYS_restart_syscall:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_ppoll:
	case SYS_pselect6:
	case SYS_rt_sigsuspend:
#ifdef SYS_poll /* not on newer architectures */
	case SYS_poll:
	case SYS_select:
	case SYS_pause:
#endif
		return true;
	default:
		return false;
	}
}

/* True if a thread of the process waits in a call that an ignored signal may end. */
static bool has_delicate_waits(const struct member *m)
{
	size_t count;
	struct thread *threads = threads_get(m->threads, &count);
	struct call call;

	for (size_t i = 0; i < count; i++)
		if (!threads[i].ended && threads[i].state == 'S' &&
		    thread_read_call(m->threads, &threads[i], &call) && !is_made_again(call.number))
			return true;
	return false;
}

/* Updates m->delicate once a second, or more rarely where there are many threads. A process that
 * once waited so is taken to do it again: when signals wake the thread all the time, a look seldom
 * meets it waiting. */
void exposure_look(struct member *m)
{
	uint64_t now = monotonic_ns(), cpu, cost;

	if (now < m->exposure_due_ns || threads_alive(m->threads) < 2)
		return;
	cpu = thread_cpu_ns();
	m->delicate = thread_leaves_to_default(m->process.pid, SIGCHLD);
	if (m->delicate && !m->waits_delicately)
		m->delicate = m->waits_delicately = has_delicate_waits(m);
	cost = (thread_cpu_ns() - cpu) * LOOK_COST_FACTOR;
	m->exposure_due_ns = now + (cost > LOOK_AGAIN_NS ? cost : LOOK_AGAIN_NS);
}

static bool has_children(const struct member *m, pid_t tid)
{
	struct buffer text = { 0 };
	char name[48];
	bool has;

	snprintf(name, sizeof(name), "task/%d/children", tid);
	has = !process_read(&m->process, name, &text, NULL) && text.len;
	buffer_release(&text);
	return has;
}

bool is_exposed(const struct member *m, const struct thread *thread, uint64_t now)
{
	return m->delicate && now - thread->stops.asked_ns < ASK_AGAIN_NS &&
	       has_children(m, thread->tid);
}

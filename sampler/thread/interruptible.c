/*
 * A stop makes a blocked call return. The kernel makes most calls again by itself, with what is
 * left of their time; some fail with EINTR, and these we make again (sampler/stop/tracee.c,
 * sampler/thread/calls.c). The calls listed here are known to come through a stop unchanged. Beside
 * each is the kernel's function that was read. Such a call has done nothing when it is interrupted,
 * and nothing else can have relied on the thread's being in it. A relative timeout begins anew with
 * the call, so such a wait must have only just begun.
 *
 * Calls that are not listed are left alone. A call that has done a part of its work returns that
 * part. Where the other end relies on a waiting call, the call is missing for a moment. What a
 * driver or a FUSE file system does on an interruption is not known. docs/calls.md has the reasons,
 * call by call.
 *
 * Nothing is written back to the target. The arguments show what kind of call it is; /proc and a
 * copy of its descriptor show what it waits for.
 *
 * Rejected: a list of what must not be interrupted. It can never be complete, and each gap
 * is a program that fails.
 */
#include "sampler/thread/interruptible.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "sampler/thread/calls.h"
#include "sampler/thread/threads.h"

/* From linux/io_uring.h, which lacks the newer ones on old systems. */
enum {
	ENTER_GETEVENTS = 1 << 0,
	ENTER_EXT_ARG = 1 << 3,
	ENTER_REGISTERED_RING = 1 << 4,
	ENTER_ABS_TIMER = 1 << 5,
	ENTER_KNOWN = ENTER_GETEVENTS | ENTER_EXT_ARG | ENTER_REGISTERED_RING | ENTER_ABS_TIMER,
};

static enum wait_kind timed_if(bool timed)
{
	return timed ? WAIT_BEGINS_ANEW : WAIT_BEARS;
}

static enum wait_kind interruptible_bears_if(bool known)
{
	return known ? WAIT_BEARS : WAIT_LEFT_ALONE;
}

/* With a low-water mark, or MSG_WAITALL, a part may have been copied already. */
static enum wait_kind receiving(const struct call *call, const struct process *process,
				uint64_t flags)
{
	struct socket_waits socket;

	if (flags & MSG_WAITALL || !socket_ask(process, call->args[0], &socket) ||
	    !socket.receives_at_once)
		return WAIT_LEFT_ALONE;
	return timed_if(socket.receives_timed);
}

/* A thread that waits for one message, or for the first of several, has received none yet. */
static enum wait_kind receiving_several(const struct call *call, const struct process *process)
{
	uint64_t flags = call->args[3];
	enum wait_kind kind;

	if (call->args[2] > 1 && !(flags & MSG_WAITFORONE))
		return WAIT_LEFT_ALONE;
	kind = receiving(call, process, flags);
	return kind == WAIT_BEARS ? timed_if(call->args[4]) : kind;
}

static enum wait_kind reading(const struct call *call, const struct process *process)
{
	switch (descriptor_kind(process, call->args[0])) {
	case DESCRIPTOR_PIPE:
	case DESCRIPTOR_EVENTS:
		return WAIT_BEARS;
	case DESCRIPTOR_SOCKET:
		return receiving(call, process, 0);
	default:
		return WAIT_LEFT_ALONE;
	}
}

static enum wait_kind polling_events(const struct call *call, const struct process *process,
				     bool timed)
{
	if (descriptor_kind(process, call->args[0]) != DESCRIPTOR_EPOLL)
		return WAIT_LEFT_ALONE; /* it was closed meanwhile */
	return timed_if(timed);
}

/* FUTEX_WAIT_REQUEUE_PI returns EAGAIN once it has been requeued. */
static bool futex_waits_again(const struct call *call)
{
	switch ((int)call->args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case 13: /* FUTEX_LOCK_PI2 */
		return true;
	default:
		return false;
	}
}

/* Where the caller asks for the time that is left, the kernel writes it at the interruption
 * (do_nanosleep), and that value stays there when the sleep has gone on to its end. */
static enum wait_kind sleeping(const struct call *call)
{
	const uint64_t *a = call->args;
	bool known = a[0] == CLOCK_REALTIME || a[0] == CLOCK_MONOTONIC || a[0] == CLOCK_BOOTTIME ||
		     a[0] == CLOCK_TAI;

	return interruptible_bears_if(known && (a[1] & TIMER_ABSTIME || !a[3]));
}

/* The result counts what was submitted; of two awaited completions one may have come. */
static enum wait_kind awaiting_ring(const struct call *call)
{
	const uint64_t *a = call->args;

	if ((uint32_t)a[1] || (uint32_t)a[2] > 1 || (uint32_t)a[3] & ~(uint32_t)ENTER_KNOWN)
		return WAIT_LEFT_ALONE;
	return timed_if(a[3] & ENTER_EXT_ARG);
}

/* Calls that wait for what comes through a descriptor. */
static enum wait_kind wait_for_descriptor(const struct call *call, const struct process *process)
{
	const uint64_t *a = call->args;

	switch (call->number) {
	case SYS_read:
	case SYS_readv:
		return reading(call, process);
	case SYS_recvfrom:
		return receiving(call, process, a[3]);
	case SYS_recvmsg:
		return receiving(call, process, a[2]);
	case SYS_recvmmsg:
		return receiving_several(call, process);
	case SYS_accept: /* inet_csk_accept, unix_accept */
	case SYS_accept4:
		return receiving(call, process, 0);
#ifdef SYS_epoll_wait /* not on newer architectures */
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait: /* ep_poll */
		return polling_events(call, process, (int)a[3] > 0);
	case SYS_epoll_pwait2:
		return polling_events(call, process, a[3]);
	default:
		return WAIT_LEFT_ALONE;
	}
}

enum wait_kind wait_kind(const struct call *call, const struct process *process)
{
	const uint64_t *a = call->args;

	switch (call->number) {
#ifdef SYS_poll
	case SYS_poll: /* do_restart_poll */
	case SYS_pause:
#endif
	case SYS_rt_sigsuspend: /* sigsuspend */
	case SYS_wait4:		/* do_wait */
	case SYS_waitid:
	case SYS_semop:		  /* __do_semtimedop */
	case SYS_msgrcv:	  /* do_msgrcv */
	case SYS_msgsnd:	  /* do_msgsnd */
	case SYS_mq_timedsend:	  /* wq_sleep; its timeout is absolute */
	case SYS_restart_syscall: /* one of those here that was interrupted before */
#ifdef SYS_futex_waitv
	case SYS_futex_waitv: /* futex_wait_multiple; its timeout is absolute, too */
#endif
		return WAIT_BEARS;
	case SYS_futex: /* futex_wait_restart, futex_lock_pi */
		return interruptible_bears_if(futex_waits_again(call));
	case SYS_nanosleep: /* hrtimer_nanosleep_restart */
		return interruptible_bears_if(!a[1]);
	case SYS_clock_nanosleep:
		return sleeping(call);
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6: /* poll_select_finish: goes on, unless its time is in constant memory */
		return timed_if(a[4]);
	case SYS_ppoll:		  /* the same */
	case SYS_rt_sigtimedwait: /* do_sigtimedwait */
		return timed_if(a[2]);
	case SYS_semtimedop:
		return timed_if(a[3]);
	case SYS_io_getevents: /* read_events */
	case SYS_io_pgetevents:
		/* Events that have been copied are returned, however few. */
		return (int64_t)a[1] > 1 ? WAIT_LEFT_ALONE : timed_if(a[4]);
	case SYS_io_uring_enter: /* io_cqring_wait */
		return awaiting_ring(call);
	default:
		return wait_for_descriptor(call, process);
	}
}

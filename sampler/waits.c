/*
 * A stop makes a blocked call return. Most calls the kernel makes again by itself, with
 * what is left of their time; those that fail with EINTR we make again (sampler/stop.c).
 * Neither helps a call that has done a part of its work: pipe_write(), tcp_sendmsg() and
 * the like return that part when a signal is pending, as does recv with MSG_WAITALL. And
 * a timeout that is given as a length of time begins anew with the call. Both must not
 * be interrupted, the latter not unless it has only just begun.
 *
 * Nothing is written back to the target, so its arguments say what kind it is; the
 * timeouts of a socket are asked of the socket itself.
 */
#include "sampler/waits.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sampler/threads.h"

/* Does the socket behind the target's descriptor have a timeout? What is no socket has
 * none; what cannot be asked counts as having one. */
static bool has_timeout(int pid_fd, uint64_t target_fd, int which)
{
	int fd = (int)syscall(SYS_pidfd_getfd, pid_fd, (int)target_fd, 0);
	struct timeval tv = { 0, 0 };
	socklen_t len = sizeof(tv);

	if (fd < 0)
		return true;
	if (getsockopt(fd, SOL_SOCKET, which, &tv, &len))
		tv = (struct timeval){ 0, 0 };
	close(fd);
	return tv.tv_sec || tv.tv_usec;
}

static enum wait_kind timed_if(bool timed)
{
	return timed ? WAIT_BEGINS_ANEW : WAIT_BEARS;
}

static enum wait_kind receiving(const struct call *call, int pid_fd, uint64_t flags)
{
	if (flags & MSG_WAITALL)
		return WAIT_IS_CUT;
	return timed_if(has_timeout(pid_fd, call->args[0], SO_RCVTIMEO));
}

enum wait_kind wait_kind(const struct call *call, int pid_fd)
{
	const uint64_t *a = call->args;

	switch (call->number) {
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
		return WAIT_IS_CUT;
	case SYS_recvfrom:
		return receiving(call, pid_fd, a[3]);
	case SYS_recvmsg:
		return receiving(call, pid_fd, a[2]);
	case SYS_recvmmsg:
		return a[2] > 1 ? WAIT_IS_CUT : receiving(call, pid_fd, a[3]);
	case SYS_read:
	case SYS_readv:
	case SYS_accept:
	case SYS_accept4:
		return receiving(call, pid_fd, 0);
	case SYS_connect:
		return timed_if(has_timeout(pid_fd, a[0], SO_SNDTIMEO));
#ifdef SYS_epoll_wait /* not on newer architectures */
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
		return timed_if((int)a[3] > 0);
	case SYS_epoll_pwait2:
	case SYS_semtimedop:
		return timed_if(a[3]);
	case SYS_rt_sigtimedwait:
	case SYS_ppoll: /* goes on by itself, unless its time lies in constant memory */
		return timed_if(a[2]);
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return (int64_t)a[1] > 1 ? WAIT_IS_CUT : timed_if(a[4]);
	case SYS_io_uring_enter:
		return a[1] ? WAIT_IS_CUT : WAIT_BEGINS_ANEW;
	default:
		return WAIT_BEARS;
	}
}

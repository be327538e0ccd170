/* Which calls may be interrupted. */
#include <criterion/criterion.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sampler/threads.h"
#include "sampler/waits.h"

static enum wait_kind kind(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	struct call call = { .number = number, .args = { a, b, c, d, e } };

	return wait_kind(&call, -1);
}

Test(waits, transfers_are_cut)
{
	cr_assert_eq(kind(SYS_write, 1, 0, 100, 0, 0), WAIT_IS_CUT);
	cr_assert_eq(kind(SYS_recvfrom, 1, 0, 100, MSG_WAITALL, 0), WAIT_IS_CUT);
	cr_assert_eq(kind(SYS_recvmmsg, 1, 0, 2, 0, 0), WAIT_IS_CUT);
	cr_assert_eq(kind(SYS_io_getevents, 1, 2, 2, 0, 0), WAIT_IS_CUT);
}

Test(waits, timeouts_begin_anew)
{
	cr_assert_eq(kind(SYS_epoll_wait, 3, 0, 1, 100, 0), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_epoll_wait, 3, 0, 1, (uint32_t)-1, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_rt_sigtimedwait, 1, 0, 1, 8, 0), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_rt_sigtimedwait, 1, 0, 0, 8, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_futex, 1, 0, 0, 1, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_clock_nanosleep, 1, 0, 1, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(-1, 1, 1, 1, 1, 1), WAIT_BEARS);
}

Test(waits, a_socket_is_asked_for_its_timeout)
{
	int fds[2], self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct timeval tv = { 1, 0 };
	struct call call = { .number = SYS_read };

	cr_assert(self >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	call.args[0] = (uint64_t)fds[0];
	cr_assert_eq(wait_kind(&call, self), WAIT_BEARS);
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	cr_assert_eq(wait_kind(&call, self), WAIT_BEGINS_ANEW);
	cr_assert_eq(wait_kind(&call, -1), WAIT_BEGINS_ANEW, "cannot be asked");
	cr_assert_eq(pipe(fds), 0);
	call.args[0] = (uint64_t)fds[0];
	cr_assert_eq(wait_kind(&call, self), WAIT_BEARS);
}

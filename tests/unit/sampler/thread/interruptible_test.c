/* Which calls may be interrupted, which may be entered again, which are transfers. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/process.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/interruptible.h"
#include "sampler/thread/threads.h"

enum { CALLS = 600, KVM_RUN = 0xae80 };

static struct process self;
static struct error error;

static void open_self(void)
{
	cr_assert_eq(process_open(&self, getpid(), &error), 0);
}

TestSuite(interruptible, .init = open_self);
TestSuite(calls, .init = open_self);

static struct call call_of(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	return (struct call){ .number = number, .args = { a, b, c, d, e } };
}

static enum wait_kind kind(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	struct call call = call_of(number, a, b, c, d, e);

	return wait_kind(&call, &self);
}

static enum wait_kind reads(int fd)
{
	return kind(SYS_read, (uint64_t)fd, 0, 100, 0, 0);
}

static bool again(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct call call = call_of(number, a, b, c, d, 0);

	return call_may_be_made_again(&call, -EINTR, &self);
}

static bool transfers(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	struct call call = call_of(number, a, b, c, d, e);

	return call_transfers(&call);
}

static bool is_one_of(long number, const long *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

#define ONE_OF(number, numbers) is_one_of(number, numbers, sizeof(numbers) / sizeof(*(numbers)))

static const long listed[] = {
	SYS_poll,	   SYS_pause,		SYS_rt_sigsuspend, SYS_wait4,
	SYS_waitid,	   SYS_semop,		SYS_msgrcv,	   SYS_msgsnd,
	SYS_mq_timedsend,  SYS_restart_syscall, SYS_futex_waitv,   SYS_futex,
	SYS_nanosleep,	   SYS_clock_nanosleep, SYS_select,	   SYS_pselect6,
	SYS_ppoll,	   SYS_rt_sigtimedwait, SYS_semtimedop,	   SYS_io_getevents,
	SYS_io_pgetevents, SYS_io_uring_enter,	SYS_read,	   SYS_readv,
	SYS_recvfrom,	   SYS_recvmsg,		SYS_recvmmsg,	   SYS_accept,
	SYS_accept4,	   SYS_epoll_wait,	SYS_epoll_pwait,   SYS_epoll_pwait2,
};

static const long listed_again[] = {
	SYS_epoll_wait, SYS_select,	  SYS_epoll_pwait,     SYS_epoll_pwait2,
	SYS_pselect6,	SYS_ppoll,	  SYS_rt_sigtimedwait, SYS_semop,
	SYS_semtimedop, SYS_io_getevents, SYS_io_uring_enter,  SYS_read,
	SYS_readv,	SYS_recvfrom,	  SYS_recvmsg,	       SYS_recvmmsg,
	SYS_accept,	SYS_accept4,	  SYS_write,	       SYS_writev,
	SYS_connect,	SYS_sendto,	  SYS_sendmmsg,	       SYS_sendmsg,
	SYS_ioctl,
};

/* The arguments are a socket, a pipe, an epoll, and numbers that mean something to some call. */
static void with_any_arguments(void (*check)(const struct call *call))
{
	int pair[2], ends[2], fds[3];

	cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
	fds[0] = pair[0];
	fds[1] = ends[0];
	fds[2] = epoll_create1(0);
	for (long number = -1; number <= CALLS; number++)
		for (int i = 0; i < 3; i++)
			for (uint64_t arg = 0; arg < 16; arg++) {
				struct call call = call_of(number, (uint64_t)fds[i], arg, arg, arg,
							   arg);

				check(&call);
			}
}

static void is_left_alone_unless_listed(const struct call *call)
{
	if (!ONE_OF(call->number, listed))
		cr_assert_eq(wait_kind(call, &self), WAIT_LEFT_ALONE, "%ld", (long)call->number);
}

Test(interruptible, what_is_not_known_is_left_alone)
{
	with_any_arguments(is_left_alone_unless_listed);
	cr_assert_eq(kind(SYS_close, 3, 0, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_openat, 3, 0, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_ioctl, 3, KVM_RUN, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_mq_timedreceive, 3, 0, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_connect, 3, 0, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_flock, 3, 0, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_poll | 0x40000000, 0, 0, 0, 0, 0), WAIT_LEFT_ALONE, "of x32");
}

Test(interruptible, transfers_are_left_alone)
{
	cr_assert_eq(kind(SYS_write, 1, 0, 100, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_io_getevents, 1, 2, 2, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_io_pgetevents, 1, 2, 2, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_io_getevents, 1, 1, 2, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_io_pgetevents, 1, 1, 2, 0, 8), WAIT_BEGINS_ANEW);
}

Test(interruptible, timeouts_begin_anew)
{
	cr_assert_eq(kind(SYS_rt_sigtimedwait, 1, 0, 1, 8, 0), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_rt_sigtimedwait, 1, 0, 0, 8, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_ppoll, 1, 0, 1, 8, 0), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_ppoll, 1, 0, 0, 8, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_select, 1, 0, 0, 0, 1), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_pselect6, 1, 0, 0, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_semtimedop, 1, 0, 1, 1, 0), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_semop, 1, 0, 1, 1, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_poll, 1, 0, 1000, 0, 0), WAIT_BEARS, "goes on by itself");
}

Test(interruptible, of_futexes_only_known_operations)
{
	cr_assert_eq(kind(SYS_futex, 1, FUTEX_WAIT, 0, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_futex, 1, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, 1, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_futex, 1, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, 1, 0),
		     WAIT_BEARS);
	cr_assert_eq(kind(SYS_futex, 1, FUTEX_LOCK_PI, 0, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_futex, 1, FUTEX_WAIT_REQUEUE_PI, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_futex, 1, 14, 0, 0, 0), WAIT_LEFT_ALONE);
}

Test(interruptible, a_sleep_that_reports_its_rest_is_left_alone)
{
	cr_assert_eq(kind(SYS_nanosleep, 1, 0, 0, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_nanosleep, 1, 1, 0, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, 1, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, 1, 1, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, 1, 1, 0),
		     WAIT_BEARS);
	cr_assert_eq(kind(SYS_clock_nanosleep, CLOCK_BOOTTIME_ALARM, 0, 1, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_clock_nanosleep, (uint64_t)-6, 0, 1, 0, 0), WAIT_LEFT_ALONE);
}

Test(interruptible, a_ring_for_one_completion)
{
	enum { GETEVENTS = 1, SQ_WAIT = 4, EXT_ARG = 8 };

	cr_assert_eq(kind(SYS_io_uring_enter, 1, 0, 1, GETEVENTS, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_io_uring_enter, 1, 0, 1, GETEVENTS | EXT_ARG, 8), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_io_uring_enter, 1, 0, 2, GETEVENTS, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_io_uring_enter, 1, 1, 1, GETEVENTS, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_io_uring_enter, 1, 0, 1, GETEVENTS | SQ_WAIT, 0), WAIT_LEFT_ALONE);
}

Test(interruptible, an_epoll_must_be_one_still)
{
	uint64_t fd = (uint64_t)epoll_create1(0);

	cr_assert_eq(kind(SYS_epoll_wait, fd, 0, 1, 100, 0), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_epoll_wait, fd, 0, 1, (uint32_t)-1, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_epoll_pwait2, fd, 0, 1, 0, 0), WAIT_BEARS);
	close((int)fd);
	cr_assert_eq(kind(SYS_epoll_wait, fd, 0, 1, (uint32_t)-1, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(open("/dev/null", O_RDONLY), (int)fd);
	cr_assert_eq(kind(SYS_epoll_wait, fd, 0, 1, (uint32_t)-1, 0), WAIT_LEFT_ALONE);
}

static int terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	cr_assert(master >= 0 && !grantpt(master) && !unlockpt(master));
	return open(ptsname(master), O_RDWR | O_NOCTTY);
}

static int fifo(void)
{
	char path[] = "/tmp/sampler-waits-XXXXXX", name[64];
	int fd;

	cr_assert(mkdtemp(path));
	snprintf(name, sizeof(name), "%s/fifo", path);
	cr_assert_eq(mkfifo(name, 0600), 0);
	fd = open(name, O_RDWR);
	unlink(name);
	rmdir(path);
	return fd;
}

Test(interruptible, reads_by_what_is_read)
{
	int ends[2];
	sigset_t none;

	sigemptyset(&none);
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(reads(ends[0]), WAIT_BEARS);
	cr_assert_eq(kind(SYS_readv, (uint64_t)ends[0], 0, 1, 0, 0), WAIT_BEARS);
	cr_assert_eq(reads(fifo()), WAIT_BEARS);
	cr_assert_eq(reads(eventfd(0, 0)), WAIT_BEARS);
	cr_assert_eq(reads(timerfd_create(CLOCK_MONOTONIC, 0)), WAIT_BEARS);
	cr_assert_eq(reads(signalfd(-1, &none, 0)), WAIT_BEARS);
	cr_assert_eq(reads(inotify_init()), WAIT_BEARS);
	cr_assert_eq(reads(terminal()), WAIT_LEFT_ALONE);
	cr_assert_eq(reads(open("/dev/zero", O_RDONLY)), WAIT_LEFT_ALONE);
	cr_assert_eq(reads(open("/proc/self/exe", O_RDONLY)), WAIT_LEFT_ALONE);
	cr_assert_eq(reads(memfd_create("pipe:[1]", 0)), WAIT_LEFT_ALONE);
	cr_assert_eq(reads(epoll_create1(0)), WAIT_LEFT_ALONE);
	cr_assert_eq(reads(-1), WAIT_LEFT_ALONE);
	cr_assert_eq(reads(999), WAIT_LEFT_ALONE);
}

Test(interruptible, a_socket_is_asked_for_its_options)
{
	struct timeval tv = { 1, 0 };
	int fds[2], two = 2, one = 1;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	cr_assert_eq(reads(fds[0]), WAIT_BEARS);
	setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &two, sizeof(two));
	cr_assert_eq(reads(fds[0]), WAIT_LEFT_ALONE);
	setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	cr_assert_eq(reads(fds[0]), WAIT_BEGINS_ANEW);
	self.pid_fd = -1;
	cr_assert_eq(reads(fds[0]), WAIT_LEFT_ALONE, "cannot be asked");
}

Test(interruptible, of_sockets_only_known_families)
{
	uint64_t fd = (uint64_t)socket(AF_INET, SOCK_STREAM, 0);

	cr_assert_eq(kind(SYS_recvfrom, fd, 0, 9, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_recvfrom, fd, 0, 9, MSG_WAITALL, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_recvmsg, fd, 0, MSG_WAITALL, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_recvmmsg, fd, 0, 1, 0, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_recvmmsg, fd, 0, 1, 0, 1), WAIT_BEGINS_ANEW);
	cr_assert_eq(kind(SYS_recvmmsg, fd, 0, 2, 0, 0), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_recvmmsg, fd, 0, 2, MSG_WAITFORONE, 0), WAIT_BEARS);
	cr_assert_eq(kind(SYS_recvmmsg, 999, 0, 1, 0, 1), WAIT_LEFT_ALONE);
	cr_assert_eq(kind(SYS_accept4, fd, 0, 0, 0, 0), WAIT_BEARS);
	cr_assert_eq(reads(socket(AF_INET, SOCK_DGRAM, 0)), WAIT_BEARS);
	cr_assert_eq(reads(socket(AF_NETLINK, SOCK_RAW, 0)), WAIT_BEARS);
	cr_assert_neq(reads(socket(AF_INET, SOCK_STREAM, 262)), WAIT_BEARS, "MPTCP");
	cr_assert_neq(reads(socket(AF_VSOCK, SOCK_STREAM, 0)), WAIT_BEARS);
}

static void is_not_again_unless_listed(const struct call *call)
{
	bool listed_too = ONE_OF(call->number, listed_again);

	for (int64_t result = -520; result < 3; result++) {
		bool verdict = call_may_be_made_again(call, result, &self);

		if (result == -EAGAIN && call->number == SYS_bpf)
			continue;
		cr_assert(!verdict || (listed_too && result == -EINTR), "%ld: %ld",
			  (long)call->number, (long)result);
	}
}

Test(calls, what_is_not_known_is_not_made_again)
{
	with_any_arguments(is_not_again_unless_listed);
	cr_assert_not(again(SYS_close, 3, 0, 0, 0));
	cr_assert_not(again(SYS_openat, 3, 0, 0, 0));
	cr_assert_not(again(SYS_fallocate, 3, 0, 0, 0));
	cr_assert_not(again(-1, 0, 0, 0, 0));
}

Test(calls, waits_that_have_done_nothing_are_made_again)
{
	cr_assert(again(SYS_epoll_wait, 3, 0, 1, 100));
	cr_assert(again(SYS_semop, 3, 0, 1, 0));
	cr_assert(again(SYS_rt_sigtimedwait, 3, 0, 1, 0));
	cr_assert(again(SYS_io_getevents, 3, 2, 2, 0));
	cr_assert(again(SYS_io_uring_enter, 3, 0, 2, 1));
	cr_assert_not(again(SYS_io_uring_enter, 3, 1, 2, 1));
}

Test(calls, sockets_by_what_they_are)
{
	uint64_t tcp = (uint64_t)socket(AF_INET, SOCK_STREAM, 0);
	uint64_t udp = (uint64_t)socket(AF_INET, SOCK_DGRAM, 0);
	struct call call = call_of(SYS_read, tcp, 0, 0, 0, 0);
	int on = 1;

	cr_assert(again(SYS_read, tcp, 0, 1, 0) && again(SYS_recvfrom, tcp, 0, 1, MSG_WAITALL));
	cr_assert(again(SYS_accept, tcp, 0, 0, 0) && again(SYS_connect, tcp, 0, 0, 0));
	cr_assert(again(SYS_write, tcp, 0, 9, 0) && again(SYS_sendmmsg, tcp, 0, 9, 0));
	cr_assert_not(again(SYS_sendto, tcp, 0, 9, MSG_FASTOPEN));
	cr_assert_not(again(SYS_sendmsg, tcp, 0, MSG_ZEROCOPY, 0));
	cr_assert(again(SYS_recvmsg, udp, 0, 0, 0));
	cr_assert_not(again(SYS_sendmsg, udp, 0, 0, 0), "what was corked is lost");
	cr_assert_not(call_may_be_made_again(&call, -EINTR, NULL));
	cr_assert_eq(setsockopt((int)tcp, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on)), 0);
	cr_assert_not(again(SYS_connect, tcp, 0, 0, 0));
	cr_assert(again(SYS_read, tcp, 0, 1, 0));
}

Test(calls, files_and_devices_are_not_read_again)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_not(again(SYS_read, (uint64_t)terminal(), 0, 1, 0));
	cr_assert_not(again(SYS_read, (uint64_t)open("/dev/zero", O_RDONLY), 0, 1, 0));
	cr_assert_not(again(SYS_write, (uint64_t)ends[1], 0, 1, 0), "the kernel makes it again");
	cr_assert_not(again(SYS_read, 999, 0, 1, 0));
}

Test(calls, of_controls_only_two)
{
	cr_assert(again(SYS_ioctl, 3, TCSBRK, 1, 0));
	cr_assert_not(again(SYS_ioctl, 3, TCSBRK, 0, 0), "sends a break");
	cr_assert(again(SYS_ioctl, 3, KVM_RUN, 0, 0));
	cr_assert_not(again(SYS_ioctl, 3, TCSBRKP, 1, 0));
}

Test(calls, a_bpf_program_is_loaded_again)
{
	struct call call = call_of(SYS_bpf, BPF_PROG_LOAD, 0, 0, 0, 0);

	cr_assert(call_may_be_made_again(&call, -EAGAIN, &self));
	cr_assert_not(call_may_be_made_again(&call, -EINTR, &self));
	call.args[0] = BPF_PROG_TEST_RUN;
	cr_assert_not(call_may_be_made_again(&call, -EAGAIN, &self));
	call.number = SYS_read;
	cr_assert_not(call_may_be_made_again(&call, -EAGAIN, &self));
}

Test(calls, transfers)
{
	cr_assert(transfers(SYS_write, 1, 0, 4097, 0, 0));
	cr_assert_not(transfers(SYS_write, 1, 0, 4096, 0, 0));
	cr_assert(transfers(SYS_sendto, 1, 0, 1 << 20, 0, 0));
	cr_assert_not(transfers(SYS_sendto, 1, 0, 100, 0, 0));
	cr_assert(transfers(SYS_writev, 1, 0, 1, 0, 0) && transfers(SYS_sendmsg, 1, 0, 0, 0, 0));
	cr_assert(transfers(SYS_sendfile, 1, 2, 0, 1 << 20, 0));
	cr_assert(transfers(SYS_splice, 1, 0, 2, 0, 1 << 20));
	cr_assert(transfers(SYS_pwritev2, 1, 0, 1, UINT64_MAX, 0));
	cr_assert_not(transfers(SYS_pwritev2, 1, 0, 1, 0, 0), "at a place in a file");
	cr_assert(transfers(SYS_recvfrom, 1, 0, 2, MSG_WAITALL, 0));
	cr_assert_not(transfers(SYS_recvfrom, 1, 0, 1 << 20, 0, 0));
	cr_assert(transfers(SYS_recvmsg, 1, 0, MSG_WAITALL, 0, 0));
	cr_assert(transfers(SYS_recvmmsg, 1, 0, 2, 0, 0));
	cr_assert_not(transfers(SYS_recvmmsg, 1, 0, 2, MSG_WAITFORONE, 0));
	cr_assert(transfers(SYS_io_uring_enter, 1, 1, 0, 0, 0));
	cr_assert_not(transfers(SYS_io_uring_enter, 1, 0, 1, 1, 0));
	cr_assert_not(transfers(SYS_read, 1, 0, 1 << 20, 0, 0));
	cr_assert_not(transfers(SYS_futex, 1, 0, 1 << 20, 0, 0));
	cr_assert_not(transfers(-1, 1, 1 << 20, 1 << 20, 1 << 20, 1 << 20));
}

/* A process with one file open, in a root that is a folder of this machine's. */
static pid_t process_in(const char *root, int fd)
{
	int ready[2];
	pid_t pid;
	char byte;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		int file = chroot(root) ? -1 : open("/file", O_RDWR | O_CREAT, 0600);

		if (file < 0 || dup2(file, fd) != fd || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

/* Its list of mounts does not have the one that its root lies in (chroot(2)). */
Test(calls, a_root_that_is_no_mount_point)
{
	char root[] = "/var/tmp/sampler-test-XXXXXX", path[64];
	int fd = 9, same;
	struct call call = call_of(SYS_write, (uint64_t)fd, 0, 1 << 20, 0, 0);
	struct process p;
	struct call mine;
	pid_t pid;

	if (geteuid())
		cr_skip_test("chroot needs root");
	cr_assert(mkdtemp(root));
	pid = process_in(root, fd);
	snprintf(path, sizeof(path), "%s/file", root);
	same = open(path, O_RDWR);
	mine = call_of(SYS_write, (uint64_t)same, 0, 1 << 20, 0, 0);
	cr_assert_eq(process_open(&p, pid, &error), 0, "%s", error.text);
	cr_assert_eq(call_is_never_cut(&call, &p), call_is_never_cut(&mine, &self));
	cr_assert_eq(process_has_local_mounts(&p), process_has_local_mounts(&self));
	process_close(&p);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
	rmdir(root);
}

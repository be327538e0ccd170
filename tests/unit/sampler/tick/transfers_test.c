/* When a running thread is spared, because it may be in the middle of a long write. A thread of
 * this test writes to a pipe and is looked at in chosen moments. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/process.h"
#include "sampler/thread/calls.h"
#include "sampler/thread/threads.h"
#include "sampler/member/member.h"
#include "sampler/tick/round.h"
#include "sampler/tick/transfers.h"
#include "tests/unit/sampler/tick/waits.h"

enum { LONG = 1 << 20, PIPE_ROOM = 1 << 16, SHORT = 100, MS = 1000000 };

static struct round round_;
static struct member member;
static struct thread thread;
static int ends[2];
static sem_t may_write;
static _Atomic size_t length;
static _Atomic pid_t writer;
static _Atomic int woken;

static void *writes(void *arg)
{
	static char bytes[LONG];

	writer = (pid_t)syscall(SYS_gettid);
	for (;;) {
		while (sem_wait(&may_write))
			;
		woken++;
		if (length && write(ends[1], bytes, length) <
				      0) /* LeakSanitizer's stop makes the last one short */
			abort();
	}
	return arg;
}

static void until_it_waits_in(long number)
{
	while (!waits_in(&member.process, writer, number))
		usleep(1000);
}

static void takes(size_t bytes)
{
	static char sink[LONG];

	for (ssize_t n; bytes; bytes -= (size_t)n)
		cr_assert_gt(n = read(ends[0], sink, bytes), 0);
}

static void begin_write(size_t bytes)
{
	length = bytes;
	sem_post(&may_write);
}

/* The thread was found waiting in a long write, and was looked at since then while it ran. */
static void amid_a_write(void)
{
	struct call call = { .number = SYS_write, .args = { 0, 0, LONG } };
	pthread_t id;
	bool spared;

	cr_assert_eq(process_open(&member.process, getpid(), NULL), 0);
	cr_assert_eq(pipe(ends), 0);
	call.args[0] = (uint64_t)ends[1];
	cr_assert_eq(pthread_create(&id, NULL, writes, NULL), 0);
	begin_write(LONG);
	while (!writer)
		usleep(1000);
	until_it_waits_in(SYS_write);
	thread.tid = writer;
	thread.cpu_ns = 5 * MS;
	transfers_note(&member, &thread, &call);
	cr_assert_eq(thread.transfer.kind, TRANSFER_UNDER_WAY);
	round_.plan.tick_ns = monotonic_ns();
	takes(PIPE_ROOM);
	takes(PIPE_ROOM);
	until_it_waits_in(SYS_write);
	thread.transfer.kind = TRANSFER_USUAL;
	cr_assert_eq(transfers_spare(&round_, &member, &thread, &spared), 0);
	cr_assert(spared, "it has waited, and no call has ended");
}

TestSuite(transfers, .init = amid_a_write, .timeout = 60);

static bool is_spared(void)
{
	bool spared;

	cr_assert_eq(transfers_spare(&round_, &member, &thread, &spared), 0);
	return spared;
}

Test(transfers, it_stands_there_until_it_has_had_a_cpu)
{
	cr_assert(is_spared());
	thread.cpu_ns += MS / 2;
	cr_assert(is_spared());
	thread.cpu_ns += MS / 2; /* in total, not since the last look */
	cr_assert_not(is_spared());
}

Test(transfers, it_has_waited_again)
{
	thread.cpu_ns += 10 * MS;
	takes(PIPE_ROOM);
	takes(PIPE_ROOM);
	until_it_waits_in(SYS_write);
	cr_assert(is_spared());
	cr_assert(is_spared());
}

Test(transfers, its_last_call_was_long)
{
	thread.cpu_ns += 10 * MS;
	takes(LONG - 2 * PIPE_ROOM);
	until_it_waits_in(SYS_futex);
	cr_assert(is_spared());
	thread.cpu_ns += 10 * MS;
	cr_assert_not(is_spared(), "it only computes since");
}

Test(transfers, its_last_calls_were_short)
{
	takes(LONG - 2 * PIPE_ROOM);
	until_it_waits_in(SYS_futex);
	cr_assert(is_spared());
	for (int i = 0; i < 3; i++) {
		begin_write(SHORT);
		takes(SHORT);
		until_it_waits_in(SYS_futex);
	}
	cr_assert_not(is_spared());
}

static void wakes_and_waits(void)
{
	int before = woken;

	begin_write(0);
	while (woken == before)
		usleep(1000);
	until_it_waits_in(SYS_futex);
}

Test(transfers, its_only_wait_was_our_stop)
{
	static const struct slot slot = { .taken = true };

	takes(LONG - 2 * PIPE_ROOM);
	until_it_waits_in(SYS_futex);
	cr_assert(is_spared());
	thread.cpu_ns += 10 * MS;
	transfers_learn(&member, &slot, &thread, round_.plan.tick_ns);
	wakes_and_waits();
	cr_assert_not(is_spared());
	wakes_and_waits();
	cr_assert(is_spared(), "this wait was its own");
}

Test(transfers, long_ago)
{
	round_.plan.tick_ns += 10 * NS_PER_S;
	cr_assert_not(is_spared());
	cr_assert_eq(thread.transfer.kind, TRANSFER_NONE);
}

static bool is_one(long number, int fd, uint64_t flags)
{
	struct slot slot = {
		.taken = true,
		.call = { .number = number, .args = { (uint64_t)fd, 0, LONG, flags } },
	};

	thread.transfer = (struct thread_transfer){ 0 };
	transfers_learn(&member, &slot, &thread, round_.plan.tick_ns);
	return thread.transfer.kind == TRANSFER_USUAL;
}

/* A call that does not wait is not cut short by a stop, so what follows it need not be spared. */
Test(transfers, a_stop_in_a_call_that_does_not_wait)
{
	int pipes[2], sockets[2], file = open("/dev/null", O_WRONLY | O_NONBLOCK);

	cr_assert(pipe2(pipes, O_NONBLOCK) == 0 && file >= 0);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	cr_assert_not(is_one(SYS_write, pipes[1], 0));
	cr_assert_not(is_one(SYS_sendto, sockets[0], MSG_DONTWAIT));
	cr_assert(is_one(SYS_write, ends[1], 0));
	cr_assert(is_one(SYS_sendto, sockets[0], 0));
	cr_assert(is_one(SYS_write, file, 0), "a device may do otherwise");
	cr_assert(is_one(SYS_tee, pipes[1], 0), "its flags are not looked at");
}

static bool is_of_known_file_system(int fd)
{
	struct statfs fs;

	cr_assert_eq(fstatfs(fd, &fs), 0);
	return fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == TMPFS_MAGIC ||
	       fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == XFS_SUPER_MAGIC ||
	       fs.f_type == BTRFS_SUPER_MAGIC;
}

Test(transfers, a_stop_in_a_write_to_a_file)
{
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600), on_no_mount = memfd_create("x", 0);

	cr_assert(file >= 0 && on_no_mount >= 0);
	cr_assert_neq(is_one(SYS_write, file, 0), is_of_known_file_system(file));
	cr_assert(is_one(SYS_write, on_no_mount, 0), "its file system is not known");
}

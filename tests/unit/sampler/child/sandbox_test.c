/* What a child in the sandbox can do, and what ends it. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/child/sandbox.h"

enum { PLENTY = 64 << 20 };

static int pipe_fds[2];

static struct sandbox_end run(int (*work)(void *), void *ctx)
{
	struct sandbox box = {
		.writable_fd = pipe_fds[1], .memory_bytes = PLENTY, .cpu_s = 1, .ctx = ctx
	};
	struct sandbox_end end;

	cr_assert_eq(sandbox_run(&box, work, &end, NULL), 0);
	return end;
}

static int read_compute_and_write(void *ctx)
{
	char *shared = ctx, *big = malloc(8 << 20);
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	memset(big, 1, 8 << 20);
	if (read(fd, big, 100) != 100)
		return 1;
	close(fd);
	free(big);
	strcpy(shared, "from the child");
	return write(pipe_fds[1], "bytes", 5) == 5 ? 7 : 2;
}

Test(sandbox, reads_computes_and_writes_to_one_descriptor)
{
	char *shared = sandbox_share(4096), text[8] = "";
	struct sandbox_end end;

	cr_assert_eq(pipe(pipe_fds), 0);
	end = run(read_compute_and_write, shared);
	cr_assert(WIFEXITED(end.status), "%s", sandbox_death(&end, text, sizeof(text)));
	cr_assert_eq(WEXITSTATUS(end.status), 7);
	cr_assert_null(sandbox_death(&end, text, sizeof(text)));
	cr_assert_str_eq(shared, "from the child");
	cr_assert_eq(read(pipe_fds[0], text, sizeof(text)), 5);
	cr_assert(end.cpu_ns > 0);
	sandbox_unshare(shared, 4096);
}

/* Each of these calls ends the child that makes it. */
static long attempt(int which)
{
	struct open_how how = { .flags = O_RDONLY };
	char *const argv[] = { (char *)"true", NULL };
	char byte;
	struct iovec iov = { &byte, 1 };

	switch (which) {
	case 0:
		return execve("/bin/true", argv, argv);
	case 1:
		return socket(AF_UNIX, SOCK_STREAM, 0);
	case 2:
		return open("/tmp/sandbox-test", O_WRONLY | O_CREAT, 0600);
	case 3:
		return open("/dev/null", O_RDWR);
	case 4:
		return open("/tmp", O_TMPFILE | O_WRONLY, 0600);
	case 5:
		return open("/etc/passwd", O_RDONLY | O_TRUNC);
	case 6:
		return syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", &how, sizeof(how));
	case 7:
		return write(pipe_fds[0] + 100, "x", 1);
	case 8:
		return kill(getppid(), 0);
	case 9:
		return ptrace(PTRACE_ATTACH, getppid(), 0, 0);
	case 10:
		return process_vm_readv(getppid(), &iov, 1, &iov, 1, 0);
	case 11:
		return unlink("/tmp/sandbox-test");
	case 12:
		return rename("/tmp/sandbox-test", "/tmp/sandbox-test2");
	case 13:
		return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0) == MAP_FAILED;
	case 14:
		return mprotect((void *)((uintptr_t)&how & ~4095ul), 4096, PROT_READ | PROT_EXEC);
	case 15:
		return fork();
	case 16:
		return prctl(PR_SET_DUMPABLE, 1);
	case 17:
		return syscall(SYS_ioctl, 0, 0x5412, "x"); /* TIOCSTI */
	case 18:
		return chmod("/tmp/sandbox-test", 0777);
	case 19:
		return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, pipe_fds[0] + 100, 0) ==
		       MAP_FAILED;
	default:
		return -1;
	}
}

enum { ATTEMPTS = 20 };

static int try_it(void *ctx)
{
	return attempt(*(int *)ctx) == 0;
}

Test(sandbox, whatever_else_is_tried_is_the_last)
{
	char text[64];

	cr_assert_eq(pipe(pipe_fds), 0);
	for (int i = 0; i < ATTEMPTS; i++) {
		struct sandbox_end end = run(try_it, &i);

		cr_assert(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSYS,
			  "attempt %d: status %x", i, end.status);
		cr_assert_str_eq(sandbox_death(&end, text, sizeof(text)),
				 "aborted, or tried a forbidden system call");
	}
}

enum { OURS, THEIRS, WRITES, OTHERS };

/* In a child that may read the parent's memory, and nothing else. *number is 42. */
static int look_at(pid_t parent, int *number, int which)
{
	static const struct timespec moment = { 0, 1000 };
	int copy = 0;
	struct iovec here = { &copy, sizeof(copy) }, there = { number, sizeof(*number) };

	sandbox_filter(-1, parent);
	nanosleep(&moment, NULL);
	if (which == WRITES)
		process_vm_writev(parent, &here, 1, &there, 1, 0);
	else if (which != OTHERS)
		process_vm_readv(which == OURS ? getpid() : parent, &here, 1, &there, 1, 0);
	else
		socket(AF_UNIX, SOCK_STREAM, 0);
	return copy;
}

Test(sandbox, a_filter_for_readers_of_a_process)
{
	static int number = 42;
	pid_t self = getpid();

	for (int which = OURS; which <= OTHERS; which++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(look_at(self, &number, which));
		cr_assert_eq(waitpid(child, &status, 0), child);
		if (which == THEIRS)
			cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42, "status %x",
				  status);
		else
			cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS,
				  "%d: status %x", which, status);
	}
}

static int take_memory(void *ctx)
{
	void *p = mmap(NULL, *(size_t *)ctx, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	return p == MAP_FAILED ? 3 : 0;
}

Test(sandbox, memory_is_bounded)
{
	size_t little = PLENTY / 2, much = PLENTY + 1;

	cr_assert_eq(WEXITSTATUS(run(take_memory, &little).status), 0);
	cr_assert_eq(WEXITSTATUS(run(take_memory, &much).status), 3);
}

static int spin(void *ctx)
{
	for (volatile long *n = ctx;; ++*n)
		;
	return 0;
}

Test(sandbox, cpu_time_is_bounded)
{
	long n = 0;
	char text[64];
	struct sandbox_end end = run(spin, &n);

	cr_assert_str_eq(sandbox_death(&end, text, sizeof(text)), "used up its CPU time");
	cr_assert(end.cpu_ns > 500000000 && end.cpu_ns < 3000000000);
}

static int block(void *ctx)
{
	char byte;

	return (int)read(*(int *)ctx, &byte, 1);
}

static bool at_once(void *ctx)
{
	(void)ctx;
	return true;
}

Test(sandbox, one_that_hangs_is_killed_when_told)
{
	struct sandbox box = { .writable_fd = -1,
			       .memory_bytes = PLENTY,
			       .cpu_s = 1,
			       .hung = at_once,
			       .ctx = &pipe_fds[0] };
	struct sandbox_end end;
	char text[64];

	cr_assert_eq(pipe(pipe_fds), 0);
	cr_assert_eq(sandbox_run(&box, block, &end, NULL), 0);
	cr_assert(end.hung);
	cr_assert_str_eq(sandbox_death(&end, text, sizeof(text)), "got no further");
}

static int crash(void *ctx)
{
	/* Not a write to address 0: sanitizers would report that themselves. */
	raise(*(int *)ctx);
	return 0;
}

Test(sandbox, a_crash_is_told)
{
	int sig = SIGSEGV;
	char text[64];
	struct sandbox_end end = run(crash, &sig);

	/* raise() is itself a forbidden call, but in any case the child is dead. */
	cr_assert_not_null(sandbox_death(&end, text, sizeof(text)));
	end.status = SIGSEGV;
	cr_assert_str_eq(sandbox_death(&end, text, sizeof(text)),
			 "died of signal 11 (Segmentation fault)");
}

static int privileges(void *ctx)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t len = read(fd, text, sizeof(text) - 1);
	const char *eff;

	text[len > 0 ? len : 0] = '\0';
	eff = strstr(text, "CapEff:\t");
	*(unsigned long *)ctx = eff ? strtoul(eff + 8, NULL, 16) : ~0ul;
	return 0;
}

Test(sandbox, has_no_privilege_but_to_read)
{
	unsigned long *caps = sandbox_share(4096);

	run(privileges, caps);
	cr_assert_eq(*caps & ~4ul, 0, "%lx", *caps); /* CAP_DAC_READ_SEARCH */
	sandbox_unshare(caps, 4096);
}

/*
 * The filter is a list of what is allowed; everything else kills the child at once, so that an
 * exploit cannot try again in another way. Files may be opened for reading only: openat(2) shows
 * its flags to the filter, openat2(2) hides them and is forbidden (base/file/pathwalk.h does
 * without). No memory is made executable.
 *
 * Rejected: a helper process that opens files on demand (one more protocol, for a child that may
 * read what we may read anyhow); Landlock (it can restrict which files are read, but the debug
 * files of a target in a container may be anywhere).
 */
#include "sampler/child/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/smallfile.h"
#include "sampler/child/bound.h"
#include "sampler/child/priority.h"
#include "sampler/child/privilege.h"

enum {
	HUNG_NS = 1000000000,
	WRITE_FLAGS = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY)
};

void *sandbox_share(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void sandbox_unshare(void *shared, size_t bytes)
{
	if (shared)
		munmap(shared, bytes);
}

/* The child's side. */

/* Calls for reading, memory, time and exit. Some are there for other C libraries than glibc, or for
 * sanitizers. */
static const int harmless[] = {
	SCMP_SYS(read),
	SCMP_SYS(pread64),
	SCMP_SYS(readv),
	SCMP_SYS(preadv),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(fstat),
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(fstatfs),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(getcwd),
	SCMP_SYS(getdents64),
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(futex),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(getrandom),
	SCMP_SYS(getrusage),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(sysinfo),
	SCMP_SYS(uname),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

static int allow_opening(scmp_filter_ctx f)
{
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, WRITE_FLAGS, O_RDONLY)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
				SCMP_A1(SCMP_CMP_MASKED_EQ, WRITE_FLAGS, O_RDONLY)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				SCMP_A1(SCMP_CMP_EQ, F_GETFD, 0)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				SCMP_A1(SCMP_CMP_EQ, F_GETFL, 0)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				SCMP_A1(SCMP_CMP_EQ, F_DUPFD_CLOEXEC, 0)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 2,
				SCMP_A1(SCMP_CMP_EQ, F_SETFD, 0),
				SCMP_A2(SCMP_CMP_EQ, FD_CLOEXEC, 0));
}

static int allow_memory(scmp_filter_ctx f)
{
	/* Shared memory would be another way to write to a file that we hold open. */
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
				SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED, 0)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) |
	       /* reading a limit, not setting one */
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
				SCMP_A2(SCMP_CMP_EQ, 0, 0));
}

static int allow_writing(scmp_filter_ctx f, int fd)
{
	if (fd < 0)
		return 0;
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
				SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)fd, 0)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(writev), 1,
				SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)fd, 0));
}

static int allow_looking_at(scmp_filter_ctx f, pid_t process)
{
	if (!process)
		return 0;
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(process_vm_readv), 1,
				SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)process, 0)) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(nanosleep), 0) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clock_nanosleep), 0) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(poll), 0) |
	       seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(ppoll), 0);
}

void sandbox_filter(int writable_fd, pid_t readable)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int rc = f ? seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) : -1;

	for (size_t i = 0; !rc && i < sizeof(harmless) / sizeof(*harmless); i++)
		rc = seccomp_rule_add(f, SCMP_ACT_ALLOW, harmless[i], 0);
	if (!rc)
		rc = allow_opening(f) | allow_memory(f) | allow_writing(f, writable_fd) |
		     allow_looking_at(f, readable);
	/* Failures are ignored: without seccomp in the kernel, or in a container that forbids it,
	 * bounds and privileges still hold, and the profile is worth more than the filter. */
	if (!rc)
		seccomp_load(f);
	seccomp_release(f);
}

static uint64_t address_space(void)
{
	char text[128];

	smallfile_read(AT_FDCWD, "/proc/self/statm", text, sizeof(text));
	return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_bounds(const struct sandbox *box)
{
	rlim_t memory = address_space() + box->memory_bytes;
	struct rlimit as = { memory, memory }, cpu = { box->cpu_s, box->cpu_s + 1 },
		      none = { 0, 0 };
	struct rlimit file = { box->file_bytes, box->file_bytes };

	setrlimit(RLIMIT_AS, &as);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	if (box->file_bytes)
		setrlimit(RLIMIT_FSIZE, &file);
}

/* The parent's handlers are not for the child, and it is the parent that ends the child. So all
 * signals are blocked but those that the child's own faults and bounds raise, and the terminal's
 * stop. */
static void sandbox_set_signals(void)
{
	static const int ours[] = { SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,	SIGABRT,
				    SIGSYS,  SIGXCPU, SIGTSTP, SIGTTOU, SIGTTIN };
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		signal(ours[i], SIG_DFL);
		sigdelset(&blocked, ours[i]);
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

static void sandbox_run_child(const struct sandbox *box, int (*work)(void *ctx))
{
	sandbox_set_signals();
	if (box->urgent)
		take_own_session();
	privilege_keep_reading();
	set_bounds(box);
	sandbox_filter(box->writable_fd, 0);
	_exit(work(box->ctx) & 255);
}

/* Our side. */

static void sandbox_collect(struct sandbox_child *child, struct sandbox_end *end)
{
	struct rusage ru = { 0 };

	*end = (struct sandbox_end){ .hung = child->hung };
	while (wait4(child->pid, &end->status, 0, &ru) < 0 && errno == EINTR)
		;
	descriptor_close(&child->pid_fd);
	child->pid = 0;
	end->cpu_ns = rusage_cpu_ns(&ru);
}

static void ask_whether_hung(const struct sandbox *box, struct sandbox_child *child)
{
	uint64_t now = monotonic_ns();

	if (!box->hung || child->hung || now < child->due_ns)
		return;
	child->due_ns = now + HUNG_NS;
	child->hung = box->hung(box->ctx);
	if (child->hung)
		kill(child->pid, SIGKILL);
}

int sandbox_start(const struct sandbox *box, int (*work)(void *ctx), struct sandbox_child *child,
		  struct error *err)
{
	pid_t pid = fork_bound(SIGKILL);

	if (pid < 0)
		return error_errno(err, ERR_IO, "cannot make a process");
	if (!pid)
		sandbox_run_child(box, work);
	*child = (struct sandbox_child){ .pid = pid, .due_ns = monotonic_ns() + HUNG_NS };
	child->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

/* Without pidfds (before Linux 5.3) no wait has a timeout, so this one lasts until the end. */
bool sandbox_wait(const struct sandbox *box, struct sandbox_child *child, int timeout_ms,
		  struct sandbox_end *end)
{
	struct pollfd pf = { .fd = child->pid_fd, .events = POLLIN };

	if (child->pid_fd >= 0 && poll(&pf, 1, timeout_ms) <= 0) {
		ask_whether_hung(box, child);
		return false;
	}
	sandbox_collect(child, end);
	return true;
}

int sandbox_run(const struct sandbox *box, int (*work)(void *ctx), struct sandbox_end *end,
		struct error *err)
{
	struct sandbox_child child;
	int rc = sandbox_start(box, work, &child, err);

	while (!rc && !sandbox_wait(box, &child, HUNG_NS / 1000000, end))
		;
	return rc;
}

void sandbox_kill(struct sandbox_child *child)
{
	struct sandbox_end end;

	if (!child->pid)
		return;
	kill(child->pid, SIGKILL);
	sandbox_collect(child, &end);
}

const char *sandbox_death(const struct sandbox_end *end, char *text, size_t room)
{
	int sig = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : 0;

	if (!sig)
		return NULL;
	if (end->hung)
		snprintf(text, room, "got no further");
	else if (sig == SIGSYS)
		snprintf(text, room, "aborted, or tried a forbidden system call");
	else if (sig == SIGXCPU)
		snprintf(text, room, "used up its CPU time");
	else
		snprintf(text, room, "died of signal %d (%s)", sig, strsignal(sig));
	return text;
}

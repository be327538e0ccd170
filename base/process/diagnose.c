/*
 * Finds out why ptrace(2) failed with EPERM.
 *
 * The kernel has one errno for a dozen reasons; the user needs the one reason and its remedy. Like
 * strace's attach, this file tests the causes with what /proc shows to every user. The order is
 * that of ptrace_attach() and __ptrace_may_access() (kernel/ptrace.c).
 */
#include "base/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/smallfile.h"

enum {
	CAP_SYS_PTRACE_BIT = 19,
	PF_EXITING_FLAG = 0x4,
	PF_KTHREAD_FLAG = 0x00200000,
	LOOKS = 200,
	LOOKS_NS = 5000000,
	FIRM_LOOKS = 3
};

struct facts {
	char name[64];
	char state;
	long tracer, uid, threads;
	bool kernel_thread, ending;
};

/* The text after "Key:\t" in a /proc/PID/status, or "". */
static const char *diagnose_field(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p ? p + strlen(key) + strspn(p + strlen(key), "\t ") : "";
}

static uint64_t kernel_flags(pid_t tid)
{
	char path[64], text[1024];
	uint64_t fields[STAT_FIELDS];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	len = smallfile_read(AT_FDCWD, path, text, sizeof(text));
	return len > 0 && process_stat_parse(text, (size_t)len, STAT_FLAGS, fields) ?
		       fields[STAT_FLAGS] :
		       0;
}

static int diagnose_gather(pid_t tid, struct facts *f)
{
	char path[64], text[4096];
	uint64_t flags = kernel_flags(tid);

	memset(f, 0, sizeof(*f));
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (smallfile_read(AT_FDCWD, path, text, sizeof(text)) < 0)
		return -1;
	sscanf(diagnose_field(text, "Name:"), "%63[^\n]", f->name);
	f->state = diagnose_field(text, "\nState:")[0];
	f->tracer = strtol(diagnose_field(text, "\nTracerPid:"), NULL, 10);
	f->uid = strtol(diagnose_field(text, "\nUid:"), NULL, 10);
	f->threads = strtol(diagnose_field(text, "\nThreads:"), NULL, 10);
	f->kernel_thread = flags & PF_KTHREAD_FLAG;
	f->ending = flags & PF_EXITING_FLAG;
	return 0;
}

static bool has_capability(void)
{
	char text[4096];

	smallfile_read(AT_FDCWD, "/proc/self/status", text, sizeof(text));
	return strtoul(diagnose_field(text, "\nCapEff:"), NULL, 16) >> CAP_SYS_PTRACE_BIT & 1;
}

static int yama_scope(void)
{
	char text[16];

	smallfile_read(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text));
	return atoi(text);
}

static bool other_user_namespace(pid_t tid)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", tid);
	return stat("/proc/self/ns/user", &ours) == 0 && stat(path, &theirs) == 0 &&
	       (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

/* The /proc folder of a process that is not dumpable belongs to root (proc(5), /proc/PID), whatever
 * the user of the process is. */
static bool not_dumpable(pid_t tid, const struct facts *f)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", tid);
	return f->uid != 0 && stat(path, &st) == 0 && st.st_uid == 0;
}

static void read_tracer_name(const struct facts *f, char name[TRACER_NAME])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/comm", f->tracer);
	smallfile_read(AT_FDCWD, path, name, TRACER_NAME);
	name[strcspn(name, "\n")] = '\0';
}

static int traced_by_other(pid_t tid, const struct facts *f, struct error *err)
{
	char name[TRACER_NAME];

	read_tracer_name(f, name);
	return error_set(err, ERR_PERM,
			 "process %d ('%s') is already traced by PID %ld ('%s'); "
			 "only one tracer at a time is possible, end that one first",
			 tid, f->name, f->tracer, name);
}

static int without_capability(pid_t tid, const struct facts *f, struct error *err)
{
	long own_uid = (long)geteuid();

	if (f->uid != own_uid)
		return error_set(err, ERR_PERM,
				 "process %d ('%s') belongs to another user (uid %ld, we are %ld); "
				 "run as that user, as root, or with CAP_SYS_PTRACE",
				 tid, f->name, f->uid, own_uid);
	if (not_dumpable(tid, f))
		return error_set(
			err, ERR_PERM,
			"process %d ('%s') is not dumpable (set-user-ID, file capabilities "
			"or PR_SET_DUMPABLE); run as root or with CAP_SYS_PTRACE",
			tid, f->name);
	if (yama_scope() >= 1)
		return error_set(
			err, ERR_PERM,
			"Yama lets us trace only our own children (kernel.yama.ptrace_scope "
			"is %d); run as root, or set it to 0 with sysctl, to trace %d ('%s')",
			yama_scope(), tid, f->name);
	if (other_user_namespace(tid))
		return error_set(err, ERR_PERM,
				 "process %d ('%s') is in another user namespace; run in that "
				 "namespace or with CAP_SYS_PTRACE over it",
				 tid, f->name);
	return error_set(err, ERR_PERM,
			 "the kernel does not let us trace process %d ('%s'); CAP_SYS_PTRACE is "
			 "missing: run as root, or check seccomp and the container's settings",
			 tid, f->name);
}

static int with_capability(pid_t tid, const struct facts *f, struct error *err)
{
	if (yama_scope() >= 3)
		return error_set(err, ERR_PERM,
				 "Yama forbids all tracing until the next boot "
				 "(kernel.yama.ptrace_scope is 3), so process %d ('%s') cannot be "
				 "sampled",
				 tid, f->name);
	if (other_user_namespace(tid))
		return error_set(err, ERR_PERM,
				 "process %d ('%s') is in a user namespace over which we have no "
				 "CAP_SYS_PTRACE; run in that namespace or in its parent",
				 tid, f->name);
	return error_set(err, ERR_PERM,
			 "the kernel does not let us trace process %d ('%s') although we have "
			 "CAP_SYS_PTRACE; a security module or seccomp forbids it",
			 tid, f->name);
}

int process_diagnose(pid_t tid, struct error *err)
{
	struct facts f;

	if (diagnose_gather(tid, &f))
		return process_absent(tid, err);
	if (f.kernel_thread)
		return error_set(err, ERR_PERM,
				 "process %d ('%s') is a kernel thread; it has no stack of its own "
				 "in user space to sample",
				 tid, f.name);
	if (f.state == 'Z' && f.threads > 1)
		return error_set(
			err, ERR_GONE,
			"the main thread of process %d ('%s') has ended; its memory cannot "
			"be read then, although %ld more go on",
			tid, f.name, f.threads - 1);
	if (f.state == 'Z' || f.state == 'X')
		return error_set(err, ERR_GONE,
				 "process %d ('%s') is a zombie: it has ended and waits for its "
				 "parent to collect it",
				 tid, f.name);
	/* The process has released its memory and is not a zombie yet. */
	if (f.ending)
		return error_set(err, ERR_GONE, "process %d ('%s') is ending", tid, f.name);
	if (tid == getpid())
		return error_set(err, ERR_PERM, "process %d is sampler itself", tid);
	if (f.tracer > 0 && f.tracer != getpid())
		return traced_by_other(tid, &f, err);
	if (has_capability())
		return with_capability(tid, &f, err);
	return without_capability(tid, &f, err);
}

static bool has_other_tracer(const struct facts *f)
{
	return f->tracer > 0 && f->tracer != getpid();
}

/* EFAULT means that reading is permitted: nothing is mapped at address 1. */
int process_try_read(pid_t pid)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)1, 1 };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) < 0 && errno != EFAULT ? errno : 0;
}

/* Will this obstacle soon be gone? Another sampler traces for microseconds. When a thread other
 * than the leader executes a program, the leader is dead until that thread takes its place
 * (de_thread() in fs/exec.c). */
static bool diagnose_passes(const struct facts *f, int why)
{
	return has_other_tracer(f) ||
	       (why == ESRCH && !f->kernel_thread && (f->state != 'Z' || f->threads > 1));
}

static int check_width(pid_t pid, struct error *err)
{
	struct process p;
	int rc = process_open(&p, pid, err);

	if (rc)
		return rc;
	rc = process_check_width(&p, err);
	process_close(&p);
	return rc;
}

/* During an exec, /proc may show a false obstacle, such as the dead leader from before the exec and
 * the thread count from after it. So an obstacle counts only if it is seen several times. */
int process_may_trace(pid_t pid, struct error *err)
{
	const struct timespec pause = { .tv_nsec = LOOKS_NS };
	struct facts f;
	int why, looks = 0, firm = 0;

	do {
		why = process_try_read(pid);
		if (diagnose_gather(pid, &f))
			return process_absent(pid, err);
		firm = diagnose_passes(&f, why) ? 0 : firm + 1;
	} while (firm < (why ? FIRM_LOOKS : 1) && looks++ < LOOKS && !nanosleep(&pause, NULL));
	if (why == ENOSYS)
		return error_set(
			err, ERR_PERM,
			"process_vm_readv(2) does not exist here: seccomp hides it, or this is "
			"qemu's user emulation, which has no ptrace(2) either");
	if (why || pid == getpid())
		return process_diagnose(pid, err);
	/* The one obstacle that reading does not detect. */
	return has_other_tracer(&f) ? traced_by_other(pid, &f, err) : check_width(pid, err);
}

/* TracerPid is the number of the thread that traces (task_state() in fs/proc/array.c). */
pid_t process_tracer(pid_t tid, char name[TRACER_NAME])
{
	char own[64];
	struct facts f;

	if (diagnose_gather(tid, &f) || f.tracer <= 0)
		return 0;
	snprintf(own, sizeof(own), "/proc/self/task/%ld", f.tracer);
	if (!access(own, F_OK))
		return 0;
	read_tracer_name(&f, name);
	return (pid_t)f.tracer;
}

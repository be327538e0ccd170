/*
 * The frames of a kernel stack come innermost first, one a line: "[<0>] vfs_read+0x9d/0x330". So
 * the last line says how the thread entered the kernel, and the lines before it, read upwards, what
 * it did there. An entry by an interrupt or an exception means that it was in user code. After the
 * entry of a system call comes the function of the call, or one of those that end it. Functions of
 * the scheduler are not in the text (stack_trace_consume_entry_nosched, kernel/stacktrace.c), so it
 * begins with the caller of schedule().
 *
 * Calls are listed by what is known about them in the kernel's source. What is not listed is
 * delicate. Reads, writes, and what is done with sockets depend on the file: they are decided by
 * the functions further inside. Where that is a function of a file system or protocol that was not
 * read, the call is delicate, too.
 *
 * Rejected: /proc/TID/syscall, which says "running" of a preempted thread; wchan, which is 0 for
 * it; deciding by the caller of schedule() alone, which is the same function for many files.
 */
#include "sampler/thread/preempted.h"

#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/cursor.h"
#include "sampler/thread/syscalls.h"

enum { FRAMES = 64 /* MAX_STACK_TRACE_DEPTH, fs/proc/base.c */ };

/* A function's name, without what a compiler adds: "el0_svc_common.constprop.0". */
struct preempted_frame {
	const char *name;
	size_t len;
};

struct preempted_frames {
	struct preempted_frame all[FRAMES]; /* innermost first */
	size_t count;
};

static bool preempted_begins(const struct preempted_frame *f, const char *with)
{
	size_t len = strlen(with);

	return *f->name == *with && f->len >= len && !memcmp(f->name, with, len);
}

static bool preempted_is(const struct preempted_frame *f, const char *name)
{
	return *f->name == *name && f->len == strlen(name) && !memcmp(f->name, name, f->len);
}

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_any(const struct preempted_frame *f, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (preempted_is(f, names[i]))
			return true;
	return false;
}

static bool begins_any(const struct preempted_frame *f, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (preempted_begins(f, names[i]))
			return true;
	return false;
}

static bool is_name_byte(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_';
}

/* Of "[<0>] name.part.0+0x12/0x340 [module]" the name. */
static bool preempted_parse_line(struct cursor *line, struct preempted_frame *f)
{
	const uint8_t *blank = memchr(line->pos, ' ', cursor_left(line));

	if (!blank || !cursor_bytes(line, (uint64_t)(blank + 1 - line->pos)))
		return false;
	f->name = (const char *)line->pos;
	f->len = 0;
	while (f->len < cursor_left(line) && is_name_byte(line->pos[f->len]))
		f->len++;
	return f->len && memchr(line->pos, '+', cursor_left(line));
}

/* False if any line is not a frame, if there are none, or if the last one may have been cut off. */
static bool parse_frames(struct preempted_frames *frames, const char *text, size_t len)
{
	struct cursor c, line;

	frames->count = 0;
	if (!len || text[len - 1] != '\n')
		return false;
	cursor_init(&c, text, len, "kernel stack");
	while (cursor_line(&c, &line))
		if (frames->count == FRAMES ||
		    !preempted_parse_line(&line, &frames->all[frames->count++]))
			return false;
	return frames->count;
}

/* How the thread came into the kernel. */

static bool is_call_entry(const struct preempted_frame *f)
{
	static const char *const names[] = {
		"entry_SYSCALL_64_after_hwframe", "el0t_64_sync", "el0_sync",
		"asm_fred_entrypoint_user", /* Intel's FRED: calls and interrupts alike */
	};

	return is_any(f, names, COUNT(names));
}

/* Of 32-bit code. el0t_32_sync is also its page faults. */
static bool is_compat_entry(const struct preempted_frame *f)
{
	static const char *const names[] = {
		"entry_INT80_compat",	 "asm_int80_emulation",
		"int80_emulation",	 "entry_SYSENTER_compat_after_hwframe",
		"entry_SYSENTER_compat", "entry_SYSCALL_compat_after_hwframe",
		"el0t_32_sync",		 "el0_sync_compat",
	};

	return is_any(f, names, COUNT(names));
}

/* Interrupts and exceptions, in user or in kernel mode. */
static bool is_interrupt(const struct preempted_frame *f)
{
	static const char *const prefixes[] = { "asm_sysvec_", "asm_exc_",	"el0t_64_irq",
						"el0t_64_fiq", "el0t_64_error", "el0t_32_irq",
						"el0t_32_fiq", "el1h_64_irq",	"el1h_64_fiq" };
	static const char *const names[] = { "asm_common_interrupt",
					     "asm_spurious_interrupt",
					     "common_interrupt",
					     "apic_timer_interrupt",
					     "el0_irq",
					     "el0_irq_compat",
					     "el1_irq" };

	return begins_any(f, prefixes, COUNT(prefixes)) || is_any(f, names, COUNT(names));
}

/* Exceptions of user code that aarch64 enters as it enters a system call; and FRED's. */
static bool is_exception(const struct preempted_frame *f)
{
	static const char *const names[] = {
		"el0_da",	  "el0_ia",	    "el0_undef",   "el0_pc",
		"el0_sp",	  "el0_dbg",	    "el0_sys",	   "el0_bti",
		"el0_fpac",	  "el0_mops",	    "el0_gcs",	   "el0_breakpt",
		"el0_inv",	  "el0_softstp",    "el0_watchpt", "el0_brk64",
		"el0_fpsimd_acc", "el0_sve_acc",    "el0_sme_acc", "el0_fpsimd_exc",
		"fred_extint",	  "fred_exception", "fred_hwexc",  "irqentry_exit_to_user_mode",
	};

	return is_any(f, names, COUNT(names));
}

static bool is_dispatch(const struct preempted_frame *f)
{
	static const char *const names[] = {
		"do_syscall_64",	"x64_sys_call",	  "do_syscall_x64",
		"fred_entry_from_user", "fred_other",	  "el0t_64_sync_handler",
		"el0_sync_handler",	"el0_svc",	  "el0_svc_handler",
		"do_el0_svc",		"el0_svc_common", "invoke_syscall",
		"__invoke_syscall",
	};

	return is_any(f, names, COUNT(names));
}

/* What follows when the call has its result (kernel/entry/common.c; aarch64 until 6.12:
 * arch/arm64/kernel/entry-common.c, 5.10: entry.S). */
static bool preempted_is_exit(const struct preempted_frame *f)
{
	static const char *const names[] = {
		"syscall_exit_to_user_mode",
		"syscall_exit_to_user_mode_work",
		"__syscall_exit_to_user_mode_work",
		"exit_to_user_mode_prepare",
		"exit_to_user_mode_loop",
		"__exit_to_user_mode_loop",
		"exit_to_user_mode",
		"exit_to_usermode_loop",
		"prepare_exit_to_usermode",
		"syscall_return_slowpath",
		"arm64_exit_to_user_mode",
		"prepare_exit_to_user_mode",
		"arm64_syscall_exit_to_user_mode",
		"do_notify_resume",
		"work_pending",
		"ret_to_user",
	};

	return is_any(f, names, COUNT(names));
}

/* Whatever the call or fault: a daemon or server is told of the interruption, or was not read. With
 * task_work_run, what the thread has still to do is unknown (a socket's last close); with
 * get_signal it is about to handle a signal or to end. */
static bool is_feared(const struct preempted_frame *f)
{
	static const char *const prefixes[] = { "fuse_",    "__fuse_",	"p9_",	     "v9fs_",
						"cifs_",    "smb2_",	"SMB2_",     "nfs",
						"ceph_",    "afs_",	"tls_",	     "mptcp_",
						"tcp_bpf_", "udp_bpf_", "unix_bpf_", "smc_",
						"vsock_" };
	static const char *const names[] = { "request_wait_answer", "handle_userfault",
					     "get_signal", "seccomp_do_user_notification",
					     "ptrace_stop" };

	return begins_any(f, prefixes, COUNT(prefixes)) || is_any(f, names, COUNT(names));
}

/* NUMA balancing (task_numa_work, kernel/sched/fair.c) looks for no signals. */
static bool fears(const struct preempted_frames *frames)
{
	for (size_t i = 0; i < frames->count; i++) {
		const struct preempted_frame *f = &frames->all[i];

		if (is_feared(f) || (preempted_is(f, "task_work_run") &&
				     (!i || !preempted_is(f - 1, "task_numa_work"))))
			return true;
	}
	return false;
}

/* System calls. */

enum class {
	DELICATE,
	BEARS,	 /* looks for no signals, or for fatal ones; or is made again by the kernel or us */
	BY_PATH, /* bears it unless a file system's daemon answers (PREEMPTED_IF_MOUNTS) */
	BY_FILE, /* by the functions further inside */
	BY_FILE_MANY, /* the same, but several messages: the first ones may be the result */
	FUTEX,
	MADVISE,
	MMAP,
	IOCTL,
};

/* clang-format off */
static const uint8_t classes[] = {
	/* Numbers, clocks, limits, masks: no waits (kernel/sys.c, kernel/time, kernel/sched). */
	[SYS_getpid] = BEARS, [SYS_gettid] = BEARS, [SYS_getppid] = BEARS, [SYS_getuid] = BEARS,
	[SYS_geteuid] = BEARS, [SYS_getgid] = BEARS, [SYS_getegid] = BEARS, [SYS_getresuid] = BEARS,
	[SYS_getresgid] = BEARS, [SYS_getpgid] = BEARS, [SYS_getsid] = BEARS, [SYS_getgroups] = BEARS,
	[SYS_getcpu] = BEARS, [SYS_uname] = BEARS, [SYS_sysinfo] = BEARS, [SYS_umask] = BEARS,
	[SYS_times] = BEARS, [SYS_getrusage] = BEARS, [SYS_gettimeofday] = BEARS,
	[SYS_clock_gettime] = BEARS, [SYS_clock_getres] = BEARS, [SYS_getrlimit] = BEARS,
	[SYS_setrlimit] = BEARS, [SYS_prlimit64] = BEARS, [SYS_getpriority] = BEARS,
	[SYS_setpriority] = BEARS, [SYS_capget] = BEARS, [SYS_set_tid_address] = BEARS,
	[SYS_set_robust_list] = BEARS, [SYS_get_robust_list] = BEARS, [SYS_rseq] = BEARS,
	[SYS_membarrier] = BEARS, [SYS_sched_yield] = BEARS, [SYS_sched_getaffinity] = BEARS,
	[SYS_sched_getscheduler] = BEARS, [SYS_sched_getparam] = BEARS, [SYS_sched_getattr] = BEARS,
	[SYS_getitimer] = BEARS, [SYS_setitimer] = BEARS, [SYS_timer_settime] = BEARS,
	[SYS_timer_gettime] = BEARS, [SYS_timer_getoverrun] = BEARS, [SYS_timerfd_create] = BEARS,
	[SYS_timerfd_settime] = BEARS, [SYS_timerfd_gettime] = BEARS,
	/* Signals (kernel/signal.c). */
	[SYS_rt_sigaction] = BEARS, [SYS_rt_sigprocmask] = BEARS, [SYS_rt_sigpending] = BEARS,
	[SYS_rt_sigreturn] = BEARS, [SYS_sigaltstack] = BEARS, [SYS_kill] = BEARS, [SYS_tkill] = BEARS,
	[SYS_tgkill] = BEARS, [SYS_rt_sigqueueinfo] = BEARS, [SYS_rt_tgsigqueueinfo] = BEARS,
	/* Memory: fatal signals only (mm/mmap.c, mm/mprotect.c, mm/mremap.c, mm/mlock.c,
	 * mm/gup.c). */
	[SYS_munmap] = BEARS, [SYS_mprotect] = BEARS, [SYS_brk] = BEARS, [SYS_mremap] = BEARS,
	[SYS_mincore] = BEARS, [SYS_mlock] = BEARS, [SYS_munlock] = BEARS, [SYS_madvise] = MADVISE,
	[SYS_mmap] = MMAP,
	/* Descriptors without waits (fs/eventfd.c, fs/eventpoll.c, fs/pipe.c). */
	[SYS_eventfd2] = BEARS, [SYS_epoll_create1] = BEARS, [SYS_epoll_ctl] = BEARS, [SYS_pipe2] = BEARS,
	/* Waits that go on or that are made again (docs/calls.md). */
	[SYS_epoll_pwait] = BEARS, [SYS_epoll_pwait2] = BEARS, [SYS_pselect6] = BEARS,
	[SYS_ppoll] = BEARS, [SYS_rt_sigsuspend] = BEARS, [SYS_rt_sigtimedwait] = BEARS,
	[SYS_wait4] = BEARS, [SYS_waitid] = BEARS, [SYS_semop] = BEARS, [SYS_semtimedop] = BEARS,
	[SYS_msgrcv] = BEARS, [SYS_msgsnd] = BEARS, [SYS_mq_timedsend] = BEARS,
	[SYS_restart_syscall] = BEARS, [SYS_futex] = FUTEX, [SYS_clone] = BEARS, [SYS_clone3] = BEARS,
#ifdef SYS_futex_waitv
	[SYS_futex_waitv] = BEARS,
#endif
	/* Files by name or of any kind, which are only looked at (fs/stat.c, fs/open.c,
	 * fs/read_write.c). */
	[SYS_fstat] = BY_PATH, [SYS_newfstatat] = BY_PATH, [SYS_statx] = BY_PATH,
	[SYS_faccessat] = BY_PATH, [SYS_faccessat2] = BY_PATH, [SYS_readlinkat] = BY_PATH,
	[SYS_lseek] = BY_PATH, [SYS_getcwd] = BEARS,
	/* Data. */
	[SYS_read] = BY_FILE, [SYS_readv] = BY_FILE, [SYS_pread64] = BY_FILE, [SYS_preadv] = BY_FILE,
	[SYS_preadv2] = BY_FILE, [SYS_write] = BY_FILE, [SYS_writev] = BY_FILE, [SYS_pwrite64] = BY_FILE,
	[SYS_pwritev] = BY_FILE, [SYS_pwritev2] = BY_FILE, [SYS_recvfrom] = BY_FILE,
	[SYS_recvmsg] = BY_FILE, [SYS_sendto] = BY_FILE, [SYS_sendmsg] = BY_FILE, [SYS_accept] = BY_FILE,
	[SYS_accept4] = BY_FILE, [SYS_recvmmsg] = BY_FILE_MANY, [SYS_sendmmsg] = BY_FILE_MANY,
	[SYS_ioctl] = IOCTL,
#ifdef __x86_64__ /* not on newer architectures */
	[SYS_time] = BEARS, [SYS_getpgrp] = BEARS, [SYS_alarm] = BEARS, [SYS_arch_prctl] = BEARS,
	[SYS_eventfd] = BEARS, [SYS_epoll_create] = BEARS, [SYS_pipe] = BEARS, [SYS_epoll_wait] = BEARS,
	[SYS_poll] = BEARS, [SYS_select] = BEARS, [SYS_pause] = BEARS, [SYS_fork] = BEARS,
	[SYS_vfork] = BEARS, [SYS_stat] = BY_PATH, [SYS_lstat] = BY_PATH, [SYS_access] = BY_PATH,
	[SYS_readlink] = BY_PATH,
#endif
};

/*
 * What a function of the call says about the file.
 */

static const char *const bear[] = {
	/* ERESTARTSYS with nothing done, or no waits (fs/pipe.c, fs/eventfd.c, fs/timerfd.c, …). */
	"pipe_read", "anon_pipe_read", "fifo_pipe_read", "eventfd_read", "eventfd_write",
	"timerfd_read", "timerfd_read_iter", "signalfd_read", "signalfd_read_iter", "inotify_read",
	/* One message, whole or not at all; EINTR is repaired (net/core/datagram.c,
	 * net/unix/af_unix.c). */
	"unix_dgram_recvmsg", "__unix_dgram_recvmsg", "unix_dgram_sendmsg", "udp_recvmsg",
	"udpv6_recvmsg", "netlink_recvmsg", "unix_accept", "inet_csk_accept",
	/* Files whose reads and writes look for fatal signals only. */
	"ext4_file_read_iter", "ext4_file_write_iter", "ext4_buffered_write_iter",
	"xfs_file_read_iter", "xfs_file_buffered_read", "xfs_file_write_iter",
	"xfs_file_buffered_write", "btrfs_file_read_iter", "btrfs_file_write_iter",
	"btrfs_do_write_iter", "btrfs_buffered_write", "shmem_file_read_iter",
	"shmem_file_write_iter",
};

/* A part, if the call has to wait for room or for data (pipe_write, sk_stream_wait_memory,
 * sock_alloc_send_pskb; tcp_recvmsg_locked, unix_stream_read_generic). */
static const char *const bear_if_nonblocking[] = {
	"pipe_write", "anon_pipe_write", "fifo_pipe_write", "unix_stream_sendmsg",
	"unix_stream_recvmsg", "unix_stream_read_generic", "udp_sendmsg", "udpv6_sendmsg",
	"tcp_sendmsg", "tcp_sendmsg_locked", "tcp_recvmsg", "tcp_recvmsg_locked",
};

/* Of any file system, FUSE and others too; its own function lies further outside. */
static const char *const bear_if_mounts[] = {
	"filemap_read", "generic_file_read_iter", "generic_file_buffered_read",
	"generic_perform_write", "generic_file_write_iter", "__generic_file_write_iter",
	"iomap_file_buffered_write",
};
/* clang-format on */

/* The call of a function such as __x64_sys_read; -1 if it is of none, or of 32-bit code's. */
static int preempted_number_of(const struct preempted_frame *f)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__do_sys_",
						"__se_sys_" };
	static const char *const others[][2] = {
		{ "sendfile64", "sendfile" },	 { "newfstat", "fstat" }, { "newstat", "stat" },
		{ "newlstat", "lstat" },	 { "newuname", "uname" }, { "umount", "umount2" },
		{ "fadvise64_64", "fadvise64" },
	};

	for (size_t i = 0; i < COUNT(prefixes); i++) {
		size_t len = strlen(prefixes[i]);
		struct preempted_frame name = { f->name + len, f->len - len };

		if (!preempted_begins(f, prefixes[i]))
			continue;
		for (size_t j = 0; j < COUNT(others); j++)
			if (preempted_is(&name, others[j][0]))
				return syscall_number(others[j][1], strlen(others[j][1]));
		return syscall_number(name.name, name.len);
	}
	return -1;
}

/* The call of a function that only this call and its variants call. The call's own function, if it
 * calls it as its last act, leaves no frame. */
static int number_of_inner(const struct preempted_frame *f)
{
	static const struct {
		const char *name;
		int number;
	} inner[] = {
		{ "ksys_read", SYS_read },	     { "ksys_write", SYS_write },
		{ "ksys_pread64", SYS_pread64 },     { "ksys_pwrite64", SYS_pwrite64 },
		{ "do_readv", SYS_readv },	     { "do_writev", SYS_writev },
		{ "do_preadv", SYS_preadv },	     { "do_pwritev", SYS_pwritev },
		{ "do_sendfile", SYS_sendfile },     { "vfs_copy_file_range", SYS_copy_file_range },
		{ "ksys_fallocate", SYS_fallocate }, { "do_sys_openat2", SYS_openat },
		{ "do_faccessat", SYS_faccessat },   { "do_readlinkat", SYS_readlinkat },
		{ "__sys_recvfrom", SYS_recvfrom },  { "__sys_sendto", SYS_sendto },
		{ "__sys_recvmsg", SYS_recvmsg },    { "__sys_sendmsg", SYS_sendmsg },
		{ "__sys_recvmmsg", SYS_recvmmsg },  { "__sys_sendmmsg", SYS_sendmmsg },
		{ "__sys_accept4", SYS_accept4 },    { "__sys_connect", SYS_connect },
		{ "vm_mmap_pgoff", SYS_mmap },	     { "ksys_mmap_pgoff", SYS_mmap },
		{ "__vm_munmap", SYS_munmap },	     { "do_mprotect_pkey", SYS_mprotect },
		{ "do_madvise", SYS_madvise },	     { "do_futex", SYS_futex },
		{ "kernel_clone", SYS_clone },	     { "kernel_wait4", SYS_wait4 },
	};

	for (size_t i = 0; i < COUNT(inner); i++)
		if (preempted_is(f, inner[i].name))
			return inner[i].number;
	return -1;
}

static bool preempted_has(const struct preempted_frame *inside, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (preempted_is(&inside[i], name))
			return true;
	return false;
}

static struct preempted preempted_at(enum preempted_place place, int number, unsigned bears)
{
	return (struct preempted){ place, number, bears };
}

/* Reads, writes, messages. A send over TCP that releases the socket has its result
 * (tcp_sendmsg). */
static struct preempted by_file(int number, const struct preempted_frame *inside, size_t count,
				bool many)
{
	for (size_t i = count; i-- > 0;) {
		if (!many && i && preempted_is(&inside[i], "tcp_sendmsg") &&
		    preempted_is(&inside[i - 1], "release_sock"))
			return preempted_at(PREEMPTED_BEARS, number, 0);
		if (is_any(&inside[i], bear, COUNT(bear)))
			return preempted_at(many ? PREEMPTED_DELICATE : PREEMPTED_BEARS, number,
					    many ? PREEMPTED_IF_NONBLOCKING : 0);
		if (is_any(&inside[i], bear_if_nonblocking, COUNT(bear_if_nonblocking)))
			return preempted_at(PREEMPTED_DELICATE, number, PREEMPTED_IF_NONBLOCKING);
		if (is_any(&inside[i], bear_if_mounts, COUNT(bear_if_mounts)))
			return preempted_at(PREEMPTED_DELICATE, number, PREEMPTED_IF_MOUNTS);
	}
	return preempted_at(PREEMPTED_DELICATE, number, 0);
}

static struct preempted preempted_bears_if(bool bears, int number)
{
	return preempted_at(bears ? PREEMPTED_BEARS : PREEMPTED_DELICATE, number, 0);
}

/* In the call, with `count` frames further inside. */
static struct preempted in_call(int number, const struct preempted_frame *inside, size_t count)
{
	enum class class = number >= 0 && (size_t)number < COUNT(classes) ?
				   (enum class)classes[number] :
				   DELICATE;

	switch (class) {
	case BEARS:
		return preempted_at(PREEMPTED_BEARS, number, 0);
	case BY_PATH:
		return preempted_at(PREEMPTED_DELICATE, number, PREEMPTED_IF_MOUNTS);
	case BY_FILE:
		return by_file(number, inside, count, false);
	case BY_FILE_MANY:
		return by_file(number, inside, count, true);
	case FUTEX: /* EWOULDBLOCK once it has been requeued */
		return preempted_bears_if(!preempted_has(inside, count, "futex_wait_requeue_pi"),
					  number);
	case MADVISE: /* MADV_REMOVE is the file system's fallocate, MADV_WILLNEED its fadvise */
		return preempted_bears_if(!preempted_has(inside, count, "vfs_fallocate") &&
						  !preempted_has(inside, count, "vfs_fadvise"),
					  number);
	case MMAP: /* a file's or driver's own part is over when the pages are filled in */
		return preempted_bears_if(preempted_has(inside, count, "__mm_populate"), number);
#ifdef __x86_64__
	case IOCTL: /* KVM_RUN, which is entered again */
		return preempted_bears_if(preempted_has(inside, count, "kvm_arch_vcpu_ioctl_run"),
					  number);
#endif
	default:
		return preempted_at(PREEMPTED_DELICATE, number, 0);
	}
}

/* On the way out of a call or exception with `count` frames further inside: it has only been
 * preempted there, or been interrupted. Other work that is done there was looked for by fears(). */
static bool only_leaves(const struct preempted_frame *inside, size_t count)
{
	while (count && preempted_is_exit(&inside[count - 1]))
		count--;
	return !count || is_interrupt(&inside[count - 1]) ||
	       preempted_is(&inside[count - 1], "task_work_run");
}

/* By the frames inside an entry that system calls use. */
static struct preempted after_entry(const struct preempted_frames *frames, size_t count)
{
	const struct preempted_frame *f = frames->all;

	while (count && is_dispatch(&f[count - 1]))
		count--;
	if (!count) /* before the call or after it */
		return preempted_at(PREEMPTED_DELICATE, -1, 0);
	if (is_exception(&f[count - 1]))
		return preempted_at(PREEMPTED_IN_USER, -1, 0);
	if (preempted_is_exit(&f[count - 1]))
		return preempted_at(
			only_leaves(f, count) ? PREEMPTED_CALL_OVER : PREEMPTED_DELICATE, -1, 0);
	count--;
	return preempted_number_of(&f[count]) >= 0 ?
		       in_call(preempted_number_of(&f[count]), f, count) :
		       in_call(number_of_inner(&f[count]), f, count + 1);
}

static struct preempted preempted_decide(const struct preempted_frames *frames)
{
	const struct preempted_frame *entry = &frames->all[frames->count - 1];

	if (is_compat_entry(entry))
		return preempted_at(PREEMPTED_DELICATE, -1, 0);
	if (is_interrupt(entry))
		return preempted_at(PREEMPTED_IN_USER, -1, 0);
	if (is_call_entry(entry))
		return after_entry(frames, frames->count - 1);
	/* A new thread that has not been in user mode yet. */
	if (preempted_begins(entry, "ret_from_fork") && frames->count > 1 &&
	    preempted_is_exit(frames->count > 2 && preempted_is(entry - 1, "ret_from_fork") ?
				      entry - 2 :
				      entry - 1))
		return preempted_at(PREEMPTED_CALL_OVER, -1, 0);
	return preempted_at(PREEMPTED_UNKNOWN, -1, 0);
}

struct preempted preempted_parse(const char *text, size_t len)
{
	struct preempted_frames frames;
	struct preempted p;

	if (!parse_frames(&frames, text, len))
		return preempted_at(PREEMPTED_UNKNOWN, -1, 0);
	p = preempted_decide(&frames);
	if (p.place != PREEMPTED_UNKNOWN && fears(&frames))
		return preempted_at(PREEMPTED_DELICATE, p.number, 0);
	return p;
}

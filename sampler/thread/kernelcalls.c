/* The lists, by the kernel's source. What is not listed is delicate. */
#include "sampler/thread/kernelcalls.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "sampler/thread/kernelframe.h"
#include "sampler/thread/syscalls.h"

/* As short as the table needs them. */
enum {
	BEARS = KERNELCALL_BEARS,
	BY_PATH = KERNELCALL_BY_PATH,
	BY_FILE = KERNELCALL_BY_FILE,
	BY_FILE_MANY = KERNELCALL_BY_FILE_MANY,
	FUTEX = KERNELCALL_FUTEX,
	MADVISE = KERNELCALL_MADVISE,
	MMAP = KERNELCALL_MMAP,
	IOCTL = KERNELCALL_IOCTL,
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

enum kernelcall_class kernelcall_class(int number)
{
	bool listed = number >= 0 && (size_t)number < KERNELFRAME_COUNT(classes);

	return listed ? (enum kernelcall_class)classes[number] : KERNELCALL_DELICATE;
}

enum kernelcall_file kernelcall_file(const struct kernelframe *f)
{
	if (kernelframe_is_any(f, bear, KERNELFRAME_COUNT(bear)))
		return KERNELFILE_BEARS;
	if (kernelframe_is_any(f, bear_if_nonblocking, KERNELFRAME_COUNT(bear_if_nonblocking)))
		return KERNELFILE_IF_NONBLOCKING;
	if (kernelframe_is_any(f, bear_if_mounts, KERNELFRAME_COUNT(bear_if_mounts)))
		return KERNELFILE_IF_MOUNTS;
	return KERNELFILE_NONE;
}

int kernelcall_number(const struct kernelframe *f)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__do_sys_",
						"__se_sys_" };
	static const char *const others[][2] = {
		{ "sendfile64", "sendfile" },	 { "newfstat", "fstat" }, { "newstat", "stat" },
		{ "newlstat", "lstat" },	 { "newuname", "uname" }, { "umount", "umount2" },
		{ "fadvise64_64", "fadvise64" },
	};

	for (size_t i = 0; i < KERNELFRAME_COUNT(prefixes); i++) {
		size_t len = strlen(prefixes[i]);
		struct kernelframe name = { f->name + len, f->len - len };

		if (!kernelframe_begins(f, prefixes[i]))
			continue;
		for (size_t j = 0; j < KERNELFRAME_COUNT(others); j++)
			if (kernelframe_is(&name, others[j][0]))
				return syscall_number(others[j][1], strlen(others[j][1]));
		return syscall_number(name.name, name.len);
	}
	return -1;
}

int kernelcall_number_inside(const struct kernelframe *f)
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

	for (size_t i = 0; i < KERNELFRAME_COUNT(inner); i++)
		if (kernelframe_is(f, inner[i].name))
			return inner[i].number;
	return -1;
}

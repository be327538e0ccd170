/*
 * What is known about individual system calls. Each was looked up in the kernel's source; the
 * kernel's function is named beside it. docs/calls.md says what that function does, and why the
 * other calls are not listed here. A call that is added here needs a row there.
 *
 * A call may also fail with EINTR because a FUSE daemon or a driver returned that. Only the call's
 * number and arguments distinguish this from our stop. So the list holds only calls that are known
 * to have done nothing, and a call that is not listed returns its error. close is one that must not
 * be listed: when it fails, its descriptor is already closed, and the number may stand for a file
 * that another thread has opened since.
 *
 * Sockets, pipes and the like are recognized by the text of /proc/PID/fd/N, which cannot be forged:
 * the text of a file begins with a slash. Only a socket's descriptor is copied (pidfd_getfd), since
 * nothing else tells its options. The copy of a terminal's or a device's descriptor could become
 * the last one, and closing it would have effects.
 *
 * Rejected: opening /proc/PID/fd/N, which opens the file anew; fstatfs, which sends a request to a
 * FUSE daemon, and that may be the target.
 */
#include "sampler/thread/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/buffer.h"
#include "base/cursor.h"
#include "base/descriptor.h"
#include "base/process/process.h"
#include "sampler/thread/threads.h"

enum { KVM_RUN = 0xae80 }; /* linux/kvm.h */

/* Descriptors. */

/* Of what has a path. Sends no request to a file system's daemon, and mounts nothing. */
static enum descriptor kind_by_mode(const struct process *process, const char *link)
{
	int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
	struct statx st;

	if (statx(process->proc_fd, link, flags, STATX_TYPE, &st))
		return DESCRIPTOR_UNKNOWN;
	return S_ISFIFO(st.stx_mode) ? DESCRIPTOR_PIPE :
	       S_ISREG(st.stx_mode)  ? DESCRIPTOR_FILE :
				       DESCRIPTOR_UNKNOWN;
}

enum descriptor descriptor_kind(const struct process *process, uint64_t fd)
{
	static const char *const events[] = { "[eventfd]", "[timerfd]",	 "[signalfd]",
					      "inotify",   "[fanotify]", "[userfaultfd]" };
	char link[32], is[64] = "";

	snprintf(link, sizeof(link), "fd/%d", (int)fd);
	if (!process || readlinkat(process->proc_fd, link, is, sizeof(is) - 1) < 0)
		return DESCRIPTOR_UNKNOWN;
	if (begins_with(is, "socket:["))
		return DESCRIPTOR_SOCKET;
	if (is[0] == '/')
		return kind_by_mode(process, link);
	if (begins_with(is, "pipe:["))
		return DESCRIPTOR_PIPE;
	if (!strcmp(is, "anon_inode:[eventpoll]"))
		return DESCRIPTOR_EPOLL;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (begins_with(is, "anon_inode:") &&
		    !strcmp(is + strlen("anon_inode:"), events[i]))
			return DESCRIPTOR_EVENTS;
	return DESCRIPTOR_UNKNOWN;
}

/* -1 if the socket has no such option. */
static int option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = 0;

	return getsockopt(fd, level, name, &value, &len) ? -1 : value;
}

static bool has_timeout(int fd, int which)
{
	struct timeval tv = { 0, 0 };
	socklen_t len = sizeof(tv);

	return getsockopt(fd, SOL_SOCKET, which, &tv, &len) || tv.tv_sec || tv.tv_usec;
}

/* TCP without a protocol on top (TCP_ULP): TLS in the kernel and the like work in other ways. */
static bool is_plain_tcp(int fd)
{
	char above[16] = "";
	socklen_t len = sizeof(above);

	return option(fd, SOL_SOCKET, SO_TYPE) == SOCK_STREAM &&
	       option(fd, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP &&
	       !getsockopt(fd, IPPROTO_TCP, TCP_ULP, above, &len) && !len;
}

/* Receiving and accepting: unix_stream_read_generic, __unix_dgram_recvmsg, unix_accept;
 * tcp_recvmsg_locked, inet_csk_accept; __skb_recv_udp; netlink_recvmsg. Each waits before it has
 * taken anything, unless the low-water mark requires more than there was. Sending and connecting:
 * unix_stream_sendmsg, unix_dgram_sendmsg, unix_stream_connect; tcp_sendmsg_locked,
 * __inet_stream_connect. If anything was sent, that is the result. A connect that carries data is
 * different (TCP_FASTOPEN_CONNECT); a UDP send that fails drops corked data. */
static bool thread_calls_ask(int fd, struct socket_waits *socket)
{
	int domain = option(fd, SOL_SOCKET, SO_DOMAIN);
	bool inet = domain == AF_INET || domain == AF_INET6;
	bool tcp = inet && is_plain_tcp(fd);
	bool udp = inet && option(fd, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_UDP;

	socket->receives_at_once = option(fd, SOL_SOCKET, SO_RCVLOWAT) == 1;
	socket->receives_timed = has_timeout(fd, SO_RCVTIMEO);
	socket->sends = domain == AF_UNIX ||
			(tcp && option(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT) == 0);
	return domain == AF_UNIX || domain == AF_NETLINK || tcp || udp;
}

bool socket_ask(const struct process *process, uint64_t target_fd, struct socket_waits *socket)
{
	bool known;
	int fd;

	if (descriptor_kind(process, target_fd) != DESCRIPTOR_SOCKET)
		return false;
	fd = (int)syscall(SYS_pidfd_getfd, process->pid_fd, (int)target_fd, 0);
	if (fd < 0)
		return false;
	known = thread_calls_ask(fd, socket);
	close(fd);
	return known;
}

/* Entering again. */

/* TCSBRK waits until a terminal's output has been sent (tty_wait_until_sent). With an argument of 0
 * it also sends a break, so it is not made again then. KVM_RUN: a guest continues where it was
 * (xfer_to_guest_mode_work, kvm_arch_vcpu_ioctl_run). */
static bool control_again(const struct call *call)
{
	if (call->args[1] == TCSBRK)
		return call->args[2];
#ifdef __x86_64__
	return call->args[1] == KVM_RUN;
#else
	return false;
#endif
}

static bool send_again(const struct call *call, const struct process *process, uint64_t flags)
{
	struct socket_waits socket;

	return !(flags & (MSG_FASTOPEN | MSG_ZEROCOPY)) &&
	       socket_ask(process, call->args[0], &socket) && socket.sends;
}

static bool again_after_eintr(const struct call *call, const struct process *process)
{
	const uint64_t *a = call->args;
	struct socket_waits socket;

	switch (call->number) {
#ifdef SYS_epoll_wait /* not on newer architectures */
	case SYS_epoll_wait:
	case SYS_select:
#endif
	case SYS_epoll_pwait: /* ep_poll */
	case SYS_epoll_pwait2:
	case SYS_pselect6: /* poll_select_finish */
	case SYS_ppoll:
	case SYS_rt_sigtimedwait: /* do_sigtimedwait */
	case SYS_semop:		  /* __do_semtimedop */
	case SYS_semtimedop:
	case SYS_io_getevents: /* do_io_getevents: EINTR only with no event */
		return true;
	case SYS_io_uring_enter: /* io_cqring_wait: EINTR if nothing is submitted or completed */
		return !(uint32_t)a[1];
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg: /* do_recvmmsg: EINTR only with no message */
	case SYS_accept:
	case SYS_accept4:
		return socket_ask(process, a[0], &socket);
	case SYS_write:
	case SYS_writev:
	case SYS_connect:
		return send_again(call, process, 0);
	case SYS_sendto:
	case SYS_sendmmsg: /* __sys_sendmmsg: EINTR only with no message */
		return send_again(call, process, a[3]);
	case SYS_sendmsg:
		return send_again(call, process, a[2]);
	case SYS_ioctl:
		return control_again(call);
	default:
		return false;
	}
}

bool call_may_be_made_again(const struct call *call, int64_t result, const struct process *process)
{
	if (result == -EINTR)
		return again_after_eintr(call, process);
	/* do_check checks for signals at each instruction that it follows, and returns EAGAIN. The
	 * program is not in use yet, and what was written to its log is written again. */
	return result == -EAGAIN && call->number == SYS_bpf && call->args[0] == BPF_PROG_LOAD;
}

/* Transfers. */

bool call_transfers(const struct call *call)
{
	const uint64_t *a = call->args;

	switch (call->number) {
	case SYS_write: /* a pipe takes up to PIPE_BUF bytes as one piece (pipe_write) */
	case SYS_sendto:
	case SYS_tee:
		return a[2] > PIPE_BUF;
	case SYS_sendfile:
		return a[3] > PIPE_BUF;
	case SYS_splice:
		return a[4] > PIPE_BUF;
	case SYS_writev: /* the size is in the target's memory */
	case SYS_vmsplice:
	case SYS_sendmsg:
	case SYS_sendmmsg:
		return true;
	case SYS_pwritev2: /* at the file's own position it is a writev */
		return a[3] == UINT64_MAX;
	case SYS_recvfrom:
		return a[3] & MSG_WAITALL && a[2] > 1;
	case SYS_recvmsg:
		return a[2] & MSG_WAITALL;
	case SYS_recvmmsg: /* the error would also fail the socket's next call (do_recvmmsg) */
		return a[2] > 1 && !(a[3] & MSG_WAITFORONE);
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		return (int64_t)a[1] > 1;
	case SYS_io_uring_enter:
		return (uint32_t)a[1] || (uint32_t)a[2] > 1;
	default:
		return false;
	}
}

/* What /proc/PID/fdinfo/N says of an open file (proc(5)). */
struct open_file {
	uint64_t flags, mount;
};

static bool read_open_file(const struct process *process, uint64_t fd, struct open_file *file)
{
	struct buffer text = { 0 };
	char name[32];
	bool there;

	snprintf(name, sizeof(name), "fdinfo/%d", (int)fd);
	there = !process_read(process, name, &text, NULL) && !buffer_add(&text, "", 1);
	if (there)
		*file = (struct open_file){ process_field((char *)text.data, "flags:\t", 8),
					    process_field((char *)text.data, "mnt_id:\t", 10) };
	buffer_release(&text);
	return there;
}

/* File systems whose writes look for fatal signals only: generic_perform_write, iomap_write_iter,
 * btrfs_buffered_write; overlayfs calls what it lies on. (fuse, 9p and cifs give up a request when
 * any signal comes.) With the spaces around it in mountinfo, where a path's are written as \040. */
static const char *const steady[] = { " - btrfs ", " - ext2 ",	  " - ext3 ",  " - ext4 ",
				      " - f2fs ",  " - overlay ", " - ramfs ", " - tmpfs ",
				      " - vfat ",  " - xfs " };

static bool thread_calls_is_in(const struct cursor *line, const char *const *types, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (memmem(line->pos, cursor_left(line), types[i], strlen(types[i])))
			return true;
	return false;
}

/* Those of the kernel's own whose files have no daemon or server behind them. */
static const char *const own[] = {
	" - bdev ",	" - binfmt_misc ", " - bpf ",	     " - cgroup ",    " - cgroup2 ",
	" - configfs ", " - debugfs ",	   " - devpts ",     " - devtmpfs ",  " - efivarfs ",
	" - erofs ",	" - hugetlbfs ",   " - iso9660 ",    " - mqueue ",    " - nsfs ",
	" - proc ",	" - pstore ",	   " - securityfs ", " - selinuxfs ", " - squashfs ",
	" - sysfs ",	" - tracefs ",
};

static bool is_of_kind(const struct cursor *line, bool own_too)
{
	return thread_calls_is_in(line, steady, sizeof(steady) / sizeof(*steady)) ||
	       (own_too && thread_calls_is_in(line, own, sizeof(own) / sizeof(*own)));
}

enum mount_kind { MOUNT_NOT_LISTED, MOUNT_OTHER, MOUNT_OF_KIND };

static enum mount_kind kind_in_list(const struct process *lister, uint64_t mount, bool own_too)
{
	enum mount_kind kind = MOUNT_NOT_LISTED;
	struct buffer text = { 0 };
	struct cursor c, line;

	if (!process_read(lister, "mountinfo", &text, NULL)) {
		cursor_init(&c, text.data, text.len, "mountinfo");
		while (kind == MOUNT_NOT_LISTED && cursor_line(&c, &line))
			if (cursor_number(&line, 10) == mount)
				kind = is_of_kind(&line, own_too) ? MOUNT_OF_KIND : MOUNT_OTHER;
	}
	buffer_release(&text);
	return kind;
}

/* A process's list has what is mounted below its root. Where the root is no mount point
 * (chroot(2)), the mount that it lies in is not among them (show_mountinfo() in
 * fs/proc_namespace.c). Numbers are the same in all lists, so ours and that of process 1 may have
 * it. */
static bool is_mount_of_kind(const struct process *process, uint64_t mount, bool own_too)
{
	static const char *const listers[] = { "/proc/self", "/proc/1" };
	enum mount_kind kind = kind_in_list(process, mount, own_too);

	for (size_t i = 0; i < 2 && kind == MOUNT_NOT_LISTED; i++) {
		struct process lister = { .proc_fd = open(listers[i], O_PATH | O_CLOEXEC) };

		if (lister.proc_fd < 0)
			continue;
		kind = kind_in_list(&lister, mount, own_too);
		close(lister.proc_fd);
	}
	return kind == MOUNT_OF_KIND;
}

static bool has_local_root(const struct process *process)
{
	struct process self = { .proc_fd = open("/proc/self", O_PATH | O_CLOEXEC) };
	int root = process_openat(process, "root", O_PATH | O_DIRECTORY);
	struct open_file file;
	bool local = self.proc_fd >= 0 && root >= 0 &&
		     read_open_file(&self, (uint64_t)root, &file) &&
		     is_mount_of_kind(process, file.mount, true);

	descriptor_close(&self.proc_fd);
	descriptor_close(&root);
	return local;
}

bool process_has_local_mounts(const struct process *process)
{
	struct buffer text = { 0 };
	struct cursor c, line;
	bool local = !process_read(process, "mountinfo", &text, NULL);

	cursor_init(&c, text.data, text.len, "mountinfo");
	while (local && cursor_line(&c, &line))
		local = is_of_kind(&line, true);
	buffer_release(&text);
	return local && has_local_root(process);
}

/* pipe_write, sk_stream_wait_memory, sock_alloc_send_pskb: a call that is not to block ends where
 * it would wait, before signals are looked for. n_tty_write is different, and others were not
 * read. */
bool call_is_never_cut(const struct call *call, const struct process *process)
{
	const uint64_t *a = call->args;
	struct open_file file;
	uint64_t flags = 0;

	switch (call->number) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev2:
		break;
	case SYS_sendto:
	case SYS_sendmmsg:
		flags = a[3];
		break;
	case SYS_sendmsg:
		flags = a[2];
		break;
	default:
		return false;
	}
	switch (descriptor_kind(process, a[0])) {
	case DESCRIPTOR_FILE:
		return read_open_file(process, a[0], &file) &&
		       is_mount_of_kind(process, file.mount, false);
	case DESCRIPTOR_PIPE:
	case DESCRIPTOR_SOCKET:
		return flags & MSG_DONTWAIT ||
		       (read_open_file(process, a[0], &file) && file.flags & O_NONBLOCK);
	default:
		return false;
	}
}

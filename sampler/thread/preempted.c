/*
 * The frames of a kernel stack come innermost first, one a line: "[<0>] vfs_read+0x9d/0x330". So
 * the last line says how the thread entered the kernel, and the lines before it, read upwards, what
 * it did there. An entry by an interrupt or an exception means that it was in user code. After the
 * entry of a system call comes the function of the call, or one of those that end it. Functions of
 * the scheduler are not in the text (stack_trace_consume_entry_nosched, kernel/stacktrace.c), so it
 * begins with the caller of schedule().
 *
 * Calls are listed by what is known about them in the kernel's source (kernelcalls.c). Reads,
 * writes, and what is done with sockets depend on the file: they are decided by the functions
 * further inside. Where that is a function of a file system or protocol that was not read, the call
 * is delicate, too.
 *
 * Rejected: /proc/TID/syscall, which says "running" of a preempted thread; wchan, which is 0 for
 * it; deciding by the caller of schedule() alone, which is the same function for many files.
 */
#include "sampler/thread/preempted.h"

#include <stdbool.h>

#include "sampler/thread/kernelcalls.h"
#include "sampler/thread/kernelframe.h"

/* How the thread came into the kernel. */

static bool is_call_entry(const struct kernelframe *f)
{
	static const char *const names[] = {
		"entry_SYSCALL_64_after_hwframe", "el0t_64_sync", "el0_sync",
		"asm_fred_entrypoint_user", /* Intel's FRED: calls and interrupts alike */
	};

	return kernelframe_is_any(f, names, KERNELFRAME_COUNT(names));
}

/* Of 32-bit code. el0t_32_sync is also its page faults. */
static bool is_compat_entry(const struct kernelframe *f)
{
	static const char *const names[] = {
		"entry_INT80_compat",	 "asm_int80_emulation",
		"int80_emulation",	 "entry_SYSENTER_compat_after_hwframe",
		"entry_SYSENTER_compat", "entry_SYSCALL_compat_after_hwframe",
		"el0t_32_sync",		 "el0_sync_compat",
	};

	return kernelframe_is_any(f, names, KERNELFRAME_COUNT(names));
}

/* Interrupts and exceptions, in user or in kernel mode. */
static bool is_interrupt(const struct kernelframe *f)
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

	return kernelframe_begins_any(f, prefixes, KERNELFRAME_COUNT(prefixes)) ||
	       kernelframe_is_any(f, names, KERNELFRAME_COUNT(names));
}

/* Exceptions of user code that aarch64 enters as it enters a system call; and FRED's. */
static bool is_exception(const struct kernelframe *f)
{
	static const char *const names[] = {
		"el0_da",	  "el0_ia",	    "el0_undef",   "el0_pc",
		"el0_sp",	  "el0_dbg",	    "el0_sys",	   "el0_bti",
		"el0_fpac",	  "el0_mops",	    "el0_gcs",	   "el0_breakpt",
		"el0_inv",	  "el0_softstp",    "el0_watchpt", "el0_brk64",
		"el0_fpsimd_acc", "el0_sve_acc",    "el0_sme_acc", "el0_fpsimd_exc",
		"fred_extint",	  "fred_exception", "fred_hwexc",  "irqentry_exit_to_user_mode",
	};

	return kernelframe_is_any(f, names, KERNELFRAME_COUNT(names));
}

static bool is_dispatch(const struct kernelframe *f)
{
	static const char *const names[] = {
		"do_syscall_64",	"x64_sys_call",	  "do_syscall_x64",
		"fred_entry_from_user", "fred_other",	  "el0t_64_sync_handler",
		"el0_sync_handler",	"el0_svc",	  "el0_svc_handler",
		"do_el0_svc",		"el0_svc_common", "invoke_syscall",
		"__invoke_syscall",
	};

	return kernelframe_is_any(f, names, KERNELFRAME_COUNT(names));
}

/* What follows when the call has its result (kernel/entry/common.c; aarch64 until 6.12:
 * arch/arm64/kernel/entry-common.c, 5.10: entry.S). */
static bool preempted_is_exit(const struct kernelframe *f)
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

	return kernelframe_is_any(f, names, KERNELFRAME_COUNT(names));
}

/* Whatever the call or fault: a daemon or server is told of the interruption, or was not read. With
 * task_work_run, what the thread has still to do is unknown (a socket's last close); with
 * get_signal it is about to handle a signal or to end. */
static bool is_feared(const struct kernelframe *f)
{
	static const char *const prefixes[] = { "fuse_",    "__fuse_",	"p9_",	     "v9fs_",
						"cifs_",    "smb2_",	"SMB2_",     "nfs",
						"ceph_",    "afs_",	"tls_",	     "mptcp_",
						"tcp_bpf_", "udp_bpf_", "unix_bpf_", "smc_",
						"vsock_" };
	static const char *const names[] = { "request_wait_answer", "handle_userfault",
					     "get_signal", "seccomp_do_user_notification",
					     "ptrace_stop" };

	return kernelframe_begins_any(f, prefixes, KERNELFRAME_COUNT(prefixes)) ||
	       kernelframe_is_any(f, names, KERNELFRAME_COUNT(names));
}

/* NUMA balancing (task_numa_work, kernel/sched/fair.c) looks for no signals. */
static bool fears(const struct kernelframes *frames)
{
	for (size_t i = 0; i < frames->count; i++) {
		const struct kernelframe *f = &frames->all[i];

		if (is_feared(f) || (kernelframe_is(f, "task_work_run") &&
				     (!i || !kernelframe_is(f - 1, "task_numa_work"))))
			return true;
	}
	return false;
}

/* System calls. */

static bool preempted_has(const struct kernelframe *inside, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (kernelframe_is(&inside[i], name))
			return true;
	return false;
}

static struct preempted preempted_at(enum preempted_place place, int number, unsigned bears)
{
	return (struct preempted){ place, number, bears };
}

/* Reads, writes, messages. A send over TCP that releases the socket has its result
 * (tcp_sendmsg). */
static struct preempted by_file(int number, const struct kernelframe *inside, size_t count,
				bool many)
{
	for (size_t i = count; i-- > 0;) {
		if (!many && i && kernelframe_is(&inside[i], "tcp_sendmsg") &&
		    kernelframe_is(&inside[i - 1], "release_sock"))
			return preempted_at(PREEMPTED_BEARS, number, 0);
		switch (kernelcall_file(&inside[i])) {
		case KERNELFILE_BEARS:
			return preempted_at(many ? PREEMPTED_DELICATE : PREEMPTED_BEARS, number,
					    many ? PREEMPTED_IF_NONBLOCKING : 0);
		case KERNELFILE_IF_NONBLOCKING:
			return preempted_at(PREEMPTED_DELICATE, number, PREEMPTED_IF_NONBLOCKING);
		case KERNELFILE_IF_MOUNTS:
			return preempted_at(PREEMPTED_DELICATE, number, PREEMPTED_IF_MOUNTS);
		case KERNELFILE_NONE:
			break;
		}
	}
	return preempted_at(PREEMPTED_DELICATE, number, 0);
}

static struct preempted preempted_bears_if(bool bears, int number)
{
	return preempted_at(bears ? PREEMPTED_BEARS : PREEMPTED_DELICATE, number, 0);
}

/* In the call, with `count` frames further inside. */
static struct preempted in_call(int number, const struct kernelframe *inside, size_t count)
{
	switch (kernelcall_class(number)) {
	case KERNELCALL_BEARS:
		return preempted_at(PREEMPTED_BEARS, number, 0);
	case KERNELCALL_BY_PATH:
		return preempted_at(PREEMPTED_DELICATE, number, PREEMPTED_IF_MOUNTS);
	case KERNELCALL_BY_FILE:
		return by_file(number, inside, count, false);
	case KERNELCALL_BY_FILE_MANY:
		return by_file(number, inside, count, true);
	case KERNELCALL_FUTEX: /* EWOULDBLOCK once it has been requeued */
		return preempted_bears_if(!preempted_has(inside, count, "futex_wait_requeue_pi"),
					  number);
	case KERNELCALL_MADVISE:
		/* MADV_REMOVE is the file system's fallocate, MADV_WILLNEED its fadvise. */
		return preempted_bears_if(!preempted_has(inside, count, "vfs_fallocate") &&
						  !preempted_has(inside, count, "vfs_fadvise"),
					  number);
	case KERNELCALL_MMAP:
		/* A file's or driver's own part is over when the pages are filled in. */
		return preempted_bears_if(preempted_has(inside, count, "__mm_populate"), number);
#ifdef __x86_64__
	case KERNELCALL_IOCTL: /* KVM_RUN, which is entered again */
		return preempted_bears_if(preempted_has(inside, count, "kvm_arch_vcpu_ioctl_run"),
					  number);
#endif
	default:
		return preempted_at(PREEMPTED_DELICATE, number, 0);
	}
}

/* On the way out of a call or exception with `count` frames further inside: it has only been
 * preempted there, or been interrupted. Other work that is done there was looked for by fears(). */
static bool only_leaves(const struct kernelframe *inside, size_t count)
{
	while (count && preempted_is_exit(&inside[count - 1]))
		count--;
	return !count || is_interrupt(&inside[count - 1]) ||
	       kernelframe_is(&inside[count - 1], "task_work_run");
}

/* By the frames inside an entry that system calls use. */
static struct preempted after_entry(const struct kernelframes *frames, size_t count)
{
	const struct kernelframe *f = frames->all;

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
	return kernelcall_number(&f[count]) >= 0 ?
		       in_call(kernelcall_number(&f[count]), f, count) :
		       in_call(kernelcall_number_inside(&f[count]), f, count + 1);
}

static struct preempted preempted_decide(const struct kernelframes *frames)
{
	const struct kernelframe *entry = &frames->all[frames->count - 1];

	if (is_compat_entry(entry))
		return preempted_at(PREEMPTED_DELICATE, -1, 0);
	if (is_interrupt(entry))
		return preempted_at(PREEMPTED_IN_USER, -1, 0);
	if (is_call_entry(entry))
		return after_entry(frames, frames->count - 1);
	/* A new thread that has not been in user mode yet. */
	if (kernelframe_begins(entry, "ret_from_fork") && frames->count > 1 &&
	    preempted_is_exit(frames->count > 2 && kernelframe_is(entry - 1, "ret_from_fork") ?
				      entry - 2 :
				      entry - 1))
		return preempted_at(PREEMPTED_CALL_OVER, -1, 0);
	return preempted_at(PREEMPTED_UNKNOWN, -1, 0);
}

struct preempted preempted_parse(const char *text, size_t len)
{
	struct kernelframes frames;
	struct preempted p;

	if (!kernelframes_parse(&frames, text, len))
		return preempted_at(PREEMPTED_UNKNOWN, -1, 0);
	p = preempted_decide(&frames);
	if (p.place != PREEMPTED_UNKNOWN && fears(&frames))
		return preempted_at(PREEMPTED_DELICATE, p.number, 0);
	return p;
}

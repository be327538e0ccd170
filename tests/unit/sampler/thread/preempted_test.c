/* Kernel stacks of preempted threads: as texts, and of a child that we preempt ourselves. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sampler/thread/preempted.h"

enum { READINGS = 200 };

/* A frame's line. The kernel's numbers are of no interest to the parser. */
/* clang-format off */
#define F(name) "[<0>] " name "+0x6d/0x1b0\n"
#define X86 F("do_syscall_64") F("entry_SYSCALL_64_after_hwframe")
#define X86_69 F("x64_sys_call") X86 /* since 6.9 */
#define ARM_CALL F("el0_svc_common.constprop.0") F("do_el0_svc") F("el0_svc")
#define ARM F("invoke_syscall") ARM_CALL F("el0t_64_sync_handler") F("el0t_64_sync")
#define ARM_510 ARM_CALL F("el0_sync_handler") F("el0_sync")
#define TICK F("irqentry_exit") F("asm_sysvec_apic_timer_interrupt")
/* clang-format on */

static const char *const place_names[] = { "unknown", "in user", "call over", "bears", "delicate" };

static void expect(const char *text, enum preempted_place place, int number, unsigned bears)
{
	struct preempted p = preempted_parse(text, strlen(text));

	cr_expect(p.place == place && p.number == number && p.bears == bears,
		  "%s, call %d, if %x, should be %s, %d, %x:\n%s", place_names[p.place], p.number,
		  p.bears, place_names[place], number, bears, text);
}

static void in_user(const char *text)
{
	expect(text, PREEMPTED_IN_USER, -1, 0);
}

static void is_over(const char *text)
{
	expect(text, PREEMPTED_CALL_OVER, -1, 0);
}

static void bears(const char *text, int number)
{
	expect(text, PREEMPTED_BEARS, number, 0);
}

static void delicate(const char *text, int number)
{
	expect(text, PREEMPTED_DELICATE, number, 0);
}

/* Captured on 6.18, x86-64, CONFIG_PREEMPT_NONE, as they came. */
Test(preempted, texts_of_this_kernel)
{
	in_user("[<0>] irqentry_exit_to_user_mode+0x11f/0x1b0\n"
		"[<0>] asm_sysvec_apic_timer_interrupt+0x16/0x20\n");
	in_user("[<0>] irqentry_exit_to_user_mode+0x11f/0x1b0\n"
		"[<0>] asm_exc_page_fault+0x22/0x30\n");
	delicate("[<0>] generic_perform_write+0x151/0x2b0\n"
		 "[<0>] ext4_buffered_write_iter+0x68/0x140\n"
		 "[<0>] iter_file_splice_write+0x38e/0x5d0\n"
		 "[<0>] direct_splice_actor+0x52/0x190\n"
		 "[<0>] splice_direct_to_actor+0xeb/0x260\n"
		 "[<0>] do_splice_direct+0x72/0xc0\n"
		 "[<0>] do_sendfile+0x38a/0x430\n"
		 "[<0>] __x64_sys_sendfile64+0xb5/0xd0\n"
		 "[<0>] do_syscall_64+0x71/0x290\n"
		 "[<0>] entry_SYSCALL_64_after_hwframe+0x76/0x7e\n",
		 SYS_sendfile);
	is_over(F("exit_to_user_mode_loop") X86);
	delicate(F("get_random_bytes_user") F("__x64_sys_getrandom") X86, SYS_getrandom);
	bears(F("generic_perform_write") F("ext4_buffered_write_iter") F("vfs_write")
		      F("ksys_write") X86,
	      SYS_write);
	expect(F("filemap_read") F("vfs_read") F("ksys_read") X86, PREEMPTED_DELICATE, SYS_read,
	       PREEMPTED_IF_MOUNTS);
	delicate(F("read_zero") F("vfs_read") F("ksys_read") X86, SYS_read);
	expect(F("anon_pipe_write") F("vfs_write") F("ksys_write") X86, PREEMPTED_DELICATE,
	       SYS_write, PREEMPTED_IF_NONBLOCKING);
	expect(F("sock_alloc_send_pskb") F("unix_stream_sendmsg") F("sock_write_iter")
		       F("vfs_write") F("ksys_write") X86,
	       PREEMPTED_DELICATE, SYS_write, PREEMPTED_IF_NONBLOCKING);
	bears(F("__do_sys_sched_yield") X86, SYS_sched_yield);
	bears(F("copy_page_range") F("dup_mmap") F("copy_process") F("kernel_clone")
		      F("__do_sys_clone") X86,
	      SYS_clone);
	bears(F("do_wait") F("kernel_wait4") F("__do_sys_wait4") X86, SYS_wait4);
	bears(F("unmap_page_range") F("unmap_vmas") F("vms_clear_ptes") F("do_vmi_munmap")
		      F("__vm_munmap") F("__x64_sys_munmap") X86,
	      SYS_munmap);
}

/* The function of mmap has called vm_mmap_pgoff as its last act. */
Test(preempted, a_call_without_a_frame_of_its_own)
{
	bears(F("__get_user_pages") F("populate_vma_page_range") F("__mm_populate")
		      F("vm_mmap_pgoff") X86,
	      SYS_mmap);
	bears(F("ext4_buffered_write_iter") F("vfs_writev") F("do_writev") X86, SYS_writev);
	delicate(F("do_splice_direct") F("do_sendfile") X86, SYS_sendfile);
}

/* With full preemption an interrupt's frames lie on those of the call. */
Test(preempted, an_interrupt_in_a_call_is_in_the_call)
{
	delicate(TICK F("copy_page_to_iter") F("filemap_splice_read") F("do_sendfile")
			 F("__x64_sys_sendfile64") X86_69,
		 SYS_sendfile);
	bears(TICK F("unmap_page_range") F("__x64_sys_munmap") X86_69, SYS_munmap);
	delicate(TICK X86, -1);
	is_over(TICK F("exit_to_user_mode_loop") F("syscall_exit_to_user_mode") X86);
	delicate(F("fault_in_readable") F("asm_exc_page_fault") F("generic_perform_write")
			 F("vfs_fallocate") F("__x64_sys_fallocate") X86,
		 SYS_fallocate);
}

Test(preempted, a_call_that_has_ended_is_no_call)
{
	/* 5.10 and 6.1 */
	is_over(F("exit_to_user_mode_prepare") F("syscall_exit_to_user_mode")
			F("entry_SYSCALL_64_after_hwframe"));
	is_over(F("exit_to_user_mode_prepare") F("syscall_exit_to_user_mode") X86);
	is_over(F("do_notify_resume") F("el0_svc") F("el0t_64_sync_handler") F("el0t_64_sync"));
	is_over(F("do_notify_resume") F("work_pending") F("el0_sync"));
	is_over(F("exit_to_user_mode_loop") F("syscall_exit_to_user_mode") F("ret_from_fork")
			F("ret_from_fork_asm"));
}

/* A last close may wait for the peer (SO_LINGER) on the way out; a signal may be about to end it. */
Test(preempted, other_work_on_the_way_out_is_delicate)
{
	delicate(F("inet_release") F("__fput") F("task_work_run") F("exit_to_user_mode_loop") X86,
		 -1);
	delicate(F("get_signal") F("arch_do_signal_or_restart") F("exit_to_user_mode_loop") X86,
		 -1);
	is_over(F("change_prot_numa") F("task_numa_work") F("task_work_run")
			F("exit_to_user_mode_loop") X86);
	delicate(F("mem_cgroup_handle_over_high") F("exit_to_user_mode_loop") X86, -1);
}

Test(preempted, aarch64)
{
	delicate(F("splice_direct_to_actor") F("do_splice_direct") F("do_sendfile")
			 F("__arm64_sys_sendfile64") ARM,
		 SYS_sendfile);
	bears(F("pipe_read") F("vfs_read") F("ksys_read") F("__arm64_sys_read") ARM, SYS_read);
	delicate(F("getrandom") F("__arm64_sys_getrandom") ARM_510, SYS_getrandom);
	in_user(F("do_notify_resume") F("el0_interrupt") F("__el0_irq_handler_common")
			F("el0t_64_irq_handler") F("el0t_64_irq"));
	in_user(F("handle_mm_fault") F("do_page_fault") F("do_mem_abort") F("el0_da")
			F("el0t_64_sync_handler") F("el0t_64_sync"));
	delicate(F("vfs_read") F("__arm64_compat_sys_read") F("el0_svc_compat")
			 F("el0t_32_sync_handler") F("el0t_32_sync"),
		 -1);
}

Test(preempted, code_of_32_bits_is_delicate)
{
	delicate(F("ksys_read") F("__ia32_sys_read") F("do_int80_emulation")
			 F("asm_int80_emulation"),
		 -1);
	delicate(F("ksys_read") F("__ia32_sys_read") F("do_int80_syscall_32")
			 F("entry_INT80_compat"),
		 -1);
	delicate(F("ksys_read") F("__ia32_sys_read") X86,
		 -1); /* no such frame is made by 64-bit code */
}

Test(preempted, messages)
{
	unsigned nonblocking = PREEMPTED_IF_NONBLOCKING;

	expect(F("__local_bh_enable_ip") F("__dev_queue_xmit") F("tcp_write_xmit")
		       F("tcp_sendmsg_locked") F("tcp_sendmsg") F("__sys_sendto")
			       F("__x64_sys_sendto") X86,
	       PREEMPTED_DELICATE, SYS_sendto, nonblocking);
	bears(F("__release_sock") F("release_sock") F("tcp_sendmsg") F("__sys_sendto")
		      F("__x64_sys_sendto") X86,
	      SYS_sendto);
	delicate(F("release_sock") F("tls_sw_sendmsg") F("__sys_sendto") F("__x64_sys_sendto") X86,
		 SYS_sendto);
	bears(F("udp_recvmsg") F("inet_recvmsg") F("__sys_recvfrom") F("__x64_sys_recvfrom") X86,
	      SYS_recvfrom);
	expect(F("udp_recvmsg") F("inet_recvmsg") F("do_recvmmsg") F("__x64_sys_recvmmsg") X86,
	       PREEMPTED_DELICATE, SYS_recvmmsg, nonblocking);
	delicate(F("do_accept") F("__sys_accept4") F("__x64_sys_accept4") X86, SYS_accept4);
	bears(F("inet_csk_accept") F("inet_accept") F("do_accept") F("__sys_accept4")
		      F("__x64_sys_accept4") X86,
	      SYS_accept4);
}

Test(preempted, what_waits_is_decided_as_when_it_waits)
{
#ifdef SYS_epoll_wait
	bears(F("do_epoll_wait") F("__x64_sys_epoll_wait") X86, SYS_epoll_wait);
#endif
	bears(F("futex_wait_queue") F("__x64_sys_futex") X86, SYS_futex);
	delicate(F("futex_wait_requeue_pi") F("do_futex") F("__x64_sys_futex") X86, SYS_futex);
	delicate(F("hrtimer_nanosleep") F("__x64_sys_clock_nanosleep") X86, SYS_clock_nanosleep);
	delicate(F("filp_close") F("__x64_sys_close") X86, SYS_close);
	delicate(F("io_submit_sqes") F("__do_sys_io_uring_enter") X86, SYS_io_uring_enter);
	delicate(F("do_vfs_ioctl") F("__x64_sys_ioctl") X86, SYS_ioctl);
	expect(F("filename_lookup") F("vfs_statx") F("__do_sys_newfstatat") X86, PREEMPTED_DELICATE,
	       SYS_newfstatat, PREEMPTED_IF_MOUNTS);
	bears(F("zap_page_range_single") F("madvise_vma_behavior") F("__x64_sys_madvise") X86,
	      SYS_madvise);
	delicate(F("shmem_fallocate") F("vfs_fallocate") F("__x64_sys_madvise") X86, SYS_madvise);
}

/* A FUSE daemon is told of an interruption, a userfaultfd's monitor of the fault taken again. */
Test(preempted, daemons_make_everything_delicate)
{
	delicate(F("request_wait_answer") F("fuse_simple_request") F("fuse_do_getattr")
			 F("__do_sys_newfstatat") X86,
		 SYS_newfstatat);
	delicate(F("fuse_readahead") F("filemap_fault") F("handle_mm_fault") F("exc_page_fault")
			 F("asm_exc_page_fault"),
		 -1);
	delicate(F("handle_userfault") F("do_anonymous_page") F("asm_exc_page_fault"), -1);
}

Test(preempted, what_is_not_understood_is_unknown)
{
	char many[65 * 16 + sizeof(X86)] = "";

	expect("", PREEMPTED_UNKNOWN, -1, 0);
	expect("running\n", PREEMPTED_UNKNOWN, -1, 0);
	expect(F("do_sendfile"), PREEMPTED_UNKNOWN, -1, 0);
	expect(F("kthread") F("ret_from_fork") F("ret_from_fork_asm"), PREEMPTED_UNKNOWN, -1, 0);
	expect("[<0>] entry_SYSCALL_64_after_hwframe+0x76/0x7", PREEMPTED_UNKNOWN, -1, 0);
	expect("[<0>] asm_exc_page_fault\n", PREEMPTED_UNKNOWN, -1, 0);
	expect("[<0>] \n" X86, PREEMPTED_UNKNOWN, -1, 0);
	for (int i = 0; i < 63; i++)
		strcat(many, "[<0>] a+0x1/0x2\n");
	strcat(many, X86); /* 65 frames */
	expect(many, PREEMPTED_UNKNOWN, -1, 0);
	delicate(F("new_call") F("__x64_sys_not_a_call_yet") X86, -1);
	delicate(F("new_entry") X86, -1);
}

/* A child on our CPU that never waits: whenever we run, it has been preempted. */

static void be_on_cpu(int cpu, bool realtime)
{
	struct sched_param param = { .sched_priority = realtime };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	cr_assert_eq(sched_setaffinity(0, sizeof(set), &set), 0);
	if (sched_setscheduler(0, realtime ? SCHED_FIFO : SCHED_OTHER, &param))
		cr_skip_test("real-time priority is not to be had");
}

static void compute(void)
{
	for (volatile unsigned n = 0;; n++)
		;
}

static void copy_files(void)
{
	enum { SIZE = 64 << 20 };
	int from = memfd_create("from", 0), to = memfd_create("to", 0);

	if (ftruncate(from, SIZE))
		_exit(1);
	for (;;) {
		off_t at = 0;

		lseek(to, 0, SEEK_SET);
		if (sendfile(to, from, &at, SIZE) < 0)
			_exit(1);
	}
}

enum { PLACES = PREEMPTED_DELICATE + 1 };

static struct preempted read_place(int stack_fd)
{
	char text[PREEMPTED_ROOM];
	ssize_t len = pread(stack_fd, text, sizeof(text), 0);

	return preempted_parse(text, len < 0 ? 0 : (size_t)len);
}

/* Counts where a child was that does `work`; calls[place]: how often its call was `number`. */
static void preempt(void (*work)(void), int number, int places[4], int calls[4])
{
	struct timespec pause = { 0, 1500000 };
	char path[64];
	pid_t child;
	int fd;

	be_on_cpu(sched_getcpu(), false);
	child = fork();
	if (!child) {
		work();
		_exit(0);
	}
	be_on_cpu(sched_getcpu(), true);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stack", child, child);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	usleep(100000);
	for (int i = 0; i < READINGS; i++) {
		struct preempted p = read_place(fd);

		places[p.place]++;
		calls[p.place] += p.number == number;
		nanosleep(&pause, NULL);
	}
	close(fd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void skip_unless_readable(void)
{
	char text[64];
	int fd = open("/proc/self/stack", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text));

	close(fd);
	if (len <= 0)
		cr_skip_test("kernel stacks cannot be read");
}

Test(preempted, a_child_that_computes_is_in_user_code)
{
	int places[PLACES] = { 0 }, calls[PLACES] = { 0 };

	skip_unless_readable();
	preempt(compute, -1, places, calls);
	cr_assert_eq(places[PREEMPTED_IN_USER], READINGS, "unknown %d, bears %d, delicate %d",
		     places[PREEMPTED_UNKNOWN], places[PREEMPTED_BEARS],
		     places[PREEMPTED_DELICATE]);
}

Test(preempted, a_child_amid_sendfile_is_found_there)
{
	int places[PLACES] = { 0 }, calls[PLACES] = { 0 };

	skip_unless_readable();
	preempt(copy_files, SYS_sendfile, places, calls);
	cr_assert_eq(places[PREEMPTED_UNKNOWN] + places[PREEMPTED_BEARS], 0, "unknown %d, bears %d",
		     places[PREEMPTED_UNKNOWN], places[PREEMPTED_BEARS]);
	cr_assert_gt(calls[PREEMPTED_DELICATE], READINGS / 2, "only %d of %d in sendfile",
		     calls[PREEMPTED_DELICATE], READINGS);
}

/* The descriptor of a process that was opened without the right to read it. */
Test(preempted, nothing_is_known_without_a_text)
{
	struct preempted p = read_place(-1);

	cr_assert(p.place == PREEMPTED_UNKNOWN && p.number == -1 && !p.bears);
}

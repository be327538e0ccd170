/*
 * aarch64. By the time at which a tracer sees a call that was cut short, do_signal() in
 * arch/arm64/kernel/signal.c has forgotten that there was a call (NT_ARM_SYSTEM_CALL
 * tells -1). It has prepared what the kernel makes again by itself: the pc is back at
 * the `svc`, x0 is the first argument again. Of a call that fails, x0 is -EINTR and the
 * pc behind the `svc`; its number is still in x8 and its other arguments in x1 to x5.
 * Two things must be found out about such a one:
 *
 * Where is its first argument? The kernel keeps it (orig_x0) and shows it in
 * /proc/PID/syscall, but only of a thread that is in a call. So we say that it is in
 * one, look, and take that back.
 *
 * Is it our doing? The same registers are seen of a thread that returns right now from
 * the handler of a signal, for which its call has failed before. Then the signal's frame
 * lies where the kernel has put it, below sp, with just these registers in it. (It may
 * be an older one: the call has failed here before, and its caller is prepared for it.
 * Of a handler on a stack of its own the frame is elsewhere, and the call is made again.)
 */
#include "sampler/registers.h"

#include <asm/hwcap.h>
#include <asm/ptrace.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "sampler/threads.h"
#include "unwind/regs.h"

enum {
	SVC_BYTES = 4,
	FRAME_RECORD = 16, /* the kernel puts one above a signal's frame */
};

static const uint32_t SVC = 0xd4000001; /* svc #0 */

static int get_set(pid_t tid, unsigned long set, void *data, size_t len)
{
	struct iovec iov = { data, len };

	return ptrace(PTRACE_GETREGSET, tid, set, &iov) || iov.iov_len != len ? ERR_GONE : 0;
}

static int put_set(pid_t tid, unsigned long set, const void *data, size_t len)
{
	struct iovec iov = { (void *)data, len };

	return ptrace(PTRACE_SETREGSET, tid, set, &iov) ? ERR_GONE : 0;
}

/* Two instructions at once: a word of memory. */
static void read_code(pid_t tid, struct registers *r)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, tid, r->user.pc - SVC_BYTES, 0);
	r->before = errno ? 0 : (uint32_t)word;
	r->at = errno ? 0 : (uint32_t)((uint64_t)word >> 32);
}

static uint64_t read_signature(pid_t tid)
{
	struct user_pac_mask mask;

	if (!(getauxval(AT_HWCAP) & HWCAP_PACA) ||
	    get_set(tid, NT_ARM_PAC_MASK, &mask, sizeof(mask)))
		return 0;
	return mask.insn_mask;
}

/* Where get_sigframe() puts a frame of the usual size. */
static bool signal_was_handled(pid_t tid, const struct registers *r)
{
	uint64_t frame = r->user.sp - FRAME_RECORD - sizeof(siginfo_t) - sizeof(ucontext_t);
	uint64_t saved[33]; /* x0 to x30, sp, pc: as user_regs_struct begins */
	struct iovec local = { saved, sizeof(saved) };
	struct iovec remote = { (void *)(uintptr_t)(frame + sizeof(siginfo_t) +
						    offsetof(ucontext_t, uc_mcontext.regs)),
				sizeof(saved) };

	return process_vm_readv(tid, &local, 1, &remote, 1, 0) == sizeof(saved) &&
	       !memcmp(saved, &r->user, sizeof(saved));
}

static bool read_shown_argument(pid_t tid, uint64_t *first)
{
	char path[32], line[256];
	unsigned long long value;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	line[n] = '\0';
	if (sscanf(line, "%*d 0x%llx", &value) != 1)
		return false;
	*first = value;
	return true;
}

static bool read_first_argument(pid_t tid, struct registers *r)
{
	int number = (int)r->user.regs[8], none = -1;
	bool ok;

	if (put_set(tid, NT_ARM_SYSTEM_CALL, &number, sizeof(number)))
		return false;
	ok = read_shown_argument(tid, &r->first_argument);
	put_set(tid, NT_ARM_SYSTEM_CALL, &none, sizeof(none));
	return ok;
}

static bool shows_eintr(const struct registers *r)
{
	return r->before == SVC && (int64_t)r->user.regs[0] == -EINTR &&
	       (int64_t)r->user.regs[8] >= 0;
}

int registers_read(pid_t tid, struct registers *r)
{
	if (get_set(tid, NT_PRSTATUS, &r->user, sizeof(r->user)))
		return ERR_GONE;
	read_code(tid, r);
	r->signature = read_signature(tid);
	r->fails = shows_eintr(r) && !signal_was_handled(tid, r) && read_first_argument(tid, r);
	return 0;
}

int registers_write(pid_t tid, const struct registers *r)
{
	return put_set(tid, NT_PRSTATUS, &r->user, sizeof(r->user));
}

uint64_t registers_pc(const struct registers *r)
{
	return r->user.pc;
}

uint64_t registers_sp(const struct registers *r)
{
	return r->user.sp;
}

void registers_for_walk(const struct registers *r, struct regs *to)
{
	memcpy(to->r, r->user.regs, sizeof(r->user.regs));
	to->r[DWARF_SP] = r->user.sp;
	to->r[DWARF_PC] = r->user.pc;
	to->r[REGS_SIGNATURE] = r->signature;
	to->unknown = 0;
}

/* What a thread that runs would tell of signatures: they have the bits from those that
 * an address can need up to the 55th (ptrauth_user_pac_mask() in
 * arch/arm64/include/asm/pointer_auth.h). A stack of ours lies at the upper end of all
 * addresses. */
void registers_of_waiting(uint64_t pc, uint64_t sp, struct regs *to)
{
	uint64_t ours = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	to->r[DWARF_PC] = pc;
	to->r[DWARF_SP] = sp;
	to->r[REGS_SIGNATURE] = ((1ull << 55) - 1) & ~(UINT64_MAX >> __builtin_clzll(ours));
	to->unknown = ~CALLER_KNOWS;
}

void registers_call(const struct registers *r, struct call *call)
{
	const unsigned long long *x = r->user.regs;

	*call = (struct call){ .number = (int64_t)x[8],
			       .args = { r->fails ? r->first_argument : x[0], x[1], x[2], x[3],
					 x[4], x[5] },
			       .sp = r->user.sp,
			       .pc = r->user.pc + (r->at == SVC ? SVC_BYTES : 0) };
}

bool registers_cut_a_wait(const struct registers *r)
{
	return r->at == SVC || shows_eintr(r);
}

bool registers_fail_a_call(const struct registers *r)
{
	return r->fails;
}

void registers_call_again(const struct registers *r, struct registers *again)
{
	*again = *r;
	again->user.regs[0] = r->first_argument;
	again->user.pc -= SVC_BYTES;
}

/* A new thread comes to life behind its maker's system call, with the result 0. */
bool registers_newborn(const struct registers *r)
{
	uint64_t number = r->user.regs[8];

	return r->before == SVC && !r->user.regs[0] &&
	       (number == SYS_clone || number == SYS_clone3);
}

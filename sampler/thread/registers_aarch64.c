/*
 * aarch64. When a tracer sees a call that was cut short, do_signal() in arch/arm64/kernel/signal.c
 * has already discarded that there was a call (NT_ARM_SYSTEM_CALL reads -1). A call that the kernel
 * makes again by itself is prepared for that: the pc is back at the `svc`, and x0 holds the first
 * argument again. If a call fails, x0 is -EINTR and the pc is behind the `svc`; its number is still
 * in x8, and its other arguments are in x1 to x5. Only its first argument is missing. A thread that
 * is just returning from a signal handler has the same registers if its call failed because of that
 * signal; that call must not be made again. There are three ways to an answer:
 *
 * 1. The thread waited in the call before we asked it to stop, when /proc/PID/syscall showed the
 *    arguments, and has hardly been put on a CPU since: our stop has cut the call short.
 * 2. We have made it enter this call before, and see the same registers again.
 * 3. It went to wait between our look and the stop. The kernel still has the argument and shows it
 *    for a thread that is in a call. So we set NT_ARM_SYSTEM_CALL as if it were in one, read
 *    /proc/PID/syscall, and set it back. Kernels of 2026 overwrite the argument when it is set
 *    (update_syscall_orig_x0_after_ptrace() in ptrace.c): on these, such a call fails. If the
 *    thread comes from a handler, the signal's frame is where the kernel has put it, below sp, with
 *    just these registers in it, and the call is not made again. (If that frame is an older one,
 *    the call has failed here before, and its caller is prepared for it. The frame of a handler
 *    that ran on another stack is not found, and the call is made again.)
 */
#include "sampler/thread/registers.h"

#include <asm/hwcap.h>
#include <asm/ptrace.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/process/memory.h"
#include "base/smallfile.h"
#include "sampler/thread/taskfiles.h"
#include "unwind/table/regs.h"

enum {
	SVC_BYTES = 4,
	FRAME_RECORD = 16, /* the kernel puts one above a signal's frame */
	TEXT_MAX = 256,
	OWN_SLICES = 5, /* a stop of ours puts a thread on a CPU so often at most */
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
static void registers_read_code(pid_t tid, struct registers *r)
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

/* Is there a signal frame with these registers where get_sigframe() puts one of the usual size? */
static bool signal_was_handled(pid_t tid, const struct registers *r)
{
	uint64_t frame = r->user.sp - FRAME_RECORD - sizeof(siginfo_t) - sizeof(ucontext_t);
	uint64_t saved[33]; /* x0 to x30, sp, pc: as user_regs_struct begins */
	struct iovec local = { saved, sizeof(saved) };
	struct iovec remote = { (void *)(uintptr_t)(frame + sizeof(siginfo_t) +
						    offsetof(ucontext_t, uc_mcontext.regs)),
				sizeof(saved) };

	return memory_live_call(tid, &local, 1, &remote, 1) == sizeof(saved) &&
	       !memcmp(saved, &r->user, sizeof(saved));
}

/* The file's text; "" where there is none. */
static void registers_read_text(pid_t tid, const char *name, char text[TEXT_MAX])
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	smallfile_read(AT_FDCWD, path, text, TEXT_MAX);
}

/* Reads number and arguments (proc_pid_syscall() in fs/proc/base.c); false if it is in no call. */
static bool registers_read_call(pid_t tid, struct registers *r)
{
	char text[TEXT_MAX];
	uint64_t *a = r->args;

	registers_read_text(tid, "syscall", text);
	return sscanf(text,
		      "%" SCNu64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		      " %" SCNx64,
		      &r->number, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]) == 7;
}

/* How often the thread was put on a CPU. */
static uint64_t read_slices(pid_t tid)
{
	char text[TEXT_MAX];
	uint64_t slices;

	registers_read_text(tid, "schedstat", text);
	return sscanf(text, "%*u %*u %" SCNu64, &slices) == 1 ? slices : UINT64_MAX;
}

/* The number of slices is read first: if the thread has run since, there are more. */
void registers_look_ahead(pid_t tid, struct registers *r)
{
	r->slices = read_slices(tid);
	r->waited = registers_read_call(tid, r);
}

/* Is it still in the call in which registers_look_ahead saw it wait? */
static bool waits_still(pid_t tid, const struct registers *r)
{
	return r->waited && r->user.regs[8] == r->number &&
	       !memcmp(&r->user.regs[1], &r->args[1], 5 * sizeof(r->args[0])) &&
	       read_slices(tid) - r->slices <= OWN_SLICES;
}

static bool show_first_argument(pid_t tid, struct registers *r)
{
	int number = (int)r->user.regs[8], none = -1;
	struct registers shown = { .number = 0 };
	bool ok;

	if (put_set(tid, NT_ARM_SYSTEM_CALL, &number, sizeof(number)))
		return false;
	ok = registers_read_call(tid, &shown);
	put_set(tid, NT_ARM_SYSTEM_CALL, &none, sizeof(none));
	r->first_argument = shown.args[0];
	return ok && shown.args[0] != r->user.regs[0];
}

static bool shows_eintr(const struct registers *r)
{
	return r->before == SVC && (int64_t)r->user.regs[0] == -EINTR &&
	       (int64_t)r->user.regs[8] >= 0;
}

/* Finds the first argument of a call that shows EINTR. `before` is what *r was at the stop before
 * this one, if there was one. */
static bool find_first_argument(pid_t tid, struct registers *r, const struct registers *before)
{
	if (waits_still(tid, r)) {
		r->first_argument = r->args[0];
		return true;
	}
	if (before->fails && !memcmp(&before->user, &r->user, sizeof(r->user)))
		return true;
	return !signal_was_handled(tid, r) && show_first_argument(tid, r);
}

int registers_read(pid_t tid, struct registers *r)
{
	struct registers before = *r;

	if (get_set(tid, NT_PRSTATUS, &r->user, sizeof(r->user)))
		return ERR_GONE;
	registers_read_code(tid, r);
	r->signature = read_signature(tid);
	r->fails = shows_eintr(r) && find_first_argument(tid, r, &before);
	return 0;
}

int registers_write(pid_t tid, const struct registers *r)
{
	return put_set(tid, NT_PRSTATUS, &r->user, sizeof(r->user));
}

void registers_at_rest(struct registers *r, const void *saved, uint64_t tp)
{
	(void)saved;
	(void)tp;
	memset(r, 0, sizeof(*r));
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

enum { PERF_REGISTERS = 33 }; /* x0 to x30, sp, pc (asm/perf_regs.h) */

uint64_t registers_of_event_mask(void)
{
	return (1ull << PERF_REGISTERS) - 1;
}

unsigned registers_of_event_count(void)
{
	return PERF_REGISTERS;
}

/* The kernel tells the signature bits of stopped threads only. They are the bits above those that
 * an address can need, up to bit 54 (ptrauth_user_pac_mask() in
 * arch/arm64/include/asm/pointer_auth.h). Our own stack, at the upper end of all addresses, shows
 * how many bits an address can need. */
static uint64_t signature_bits(void)
{
	uint64_t ours = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	return ((1ull << 55) - 1) & ~(UINT64_MAX >> __builtin_clzll(ours));
}

void registers_of_event(const uint64_t *values, struct regs *to)
{
	memcpy(to->r, values, 31 * sizeof(*values));
	to->r[DWARF_SP] = values[31];
	to->r[DWARF_PC] = values[32];
	to->r[REGS_SIGNATURE] = signature_bits();
	to->unknown = 0;
}

void registers_of_waiting(const struct call *call, struct regs *to)
{
	memset(to, 0, sizeof(*to));
	to->r[DWARF_PC] = call->pc;
	to->r[DWARF_SP] = call->sp;
	to->r[REGS_SIGNATURE] = signature_bits();
	to->unknown = ~CALLER_KNOWS;
	for (int i = 0; call->number >= 0 && i < 6; i++) {
		to->r[DWARF_X0 + i] = call->args[i];
		to->unknown &= ~(1u << (DWARF_X0 + i));
	}
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

int64_t registers_failed_call(const struct registers *r)
{
	return r->fails ? -EINTR : 0;
}

void registers_call_again(const struct registers *r, struct registers *again)
{
	*again = *r;
	again->user.regs[0] = r->first_argument;
	again->user.pc -= SVC_BYTES;
}

/* PSR_MODE32_BIT of the state (arch/arm64/include/uapi/asm/ptrace.h). */
bool registers_are_narrow(const struct registers *r)
{
	return r->user.pstate & 0x10;
}

/* A new thread begins behind its maker's system call, with the result 0. */
bool registers_newborn(const struct registers *r)
{
	uint64_t number = r->user.regs[8];

	return r->before == SVC && !r->user.regs[0] &&
	       (number == SYS_clone || number == SYS_clone3);
}

/* Only threads that run Go need the thread pointer, and Go is not supported here (KNOWS_GO). */
uint64_t registers_tp(const struct registers *r)
{
	(void)r;
	return 0;
}

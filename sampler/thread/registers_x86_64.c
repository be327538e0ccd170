/*
 * x86-64. While a thread is in a system call, orig_rax is the call's number, and rax its result
 * once it has one; elsewhere orig_rax is negative. Both are still set when a tracer sees a call
 * that was cut short, because the kernel decides only after the stop what to do about it
 * (arch_do_signal_or_restart() in arch/x86/kernel/signal.c).
 */
#include "sampler/thread/registers.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "sampler/thread/threads.h"
#include "unwind/table/regs.h"

enum {
	SYSCALL_BYTES = 2, /* length of `syscall` and of `int $0x80` */
	NEWBORN_BYTES = 8, /* of clone's code, which a new thread executes first */
};

/* The results by which a call tells the kernel's signal code how to restart it
 * (include/linux/errno.h) lie between these; user space never sees them. */
enum { ERESTARTSYS = 512, ERESTART_RESTARTBLOCK = 516 };

void registers_look_ahead(pid_t tid, struct registers *r)
{
	(void)tid;
	(void)r;
}

int registers_read(pid_t tid, struct registers *r)
{
	return ptrace(PTRACE_GETREGS, tid, 0, &r->user) ? ERR_GONE : 0;
}

int registers_write(pid_t tid, const struct registers *r)
{
	return ptrace(PTRACE_SETREGS, tid, 0, &r->user) ? ERR_GONE : 0;
}

/* Both structures have the same members in the same order, so far
 * (arch/x86/include/asm/ptrace.h). */
void registers_at_rest(struct registers *r, const void *saved, uint64_t tp)
{
	memset(r, 0, sizeof(*r));
	memcpy(&r->user, saved, REGISTERS_AT_REST);
	r->user.fs_base = tp;
}

uint64_t registers_pc(const struct registers *r)
{
	return r->user.rip;
}

uint64_t registers_sp(const struct registers *r)
{
	return r->user.rsp;
}

uint64_t registers_tp(const struct registers *r)
{
	return r->user.fs_base;
}

void registers_for_walk(const struct registers *registers, struct regs *to)
{
	const struct user_regs_struct *from = &registers->user;

	to->r[DWARF_RAX] = from->rax;
	to->r[DWARF_RDX] = from->rdx;
	to->r[DWARF_RCX] = from->rcx;
	to->r[DWARF_RBX] = from->rbx;
	to->r[DWARF_RSI] = from->rsi;
	to->r[DWARF_RDI] = from->rdi;
	to->r[DWARF_RBP] = from->rbp;
	to->r[DWARF_RSP] = from->rsp;
	to->r[DWARF_R8] = from->r8;
	to->r[DWARF_R9] = from->r9;
	to->r[DWARF_R10] = from->r10;
	to->r[DWARF_R11] = from->r11;
	to->r[DWARF_R12] = from->r12;
	to->r[DWARF_R13] = from->r13;
	to->r[DWARF_R14] = from->r14;
	to->r[DWARF_R15] = from->r15;
	to->r[DWARF_RIP] = from->rip;
	to->unknown = 0;
}

/* By the bits of the mask (arch/x86/include/uapi/asm/perf_regs.h). */
static const int registers_of_bits[] = {
	DWARF_RAX, DWARF_RBX, DWARF_RCX, DWARF_RDX, DWARF_RSI, DWARF_RDI,
	DWARF_RBP, DWARF_RSP, DWARF_RIP, DWARF_R8,  DWARF_R9,  DWARF_R10,
	DWARF_R11, DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15,
};

uint64_t registers_of_event_mask(void)
{
	return 0xffull << PERF_REG_X86_R8 | 0x1ff;
}

unsigned registers_of_event_count(void)
{
	return sizeof(registers_of_bits) / sizeof(*registers_of_bits);
}

void registers_of_event(const uint64_t *values, struct regs *to)
{
	for (unsigned i = 0; i < registers_of_event_count(); i++)
		to->r[registers_of_bits[i]] = values[i];
	to->unknown = 0;
}

/* The registers that hold a call's arguments are as they were when it began (System V ABI, AMD64,
 * A.2.1). That is needed in vfork, where one of them holds the return address. */
void registers_of_waiting(const struct call *call, struct regs *to)
{
	static const int arguments[] = { DWARF_RDI, DWARF_RSI, DWARF_RDX,
					 DWARF_R10, DWARF_R8,  DWARF_R9 };

	memset(to, 0, sizeof(*to));
	to->r[DWARF_RIP] = call->pc;
	to->r[DWARF_RSP] = call->sp;
	to->unknown = ~(uint32_t)CALLER_KNOWS;
	for (int i = 0; call->number >= 0 && i < 6; i++) {
		to->r[arguments[i]] = call->args[i];
		to->unknown &= ~(1u << arguments[i]);
	}
}

void registers_call(const struct registers *r, struct call *call)
{
	const struct user_regs_struct *u = &r->user;

	*call = (struct call){ .number = (int64_t)u->orig_rax,
			       .args = { u->rdi, u->rsi, u->rdx, u->r10, u->r8, u->r9 },
			       .sp = u->rsp,
			       .pc = u->rip };
}

bool registers_cut_a_wait(const struct registers *r)
{
	long result = (long)r->user.rax;

	return (long)r->user.orig_rax >= 0 &&
	       (result == -EINTR || (result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK));
}

int64_t registers_failed_call(const struct registers *r)
{
	int64_t result = (int64_t)r->user.rax;

	if ((long)r->user.orig_rax < 0 || (result != -EINTR && result != -EAGAIN))
		return 0;
	return result;
}

void registers_call_again(const struct registers *r, struct registers *again)
{
	*again = *r;
	again->user.rax = r->user.orig_rax;
	again->user.rip -= SYSCALL_BYTES;
	again->user.orig_rax = (unsigned long)-1;
}

/* By the code segment that the kernel has for it (__USER32_CS in
 * arch/x86/include/asm/segment.h). */
bool registers_are_narrow(const struct registers *r)
{
	return r->user.cs == 0x23;
}

/* A new thread begins behind its maker's system call, with the result 0. rcx is where that call
 * returns to (the `syscall` instruction puts it there). The thread may have been interrupted at one
 * of its first instructions, which only test rax. */
bool registers_newborn(const struct registers *r)
{
	const struct user_regs_struct *u = &r->user;
	bool from_call = u->orig_rax == SYS_clone || u->orig_rax == SYS_clone3;

	return !u->rax && (from_call || u->rip - u->rcx <= NEWBORN_BYTES);
}

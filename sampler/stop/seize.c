/*
 * A signal does end the sleep, but the call then fails with ERESTARTNOINTR: the kernel makes it
 * again after the handler, whatever the handler's flags say. Before it runs the handler, the kernel
 * sets the pc back to the system call instruction. So that instruction has a label. A handler that
 * finds the pc there moves it to the next instruction, with -EINTR as the result. With the pc at
 * the label the call has not been made, or has had no effect. Behind it the call's result is in a
 * register, and nothing is changed. (musl cancels blocking calls in the same way.)
 *
 * Rejected: one thread at a time in a process, so that none of its threads is held while
 * another is seized (a tick on a machine with many CPUs would take as long as all its
 * stops together, and a thread that is asked and waits for a CPU would keep all others
 * from being asked); a longjmp out of the handler, which cannot tell whether the call
 * has just succeeded.
 */
#include "sampler/stop/seize.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "base/clock.h"

enum { PATIENCE_NS = 500000 }; /* an earlier signal may have come by chance */

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

/* ptrace(2) as a bare system call, and where the system call instruction begins and ends. */
long seize_raw(long request, long pid, long addr, long data);
extern const char seize_call[], seize_made[];

/* clang-format off */
#if defined(__x86_64__)
asm(".pushsection .text\n"
    ".type seize_raw, @function\n"
    "seize_raw:\n"
    "	.cfi_startproc\n"
    "	endbr64\n"
    "	mov %rcx, %r10\n"
    "	mov $" STRING(SYS_ptrace) ", %eax\n"
    "seize_call:\n"
    "	syscall\n"
    "seize_made:\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size seize_raw, . - seize_raw\n"
    ".popsection\n");

static greg_t *pc_of(ucontext_t *u)
{
	return &u->uc_mcontext.gregs[REG_RIP];
}

static greg_t *result_of(ucontext_t *u)
{
	return &u->uc_mcontext.gregs[REG_RAX];
}
#elif defined(__aarch64__)
asm(".pushsection .text\n"
    ".type seize_raw, %function\n"
    "seize_raw:\n"
    "	.cfi_startproc\n"
    "	mov x8, #" STRING(SYS_ptrace) "\n"
    "seize_call:\n"
    "	svc #0\n"
    "seize_made:\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size seize_raw, . - seize_raw\n"
    ".popsection\n");

static unsigned long long *pc_of(ucontext_t *u)
{
	return &u->uc_mcontext.pc;
}

static unsigned long long *result_of(ucontext_t *u)
{
	return &u->uc_mcontext.regs[0];
}
#else
#error "sampler/stop/seize.c has no code for this architecture"
#endif
/* clang-format on */

int seize(pid_t tid)
{
	uint64_t from = monotonic_ns();
	long rc;

	do
		rc = seize_raw(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD);
	while (rc == -EINTR && monotonic_ns() - from < PATIENCE_NS);
	return (int)rc;
}

void seize_give_up(void *context)
{
	ucontext_t *u = context;
	uintptr_t pc = (uintptr_t)*pc_of(u);

	if (pc < (uintptr_t)seize_raw || pc > (uintptr_t)seize_call)
		return;
	*pc_of(u) = (__typeof__(*pc_of(u)))(uintptr_t)seize_made;
	*result_of(u) = (__typeof__(*result_of(u)))-EINTR;
}

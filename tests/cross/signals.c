/*
 * A signal handler on the thread's own stack and one on an alternate stack, for
 * tests/cross/aarch64.test. The trampoline is ours, without CFI, because qemu-aarch64 does
 * not have that of the kernel's vDSO; the frame is the same.
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "maps.h"

#define APART __attribute__((noinline, noclone))

/* The kernel's struct (include/linux/signal_types.h). */
struct kernel_sigaction {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

enum { RESTORER = 0x04000000 };

void trampoline(void);
__asm__(".text\n"
	".balign 16\n"
	"nop\n"
	".globl trampoline\n"
	".type trampoline, %function\n"
	"trampoline:\n"
	"mov x8, #139\n"
	"svc #0\n"
	".size trampoline, . - trampoline\n");

static volatile long counted;

APART static long leaf(long n)
{
	return n * 5 + 1;
}

static void handler(int sig)
{
	counted += leaf(sig);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void busy_handler(int sig)
{
	int numbers[] = { sig, 3, 2, 1 };

	qsort(numbers, 4, sizeof(*numbers), compare);
	counted += leaf(numbers[0]);
}

/* A leaf that has its return address in x30 while the signals arrive. */
APART static long hit(long pid, long sig)
{
	register long x0 __asm__("x0") = pid;
	register long x1 __asm__("x1") = sig;
	register long x8 __asm__("x8") = SYS_kill;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x8) : "memory");
	return x0 + sig;
}

static void handle(int sig, void (*with)(int), unsigned long flags)
{
	struct kernel_sigaction sa = { with, flags | RESTORER, trampoline, 0 };

	syscall(SYS_rt_sigaction, sig, &sa, NULL, sizeof(sa.mask));
}

__attribute__((noinline, noclone, used)) long run(long n)
{
	static char other_stack[1 << 15];
	stack_t ss = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };

	sigaltstack(&ss, NULL);
	handle(SIGUSR1, handler, 0);
	handle(SIGUSR2, busy_handler, SA_ONSTACK);
	n += hit(getpid(), SIGUSR1);
	n += hit(getpid(), SIGUSR2);
	return n + counted;
}

int main(int argc, char **argv)
{
	write_maps(argv[1]);
	return run(argc) == 0;
}

/*
 * The walk is compared with the truth, instruction by instruction. A child is single-stepped, and
 * each call and return is noted as it happens. At every instruction the walk must find all pending
 * return addresses and no others. The only excuse is code without CFI (gcc's crtstuff, clone's
 * child side), and then the addresses found before it must be right.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"
#include "tests/unit/amount.h"

enum { DEPTH_MAX = 4096, CALL_LENGTH_MAX = 15 };

/* Most of the time is the kernel's, for stepping. The sanitized twin makes fewer steps, since it
 * checks our accesses to memory. */
#ifdef __SANITIZE_ADDRESS__
#define STEPS_MAX 4000u
#else
#define STEPS_MAX amount(8000, 20000)
#endif

struct stepper {
	pid_t tid;
	struct process process;
	struct modmap *maps;
	struct unwinder *unwinder;
	struct memory_live memory;
	struct stack stack;
	struct user_regs_struct regs;
	uint64_t slots[DEPTH_MAX]; /* addresses of the pending return addresses, outermost first */
	size_t depth;
	size_t steps, excused, wrong;
	char first_wrong[256];
};

static void stepper_init(struct stepper *s, pid_t pid, pid_t tid)
{
	memset(s, 0, sizeof(*s));
	s->tid = tid;
	cr_assert_eq(process_open(&s->process, pid, NULL), 0);
	cr_assert_eq(modmap_new(&s->maps, &s->process), 0);
	cr_assert_eq(modmap_refresh(s->maps, NULL), 0);
	cr_assert_eq(unwinder_new(&s->unwinder), 0);
	memory_live_init(&s->memory, tid);
	ptrace(PTRACE_GETREGS, tid, 0, &s->regs);
}

static void stepper_release(struct stepper *s)
{
	stack_release(&s->stack);
	unwinder_free(s->unwinder);
	modmap_free(s->maps);
	process_close(&s->process);
}

static void walk(struct stepper *s)
{
	const struct user_regs_struct *u = &s->regs;
	struct regs regs = { .r = { u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi, u->rbp, u->rsp,
				    u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15,
				    u->rip } };

	cr_assert_eq(
		unwinder_walk(s->unwinder, s->maps,
			      &(struct walk_from){ .regs = &regs, .memory = &s->memory.memory },
			      &s->stack),
		0);
}

/* True if the return addresses found are the pending ones, except for those of signal frames. Calls
 * that were pending before the first step are not known. */
static bool matches(const struct stepper *s)
{
	size_t left = s->depth;

	for (size_t i = 0; i < s->stack.count && left; i++) {
		const struct frame *f = &s->stack.frames[i];
		uint64_t addr;

		if (f->kind != FRAME_RETURN)
			continue;
		if (memory_read_u64(&s->memory.memory, s->slots[--left], &addr) || !f->image ||
		    f->addr + modmap_first_range(s->maps, f->image)->bias != addr)
			return false;
	}
	return s->stack.end == STACK_NO_UNWIND_INFO || (!left && s->stack.end == STACK_OUTERMOST);
}

static void check(struct stepper *s)
{
	const struct frame *f;

	walk(s);
	if (!matches(s) || s->stack.end != STACK_OUTERMOST) { /* was something mapped? */
		modmap_refresh(s->maps, NULL);
		walk(s);
	}
	s->steps++;
	s->excused += s->stack.end == STACK_NO_UNWIND_INFO;
	if (matches(s) || s->wrong++)
		return;
	f = &s->stack.frames[0];
	snprintf(s->first_wrong, sizeof(s->first_wrong),
		 "step %zu, %s at %lx: %zu frames, %zu calls pending, %s", s->steps,
		 f->image ? image_name(f->image) : "nowhere", f->addr, s->stack.count, s->depth,
		 stack_end_name(s->stack.end));
}

/* True if the instruction was a call: the address after it is on the stack. */
static bool has_called(const struct stepper *s, const struct user_regs_struct *before)
{
	uint64_t addr;

	return s->regs.rsp == before->rsp - 8 &&
	       memory_read_u64(&s->memory.memory, s->regs.rsp, &addr) == 0 &&
	       addr - before->rip <= CALL_LENGTH_MAX && addr > before->rip && s->regs.rip != addr;
}

/* Steps one instruction, with *signal delivered, and sets *signal to the next one to deliver. False
 * when the thread has ended. */
static bool step(struct stepper *s, int *signal)
{
	struct user_regs_struct before = s->regs;
	int status;

	if (ptrace(PTRACE_SINGLESTEP, s->tid, 0, *signal) ||
	    waitpid(s->tid, &status, __WALL) != s->tid || !WIFSTOPPED(status))
		return false;
	*signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	ptrace(PTRACE_GETREGS, s->tid, 0, &s->regs);
	while (s->depth && s->slots[s->depth - 1] < s->regs.rsp)
		s->depth--;
	if (s->depth < DEPTH_MAX && has_called(s, &before))
		s->slots[s->depth++] = s->regs.rsp;
	return true;
}

static void step_all(struct stepper *s, size_t most)
{
	int signal = 0;

	check(s);
	while (--most && step(s, &signal))
		check(s);
}

/* Lets the thread run to an address where no call is pending. */
static void run_to(struct stepper *s, uint64_t addr)
{
	long word = ptrace(PTRACE_PEEKTEXT, s->tid, addr, 0);
	int status;

	ptrace(PTRACE_POKETEXT, s->tid, addr, (word & ~0xffl) | 0xcc);
	ptrace(PTRACE_CONT, s->tid, 0, 0);
	cr_assert_eq(waitpid(s->tid, &status, __WALL), s->tid);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	ptrace(PTRACE_POKETEXT, s->tid, addr, word);
	ptrace(PTRACE_GETREGS, s->tid, 0, &s->regs);
	s->regs.rip = addr;
	ptrace(PTRACE_SETREGS, s->tid, 0, &s->regs);
	s->depth = 0;
}

/* The address where the program itself begins, after the dynamic linker. */
static uint64_t program_entry(const struct stepper *s)
{
	struct buffer b = { 0 };
	uint64_t pair[2] = { 0 };

	cr_assert_eq(process_read(&s->process, "auxv", &b, NULL), 0);
	for (size_t i = 0; pair[0] != AT_ENTRY && i + sizeof(pair) <= b.len; i += sizeof(pair))
		memcpy(pair, b.data + i, sizeof(pair));
	buffer_release(&b);
	return pair[1];
}

/* Starts a child. It is stopped where `run` stops first. */
static pid_t start(void (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(77);
		run();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		cr_skip_test("ptrace is not permitted here");
	cr_assert(WIFSTOPPED(status));
	return pid;
}

static void finish(struct stepper *s, pid_t pid, size_t least, size_t excused_most)
{
	cr_assert_eq(s->wrong, 0, "%zu of %zu, first: %s", s->wrong, s->steps, s->first_wrong);
	cr_assert_geq(s->steps, least);
	cr_assert_leq(s->excused, excused_most, "%zu of %zu", s->excused, s->steps);
	kill(pid, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	stepper_release(s);
}

static void run_program(void)
{
	execl("/bin/true", "true", (char *)NULL);
	_exit(77);
}

Test(steps, a_program_from_its_first_instruction_on, .timeout = 240)
{
	pid_t pid = start(run_program);
	struct stepper s;

	stepper_init(&s, pid, pid);
	step_all(&s, STEPS_MAX);
	run_to(&s, program_entry(&s));
	step_all(&s, STEPS_MAX);
	finish(&s, pid, STEPS_MAX + 1000, 0);
}

static int compare(const void *a, const void *b)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return *(const int *)a - *(const int *)b;
}

static void sort(int signal)
{
	int numbers[] = { 5, 3, 8, 1, signal };
	char text[32];

	qsort(numbers, 5, sizeof(*numbers), compare);
	snprintf(text, sizeof(text), "%d %.3f", numbers[0], numbers[1] / 7.0);
}

/* The vDSO, called from our comparison, which libc's qsort calls: first from an ordinary function,
 * then from a signal handler on a stack of its own. */
static void work(void)
{
	static char other_stack[1 << 16];
	stack_t ss = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct sigaction sa = { .sa_handler = sort, .sa_flags = SA_ONSTACK };

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGSTOP);
	sort(2);
	raise(SIGUSR1);
}

Test(steps, libc_the_vdso_and_a_signal_handler, .timeout = 240)
{
	pid_t pid = start(work);
	struct stepper s;

	stepper_init(&s, pid, pid);
	step_all(&s, STEPS_MAX);
	finish(&s, pid, STEPS_MAX * 5 / 8, 0);
}

static void *work_in_thread(void *arg)
{
	sort(4);
	return arg;
}

static void make_thread(void)
{
	pthread_t thread;

	raise(SIGSTOP);
	if (pthread_create(&thread, NULL, work_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
}

Test(steps, one_that_makes_a_thread, .timeout = 240)
{
	pid_t pid = start(make_thread);
	struct stepper s;

	stepper_init(&s, pid, pid);
	step_all(&s, STEPS_MAX);
	finish(&s, pid, 2000, 0);
}

Test(steps, a_thread_from_its_first_instruction_on, .timeout = 240)
{
	pid_t pid = start(make_thread);
	struct stepper s;
	unsigned long tid = 0;
	int status;

	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE);
	ptrace(PTRACE_CONT, pid, 0, 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status >> 8, SIGTRAP | PTRACE_EVENT_CLONE << 8);
	ptrace(PTRACE_GETEVENTMSG, pid, 0, &tid);
	cr_assert_eq(waitpid((pid_t)tid, &status, __WALL), (pid_t)tid);
	stepper_init(&s, pid, (pid_t)tid);
	step_all(&s, STEPS_MAX);
	finish(&s, pid, 1000, 0);
}

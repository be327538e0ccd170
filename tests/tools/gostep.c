// links: runtimes/go
/*
 * gostep PID TID STEPS FUNCTION: runs one thread of a Go program one instruction at a time and
 * walks its stack at each. Prints the number of walks for each kind of end; where walks began and
 * ended that did not reach the outermost frame; and how many walks went through FUNCTION.
 *
 * Sampling rarely meets the few instructions at which stacks change; this meets all of them.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/gopclntab.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "base/process/modmap.h"
#include "base/process/process.h"
#include "runtimes/go/find/runtime.h"
#include "runtimes/go/thread.h"
#include "unwind/stack.h"
#include "unwind/table/regs.h"
#include "unwind/unwinder.h"

enum { SHOWN_MAX = 20, PATIENCE = 20 };

static struct process process;
static struct modmap *maps;
static struct unwinder *unwinder;
static struct goruntime rt;
static struct memory_live live;
static struct gothread thread;
static struct gothread_place place;
static unsigned long ends[STACK_ENDS], shown, through;
static struct go_function wanted;

static void copy_regs(struct regs *to, const struct user_regs_struct *u)
{
	*to = (struct regs){ .r = { u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi, u->rbp, u->rsp,
				    u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15,
				    u->rip } };
}

static void look(const struct user_regs_struct *u, const struct regs *regs,
		 struct go_stacks *stacks)
{
	struct memory_piece p[GO_PIECES];
	size_t count, got;

	thread.rt = &rt;
	count = gothread_begin(&thread, &place, u->fs_base, p);
	got = count ? memory_live_gather(live.pid, p, count) : 0;
	gothread_finish(&thread, live.pid, u->fs_base, regs, got, false, stacks);
	place = thread.place;
}

static void show(const char *what, const struct frame *f)
{
	printf(" %s %s+0x%lx", what, f->image ? image_name(f->image) : "nowhere", f->addr);
}

static void walk(const struct user_regs_struct *u)
{
	static struct stack stack;
	struct go_stacks stacks;
	struct regs regs;

	copy_regs(&regs, u);
	look(u, &regs, &stacks);
	if (unwinder_walk(unwinder, maps, &(struct walk_from){ &regs, &live.memory, &stacks, NULL },
			  &stack))
		exit(1);
	ends[stack.end]++;
	for (size_t i = 0; i < stack.count; i++)
		if (stack.frames[i].image == rt.image &&
		    stack.frames[i].addr - wanted.entry < wanted.end - wanted.entry) {
			through++;
			break;
		}
	if (stack.end == STACK_OUTERMOST || shown++ >= SHOWN_MAX)
		return;
	printf("%s:", stack_end_name(stack.end));
	show("from", &stack.frames[0]);
	show("to", &stack.frames[stack.count - 1]);
	printf(" in %zu frames", stack.count);
	for (size_t i = 0; i < stack.count && i < 12; i++)
		printf(" %lx", stack.frames[i].addr);
	printf("\n");
}

static int attach(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    waitpid(tid, &status, __WALL) != tid)
		return -1;
	return 0;
}

static void run(pid_t tid, long steps)
{
	struct user_regs_struct u;
	int status, signal = 0;

	while (steps-- && !ptrace(PTRACE_GETREGS, tid, 0, &u)) {
		alarm(PATIENCE); /* in case the thread does not reach its next instruction */
		walk(&u);
		if (ptrace(PTRACE_SINGLESTEP, tid, 0, signal) ||
		    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			return;
		signal = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	}
	ptrace(PTRACE_DETACH, tid, 0, signal);
}

static void wake(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = wake };
	struct gopclntab *table;
	pid_t tid;

	if (argc != 5 || process_open(&process, atoi(argv[1]), NULL) ||
	    modmap_new(&maps, &process) || modmap_refresh(maps, NULL) || unwinder_new(&unwinder))
		return 2;
	tid = atoi(argv[2]);
	memory_live_init(&live, process.pid);
	if (goruntime_find(&rt, maps, &live.memory)) {
		printf("no Go runtime\n");
		return 1;
	}
	if (gopclntab_open(rt.image, &table) || !gopclntab_named(table, argv[4], &wanted) ||
	    attach(tid))
		return 2;
	sigaction(SIGALRM, &action, NULL);
	run(tid, atol(argv[3]));
	for (int i = 0; i < STACK_ENDS; i++)
		if (ends[i])
			printf("%lu %s\n", ends[i], stack_end_name(i));
	printf("%lu through %s\n", through, argv[4]);
	return 0;
}
